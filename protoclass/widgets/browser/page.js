// The explorer of a fit: figures, the error curve, the map, and the panel that explains. In a file it draws what the file holds; in a
// notebook it asks Python for what it lacks, and for what only Python knows.

import { headline, labelled, menu, range } from "./controls.js";
import { Curve } from "./curve.js";
import { box, make } from "./element.js";
import { FitMap } from "./map.js";
import { Metric } from "./metric.js";
import { Panel } from "./panel.js";
import { Film, Reel, unpack } from "./reel.js";
import { fitWords, mapWords, percent, trainingError, writeNumber } from "./words.js";

const MAP = "map", NEAREST = 5;

export class Page {
  constructor(root, told, python = null) {
    Object.assign(this, { root, told, python, film: new Film(told.film), planes: new Map(), regions: new Map(), details: null, trial: null });
    this.fields = this.film.fields;
    this.metric = new Metric(this.film.metric, this.fields);
    this.reels = new Map(Object.entries(told.reels).map(([stage, reel]) => [Number(stage), new Reel(reel)]));
    this.stages = python ? (this.film.radii.length ? this.film.radii : [0]).map((_, stage) => stage) : [...this.reels.keys()].sort((a, b) => a - b);
    this.added = this.fields.length ? this.fields[0].values.length - this.film.names.length : 0;
    this.map = new FitMap({
      select: (point) => this.select(point), filter: (only) => this.set({ only }), painted: () => this.update(true),
      regions: (stage) => this.regions.get(`${this.plane} ${stage}`),
    });
    const { stage, only, point, x, y } = told.state;
    Object.assign(this.map.state, { stage, only, point });
    Object.assign(this, { x, y });
    (told.regions || []).forEach((each) => this.paint(each));
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
    if (film.curve.points) this.curve = new Curve(film.curve, (to) => this.stages.includes(to) && this.radius(to));
    else if (this.stages.length > 1) {
      this.eps = range("radius eps of the balls", this.stages.length - 1, (k) => this.radius(this.stages[k]));
      controls.append(this.eps.label);
    }
    this.buildAxes(map.tools);
    this.search = make("input", "", "", { type: "search", placeholder: "label, Enter", size: 10 });
    this.search.addEventListener("change", () => this.find(this.search.value.trim()));
    map.tools.append(labelled("Find row", this.search));
    this.status = make("p", "soft", "", { role: "status" });
    this.problem = make("p", "problem", told.problem || "", { role: "alert" });
    this.panel = new Panel(this);
    this.headed = make("div");
    if (this.curve) this.curve.key.append(controls);
    const strip = this.curve ? box("strip", this.curve.element) : controls.childElementCount ? controls : "";
    root.replaceChildren(this.headed, strip, box("zones", map.element, this.panel.element), this.status, this.problem, ...told.notes.map((note) => make("p", "soft", note)));
    if (this.curve) this.curve.element.explorer = this.curve;
    map.element.explorer = map;
    map.page = this;
  }

  // The axes: predictors that are numbers, and the map where Python can make it or it is the plane of the file.
  buildAxes(tools) {
    const names = this.fields.filter((field) => field.kind === "numeric").map((field) => field.name);
    if (!names.length) return;
    const options = names.map((name) => [name, name]), map = this.python || this.told.state.x === MAP;
    const x = menu("x", map ? [["map", MAP], ...options] : options, (name) => this.choose(name, y.select.value));
    const y = menu("y", options, (name) => this.choose(x.select.value, name));
    this.axes = { x: x.select, y: y.select };
    tools.append(x.label, y.label);
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

  // The plane of two predictors, as far as a file knows it.
  planeOf(x, y) {
    const { names } = this.film, spots = new Float32Array(2 * names.length);
    [x, y].forEach((name, d) => {
      const { values } = this.fields.find((field) => field.name === name);
      names.forEach((_, point) => (spots[2 * point + d] = values[point]));
    });
    const bytes = { type: "float32", data: new Uint8Array(spots.buffer) }, none = { type: "float32", data: new Uint8Array(0) };
    return { x, y, spots: bytes, outline: none, axes: [x, y], one_unit: false, of_metric: false };
  }

  paint(told) {
    this.regions.set(`${told.x} ${told.y} ${told.stage}`, { ...told, codes: unpack(told.codes) });
  }

  // What the user changes.

  set(changes) {
    this.map.set(changes);
    this.update();
    this.report();
  }

  radius(stage) {
    this.set({ stage });
  }

  select(point) {
    this.problem.textContent = "";
    this.trial = null;
    this.set({ point, also: [], trial: null });
    const hash = point < 0 ? "" : `#row=${encodeURIComponent(this.film.names[point])}`;
    if (!this.python && location.hash !== hash) history.replaceState(null, "", hash || "#");
  }

  find(name) {
    if (!name) return this.select(-1);
    const point = this.film.pointOf.get(name);
    if (point !== undefined) return this.select(point);
    this.problem.textContent = `The fit has no row with the label ${name}.`;
    return undefined;
  }

  // The row that the address names.
  follow() {
    const name = new URLSearchParams(location.hash.slice(1)).get("row"), chosen = this.map.state.point;
    if (name !== null && this.film.names[chosen] !== name) this.find(name);
  }

  // Explain a row with these values, null for no such row.
  try(values, name = "") {
    this.trial = values && { values: [...values], name };
    if (!values) this.map.set({ trial: null });
    this.update(true);
  }

  tryAgain() {
    this.update(true);
  }

  // Where a row that is not in the fit lies: by its values, or on a map between the rows that are nearest to it.
  spotOf(values) {
    const { metric, film } = this, { spots } = this.map.frame, names = this.x === MAP ? [] : [this.x, this.y];
    if (names.length) return names.map((name) => values[this.fields.findIndex((field) => field.name === name)]);
    const far = Array.from({ length: film.rows }, (_, row) => [metric.distance(metric.total(metric.terms(values, metric.row(row)))), row]);
    const near = far.filter(([d]) => d >= 0).sort(([a], [b]) => a - b).slice(0, NEAREST).map(([d, row]) => [1 / (d + 1e-9), row]);
    const all = near.reduce((sum, [w]) => sum + w, 0);
    return [0, 1].map((d) => near.reduce((sum, [w, row]) => sum + (w * spots[2 * row + d]) / all, 0));
  }

  // The code of the fit that is shown.
  call() {
    const { stage } = this.map.state, { own, radius, radii } = this.film;
    return stage === own ? "fit" : `fit.update(${radius}=${radii[stage]})`;
  }

  // Whether `fit.why` explains: it needs predictors, and prototypes that are rows.
  get explains() {
    return this.fields.length > 0 && this.map.reel.points.every((point) => point < this.film.rows);
  }

  // What Python hears, and what it says.

  report() {
    if (this.python) this.python.report();
  }

  state() {
    const { stage, only, point } = this.map.state;
    return { stage, only, point, x: this.x, y: this.y };
  }

  wants() {
    const { map } = this, plane = this.planes.get(this.plane), out = [];
    if (!map.reel) out.push("reel");
    if (!plane) out.push("plane");
    if ((!plane || plane.of_metric) && !map.on.regions(map.state.stage)) out.push("regions");
    return out;
  }

  take({ stage, only, point, x, y }) {
    const now = this.state(), told = { stage, only, point, x, y };
    if (Object.entries(told).every(([name, value]) => now[name] === value)) return false;
    this.map.set({ stage, only, point, also: [] });
    Object.assign(this, { x, y });
    this.turn();
    this.update();
    return true;
  }

  hear(answer) {
    const { stage, point, problem = "", reel, plane, regions } = answer, { state } = this.map;
    if (problem || this.failed) this.problem.textContent = problem;
    this.failed = Boolean(problem);
    if (problem) return;
    if (reel) this.reels.set(stage, new Reel(reel));
    if (reel) this.listing = "";
    if (plane) this.keepPlane(plane);
    if (regions) this.paint(regions);
    if (state.stage === stage && state.point === point) {
      this.details = { ...answer, key: this.key() };
      this.map.set({ also: answer.also || [] });
    }
    this.turn();
    this.map.draw();
    this.update();
  }

  key() {
    const { stage, point } = this.map.state;
    return `${stage} ${point}`;
  }

  // Figures, controls and panel.

  update(again = false) {
    const { map, film } = this, { stage, only, point } = map.state;
    if (this.curve) this.curve.mark(stage);
    if (this.eps) this.eps.show(this.stages.indexOf(stage), writeNumber(film.radii[stage]));
    if (this.axes) {
      this.axes.x.value = this.x;
      if (this.y) this.axes.y.value = this.y;
      this.axes.y.disabled = this.x === MAP;
    }
    if (document.activeElement !== this.search) this.search.value = point >= 0 && point < film.rows ? film.names[point] : ""; // it may be typed
    if (!map.reel) return; // Python will send it
    const seen = map.look(), lost = map.lost(seen);
    this.headed.replaceChildren(headline(film, this.figures(seen)));
    this.status.textContent = fitWords(seen) + (lost ? ` ${lost} of the prototypes are not on this map.` : "");
    map.field.setAttribute("aria-description", mapWords(seen, map.state, map.plane));
    if (!map.painted) return; // the panel has the colours of the map
    if (this.trial) {
      const { near, rival } = this.metric.classify(this.trial.values, seen.reel, seen.now.shown);
      map.set({ trial: { name: this.trial.name, places: [near.place, rival.place], spot: this.spotOf(this.trial.values) } });
    }
    const key = `${stage} ${only}`;
    if (again || this.listing !== key) this.relist(key);
    else this.panel.mark(point, seen);
    const said = this.details && this.details.key === this.key() ? this.details : {};
    this.panel.show(seen, point, said);
  }

  // The number of prototypes, the errors that are known of this fit, and the radius.
  figures(seen) {
    const { film } = this, { reel, stage, now } = seen, out = [[String(now.shown.length), "prototypes"]], share = film.measure !== "loss";
    const write = (value) => (share ? percent(value) : value.toFixed(3));
    if (reel.held_out.length) {
      const [error, se] = reel.held_out;
      out.push([write(error), `CV ${film.measure}${se ? ` (SE ${share ? (100 * se).toFixed(1) : se.toFixed(3)})` : ""}`]);
    } else out.push([percent(trainingError(seen)), "training error"]);
    if (film.corrected !== null && stage === film.own) out.push([write(film.corrected), "corrected for tuning"]);
    return film.radii.length ? [...out, [writeNumber(film.radii[stage]), "radius eps"]] : out;
  }

  // The table follows when a slider rests for a frame: a browser takes longer to lay out its lines than to draw the map.
  relist(key) {
    cancelAnimationFrame(this.later);
    this.listing = "";
    this.later = requestAnimationFrame(() => (this.later = requestAnimationFrame(() => {
      const { only, point } = this.map.state;
      this.panel.list(this.map.look(), only, point);
      this.listing = key;
    })));
  }

  close() {
    cancelAnimationFrame(this.later);
    if (this.curve) this.curve.close();
    this.map.close();
  }
}
