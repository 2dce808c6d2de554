// The explorer of a fit: controls, map, words and tables. In a file it draws what the file holds; in a notebook it asks Python for
// what it lacks, and for what only Python knows.

import { labelled, menu, offer, range, tabulate } from "./controls.js";
import { Curve } from "./curve.js";
import { thumb } from "./draw.js";
import { make } from "./element.js";
import { FitMap } from "./map.js";
import { Film, Reel, unpack } from "./reel.js";
import { classTable, fitWords, listHead, listWords, mapWords, nameRows, pointWords } from "./words.js";

const LISTED = 300, NAMED = 12, MAP = "map";

export class Page {
  constructor(root, told, python = null) {
    Object.assign(this, { told, python, film: new Film(told.film), planes: new Map(), regions: new Map(), details: null });
    this.reels = new Map(Object.entries(told.reels).map(([stage, reel]) => [Number(stage), new Reel(reel)]));
    this.stages = python ? this.film.radius_words.map((_, stage) => stage) : [...this.reels.keys()].sort((a, b) => a - b);
    this.fields = (told.fields || []).map((field) => ({ ...field, values: field.values ? unpack(field.values) : null }));
    this.map = new FitMap({
      select: (point) => this.select(point), lasso: () => this.report(),
      regions: (stage, size) => this.regions.get(`${this.plane} ${stage} ${size}`),
    });
    const { stage, size, only, point, x, y } = told.state;
    Object.assign(this.map.state, { stage, size, only, point });
    Object.assign(this, { x, y });
    (told.regions || []).forEach((one) => this.paint(one));
    this.build(root);
    this.map.show(this.film, this.reels);
    this.keepPlane(told.plane);
    this.turn();
    this.update();
    if (python) return;
    addEventListener("hashchange", () => this.follow());
    this.follow();
  }

  build(root) {
    const { film, map, told } = this, controls = make("div", "controls");
    if (this.stages.length > 1) {
      this.eps = range("radius eps of the balls", this.stages.length - 1, (k) => this.radius(this.stages[k]));
      controls.append(this.eps.label);
    }
    if ([...this.reels.values()].some((reel) => reel.stepwise)) {
      const each = [...this.reels.values()].every((reel) => reel.most === reel.points.length) ? "" : " of each machine";
      this.size = range(`size, first chosen${each}`, 1, (size) => this.set({ size }));
      controls.append(this.size.label);
    }
    this.only = menu("class", [["all", -1], ...film.classes.map((one, k) => [one.name, k])], (value) => this.set({ only: Number(value) }));
    controls.append(this.only.label);
    this.buildAxes(controls);
    if (film.criticised.length) {
      const rows = film.criticised.map(({ text, point: row }) => [text, row]);
      this.criticised = menu("badly explained", [["none is selected", -1], ...rows], (row) => this.select(Number(row)));
      controls.append(this.criticised.label);
    }
    this.status = make("p", "status", "", { role: "status" });
    this.head = make("p", "list-head");
    this.list = menu("prototypes", [], (point) => this.select(Number(point)), 15);
    const side = make("div", "side");
    side.append(this.head, this.list.label);
    if (told.swaps) {
      this.swap = menu("swap for", [], (row) => this.report({ swap: Number(row) }));
      side.append(this.swap.label);
    }
    this.search = make("input", "", "", { type: "search", placeholder: "label, Enter", list: "" });
    this.search.addEventListener("change", () => this.find(this.search.value.trim()));
    this.problem = make("p", "problem", told.problem || "", { role: "alert" });
    side.append(labelled("row", this.search), this.problem);
    const middle = make("div", "middle");
    middle.append(map.element, side);
    this.below = make("div", "details");
    root.replaceChildren(controls, this.status, middle, this.below, ...told.notes.map((note) => make("p", "note", note)));
    map.field.setAttribute("aria-label", "Map of the rows and prototypes");
    if (film.curve.points) {
      this.curve = new Curve(film.curve, (to) => this.stages.includes(to) && this.radius(to));
      map.element.prepend(this.curve.element);
    }
    map.element.explorer = map;
  }

  // The axes: predictors that are numbers, and the map where Python can make it or it is the plane of the file.
  buildAxes(controls) {
    const names = this.told.predictors || this.fields.filter((field) => field.values).map((field) => field.name);
    if (!names.length) return;
    const options = names.map((name) => [name, name]), map = this.python || this.told.state.x === MAP;
    const x = menu("x", map ? [["map of the dissimilarities", MAP], ...options] : options, (name) => this.choose(name, y.select.value));
    const y = menu("y", options, (name) => this.choose(x.select.value, name));
    this.axes = { x: x.select, y: y.select };
    controls.append(x.label, y.label);
  }

  choose(x, y) {
    Object.assign(this, { x, y: x === MAP ? "" : y });
    this.turn();
    this.update();
    this.report();
  }

  get plane() {
    return `${this.x} ${this.y}`;
  }

  keepPlane(plane) {
    if (plane.spots) this.planes.set(`${plane.x} ${plane.y}`, plane);
  }

  // Draw the plane of the axes, as soon as it is there.
  turn() {
    if (!this.planes.has(this.plane) && !this.python) this.keepPlane(this.planeOf(this.x, this.y));
    const plane = this.planes.get(this.plane);
    if (plane && this.drawn !== plane) this.map.place((this.drawn = plane));
  }

  // The plane of two predictors of the rows, as far as a file knows it.
  planeOf(x, y) {
    const { names } = this.film, spots = new Float32Array(2 * names.length).fill(NaN);
    [x, y].forEach((name, d) => {
      this.fields.find((field) => field.name === name).values.forEach((value, row) => (spots[2 * row + d] = value));
    });
    const bytes = { type: "float32", data: new Uint8Array(spots.buffer) }, none = { type: "float32", data: new Uint8Array(0) };
    return { x, y, spots: bytes, outline: none, axes: [x, y], one_unit: false, of_metric: false };
  }

  paint(told) {
    this.regions.set(`${told.x} ${told.y} ${told.stage} ${told.size}`, { ...told, codes: unpack(told.codes) });
  }

  // What the user changes.

  set(changes) {
    this.map.set(changes);
    this.update();
    this.report();
  }

  // At another radius all prototypes stay all, and a number of them that number as far as there are so many.
  radius(stage) {
    const { state } = this.map, before = this.reels.get(state.stage), after = this.reels.get(stage), all = before && state.size === before.most;
    this.set({ stage, size: after ? (all ? after.most : Math.min(state.size, after.most)) : all ? null : state.size });
  }

  select(point) {
    this.problem.textContent = "";
    this.set({ point, also: [] });
    const hash = point < 0 ? "" : `#row=${encodeURIComponent(this.film.names[point])}`;
    if (!this.python && location.hash !== hash) history.replaceState(null, "", hash || "#");
  }

  find(name) {
    if (!name) return this.select(-1);
    const point = this.film.pointOf.get(name);
    if (point !== undefined) return this.select(point);
    this.problem.textContent = `no row of the fit has the label ${name}`;
    return undefined;
  }

  // The row that the address names.
  follow() {
    const name = new URLSearchParams(location.hash.slice(1)).get("row"), chosen = this.map.state.point;
    if (name !== null && this.film.names[chosen] !== name) this.find(name);
  }

  // What Python hears, and what it says.

  report(deed) {
    if (this.python) this.python.report(deed);
  }

  state() {
    const { stage, size, only, point } = this.map.state;
    return { stage, size, only, point, x: this.x, y: this.y, lasso: Array.from(this.map.lasso) };
  }

  wants() {
    const { map } = this, { stage, size } = map.state, plane = this.planes.get(this.plane), out = [];
    if (!map.reel) out.push("reel");
    if (!map.reel || !map.reel.rivals) out.push("rivals");
    if (!plane) out.push("plane");
    if ((!plane || plane.of_metric) && !map.on.regions(stage, size)) out.push("regions");
    return out;
  }

  take({ stage, size, only, point, x, y }) {
    const now = this.state(), told = { stage, size, only, point, x, y };
    if (Object.entries(told).every(([name, value]) => now[name] === value)) return false;
    this.map.set({ stage, size, only, point, also: [] });
    Object.assign(this, { x, y });
    this.turn();
    this.update();
    return true;
  }

  hear(answer) {
    const { stage, size, point, problem = "", reel, rivals, plane, regions } = answer, { state } = this.map;
    if (problem || this.failed) this.problem.textContent = problem;
    this.failed = Boolean(problem);
    if (problem) return;
    if (reel) this.reels.set(stage, new Reel(reel));
    if (rivals && this.reels.has(stage)) this.reels.get(stage).add(rivals);
    if (plane) this.keepPlane(plane);
    if (regions) this.paint(regions);
    if (state.stage === stage && state.size === null) this.map.set({ size });
    if (state.stage === stage && state.size === size && state.point === point) {
      this.details = { ...answer, key: this.key() };
      this.map.set({ also: answer.also || [] });
    }
    this.turn();
    this.map.draw();
    this.update();
  }

  key() {
    const { stage, size, point } = this.map.state;
    return `${stage} ${size} ${point}`;
  }

  // Controls, words and tables.

  update() {
    const { map, film } = this, { stage, size, only, point } = map.state, { reel } = map;
    if (this.curve) this.curve.mark(stage);
    if (this.eps) this.eps.show(this.stages.indexOf(stage), film.radius_words[stage]);
    this.only.select.value = only;
    if (this.axes) {
      this.axes.x.value = this.x;
      if (this.y) this.axes.y.value = this.y;
      this.axes.y.disabled = this.x === MAP;
    }
    if (this.criticised) this.criticised.select.value = film.criticised.some((row) => row.point === point) ? point : -1;
    if (document.activeElement !== this.search) this.search.value = point >= 0 && point < film.rows ? film.names[point] : ""; // it may be typed
    if (!reel || size === null) return; // Python will send it
    if (this.size) {
      this.size.input.max = Math.max(1, reel.most);
      this.size.show(size);
      this.size.label.hidden = !reel.stepwise;
    }
    const seen = map.look(), lost = map.lost(seen);
    this.status.textContent = fitWords(seen) + (lost ? ` ${lost} of the prototypes have no place in this picture.` : "");
    map.field.setAttribute("aria-description", mapWords(seen, map.state, map.plane));
    const key = `${stage} ${size} ${only}`;
    if (this.listing === key) this.list.select.value = reel.placeOf(point, size) >= 0 ? point : "";
    else this.relist(key);
    this.offerSwaps();
    this.tell(seen, point);
  }

  // The list follows when a slider rests for a frame: a browser takes longer to lay out its options than to draw the map.
  relist(key) {
    cancelAnimationFrame(this.later);
    this.listing = "";
    this.later = requestAnimationFrame(() => (this.later = requestAnimationFrame(() => {
      const seen = this.map.look(), { only, point } = this.map.state, { reel } = seen;
      const shown = seen.now.shown.filter((place) => only < 0 || reel.classes[place] === only);
      offer(this.list.select, shown.slice(0, LISTED).map((place) => [listWords(seen, place), reel.points[place]]));
      this.head.textContent = listHead(seen, shown.length, LISTED);
      this.list.select.disabled = !shown.length;
      this.list.select.value = reel.placeOf(point, seen.size) >= 0 ? point : "";
      this.listing = key;
    })));
  }

  offerSwaps() {
    if (!this.swap) return;
    const offers = (this.details && this.details.key === this.key() && this.details.offers) || [];
    offer(this.swap.select, [[offers.length ? `${offers.length} rows` : "none", -1], ...offers]);
    this.swap.select.value = -1;
    this.swap.select.disabled = !offers.length;
  }

  // What is selected: words, pictures, the rows that it has to do with, and its predictors; with nothing selected, the classes.
  tell(seen, point) {
    const { film } = this, said = this.details && this.details.key === this.key() ? this.details : { words: [], tables: [] }, parts = [];
    if (point < 0) parts.push(make("p", "note", "Choose a prototype from the list or click a point of the map, to see why a row gets its class."));
    pointWords(seen, point).forEach(({ title, text, lists, code }, k) => {
      const head = make("p", "text");
      head.append(make("strong", "", `${title}. `), text);
      parts.push(head);
      if (k) return;
      if (film.album) parts.push(this.pictures([point], 72));
      for (const [name, rows] of lists) {
        if (!rows.length) continue;
        const line = make("p", "text");
        line.append(make("strong", "", `${name}: `), nameRows(film, rows, code));
        parts.push(line);
        if (film.album) parts.push(this.pictures(rows.slice(0, NAMED), 36));
      }
    });
    for (const words of said.words) parts.push(make("p", "text", words));
    const tables = make("div", "tables");
    if (point < 0) tables.append(tabulate(classTable(seen)));
    const fields = said.predictors || this.predictorsOf(point);
    if (fields.length && !film.album) tables.append(tabulate({ caption: "Predictors", head: [], rows: fields }));
    for (const table of said.tables) tables.append(film.album && table.points ? this.album(table) : tabulate(table));
    this.below.replaceChildren(...parts, tables);
  }

  // The predictors of a row that the file holds, by name.
  predictorsOf(point) {
    if (point < 0 || point >= this.film.rows) return [];
    return this.fields.map(({ name, values, texts }) => [name, values ? String(+values[point].toPrecision(4)) : texts[point]]);
  }

  // Prototypes of a table as pictures, with what the table says of them.
  album({ caption, rows, points }) {
    const figure = make("figure", "album"), known = points.map((_, k) => k).filter((k) => points[k] >= 0);
    figure.append(make("figcaption", "", caption), this.pictures(known.map((k) => points[k]), 36, known.map((k) => rows[k].slice(1).join(", "))));
    return figure;
  }

  pictures(points, height, words = []) {
    const line = make("div", "pictures");
    points.forEach((point, k) => {
      const image = thumb(this.film.album, point), name = this.film.names[point], of = this.film.codes[point];
      image.setAttribute("role", "img");
      image.setAttribute("aria-label", point < this.film.rows ? `${name}: ${this.film.classes[of].name}` : name);
      image.style.height = `${height}px`;
      if (!words.length) return line.append(image);
      const figure = make("figure", "thumb");
      figure.append(image, make("figcaption", "", `${name}: ${words[k]}`));
      return line.append(figure);
    });
    return line;
  }

  close() {
    cancelAnimationFrame(this.later);
    if (this.curve) this.curve.close();
    this.map.close();
  }
}
