// A fit as a page of its own, without Python: controls, map, words and tables, all from what the file holds.

import { Curve } from "./curve.js";
import { thumb } from "./draw.js";
import { make } from "./element.js";
import { FitMap } from "./map.js";
import { Film, Reel, unpack } from "./reel.js";
import { fitWords, listWords, nameRows, pointWords } from "./words.js";

const LISTED = 300, NAMED = 12;

// The text and the arrays of the file: a header in JSON, whose arrays say where their bytes stand, and the bytes.
async function read(text) {
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const length = new DataView(bytes.buffer).getUint32(0, true), start = 4 + length;
  const told = JSON.parse(new TextDecoder().decode(bytes.subarray(4, start)));
  const fill = (value) => {
    if (value === null || typeof value !== "object") return value;
    if (value.at !== undefined && value.type) return { type: value.type, data: bytes.subarray(start + value.at, start + value.at + value.bytes) };
    for (const name of Object.keys(value)) value[name] = fill(value[name]);
    return value;
  };
  return fill(told);
}

// The options of a list; those that stay are left alone, as a page takes long to lay out hundreds.
function offer(select, entries) {
  const { options } = select;
  entries.forEach(([text, value], k) => {
    if (!options[k]) select.append(make("option"));
    if (options[k].text !== text) options[k].text = text;
    if (options[k].value !== String(value)) options[k].value = value;
  });
  while (options.length > entries.length) options[options.length - 1].remove();
}

class Page {
  constructor(root, told) {
    this.film = new Film(told.film);
    this.told = told;
    this.stages = Object.keys(told.reels).map(Number).sort((a, b) => a - b);
    this.reels = new Map(this.stages.map((stage) => [stage, new Reel(told.reels[stage])]));
    this.fields = told.fields.map((field) => ({ ...field, values: field.values ? unpack(field.values) : null }));
    this.map = new FitMap({ select: (point) => this.select(point), lasso: () => {} });
    Object.assign(this.map.state, told.shown);
    this.map.regionsOf = new Map(told.regions.map((one) => [`${one.stage} ${one.size}`, { ...one, codes: unpack(one.codes) }]));
    this.build(root);
    this.map.show(this.film, this.reels, told.plane);
    this.map.field.setAttribute("aria-label", "Map of the rows and prototypes");
    this.update();
    addEventListener("hashchange", () => this.follow());
    this.follow();
  }

  labelled(text, control) {
    const label = make("label", "control");
    control.setAttribute("aria-label", text);
    label.append(make("span", "label", text), control);
    return label;
  }

  range(text, most, value, moved) {
    const input = make("input", "", "", { type: "range", min: 0, max: most, step: 1 }), output = make("output", "value");
    input.value = value;
    input.addEventListener("input", () => moved(Number(input.value)));
    const label = this.labelled(text, input);
    label.append(output);
    return { input, output, label };
  }

  menu(text, options, moved, rows = 0) {
    const select = make("select", "", "", rows ? { size: rows } : {});
    select.replaceChildren(...options.map(([name, value]) => make("option", "", name, { value })));
    select.addEventListener("change", () => moved(select.value));
    return { select, label: this.labelled(text, select) };
  }

  build(root) {
    const { film, map, told } = this, { stage, size } = map.state, controls = make("div", "controls");
    if (this.stages.length > 1) {
      this.eps = this.range("radius eps of the balls", this.stages.length - 1, this.stages.indexOf(stage), (k) => this.radius(this.stages[k]));
      controls.append(this.eps.label);
    }
    if ([...this.reels.values()].some((reel) => reel.stepwise)) {
      this.size = this.range("size, first chosen", Math.max(1, this.reels.get(stage).most), size, (count) => this.set({ size: count }));
      controls.append(this.size.label);
    }
    const classes = [["all", -1], ...film.classes.map((one, k) => [one.name, k])];
    this.only = this.menu("class", classes, (value) => this.set({ only: Number(value) }));
    controls.append(this.only.label);
    if (film.criticised.length) {
      const rows = film.criticised.map(({ text, point: row }) => [text, row]);
      this.criticised = this.menu("badly explained", [["none is selected", -1], ...rows], (row) => this.select(Number(row)));
      controls.append(this.criticised.label);
    }
    const numeric = this.fields.filter((field) => field.values);
    if (numeric.length) {
      const axes = [[told.plane.name, -1], ...numeric.map((field, k) => [field.name, k])];
      this.axes = [this.menu("x", axes, () => this.turn(numeric)), this.menu("y", axes.slice(1), () => this.turn(numeric))];
      this.axes[1].select.disabled = true;
      controls.append(...this.axes.map((menu) => menu.label));
    }
    this.status = make("p", "status", "", { role: "status" });
    this.list = this.menu("prototypes", [], (point) => this.select(Number(point)), 15);
    this.search = make("input", "", "", { type: "search", placeholder: "label, Enter", list: "" });
    this.search.addEventListener("change", () => this.find(this.search.value.trim()));
    const side = make("div", "side");
    side.append(this.list.label, this.labelled("row", this.search));
    this.problem = make("p", "problem", "", { role: "alert" });
    side.append(this.problem);
    const middle = make("div", "middle");
    middle.append(map.element, side);
    this.details = make("div", "details");
    const notes = told.notes.map((note) => make("p", "note", note));
    root.replaceChildren(controls, this.status, middle, this.details, ...notes);
    if (film.curve.points) {
      this.curve = new Curve(film.curve, (to) => this.reels.has(to) && this.radius(to));
      map.element.prepend(this.curve.element);
    }
    map.element.explorer = map;
  }

  set(changes) {
    this.map.set(changes);
    this.update();
  }

  radius(stage) {
    const { state } = this.map, before = this.reels.get(state.stage), after = this.reels.get(stage);
    const size = state.size === before.most ? after.most : Math.min(state.size, after.most);
    this.set({ stage, size });
  }

  select(point) {
    this.problem.textContent = "";
    this.set({ point, also: [] });
    const hash = point < 0 ? "" : `#row=${encodeURIComponent(this.film.names[point])}`;
    if (location.hash !== hash) history.replaceState(null, "", hash || "#");
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

  // Other axes: two predictors, or the plane that Python made.
  turn(numeric) {
    const [x, y] = this.axes.map(({ select }) => Number(select.value)), { names } = this.film;
    this.axes[1].select.disabled = x < 0;
    if (x < 0) return this.map.place(this.told.plane);
    const spots = new Float32Array(2 * names.length).fill(NaN);
    [numeric[x], numeric[y]].forEach((field, d) => field.values.forEach((value, row) => (spots[2 * row + d] = value)));
    const bytes = { type: "float32", data: new Uint8Array(spots.buffer) }, none = { type: "float32", data: new Uint8Array(0) };
    return this.map.place({ spots: bytes, outline: none, axes: [numeric[x].name, numeric[y].name], one_unit: false, turned: true });
  }

  update() {
    const { map, film } = this, { stage, size, only, point } = map.state, seen = map.look(), { reel } = seen;
    this.status.textContent = fitWords(seen);
    if (this.curve) this.curve.mark(stage);
    if (this.eps) {
      this.eps.input.value = this.stages.indexOf(stage);
      this.eps.output.textContent = film.radius_words[stage];
      this.eps.input.setAttribute("aria-valuetext", film.radius_words[stage]);
    }
    if (this.size) {
      this.size.input.max = Math.max(1, reel.most);
      this.size.input.value = size;
      this.size.output.textContent = size;
      this.size.label.hidden = !reel.stepwise;
    }
    this.only.select.value = only;
    const key = `${stage} ${size} ${only}`;
    if (this.listing === key) this.list.select.value = reel.placeOf(point, size) >= 0 ? point : "";
    else this.relist(key);
    if (this.criticised) this.criticised.select.value = film.criticised.some((row) => row.point === point) ? point : -1;
    this.search.value = point >= 0 && point < film.rows ? film.names[point] : "";
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
      this.list.select.disabled = !shown.length;
      this.list.select.value = reel.placeOf(point, seen.size) >= 0 ? point : "";
      this.listing = key;
    })));
  }

  // What is selected: words, pictures, the rows that it has to do with, and its predictors.
  tell(seen, point) {
    const { film } = this;
    if (point < 0) return this.details.replaceChildren(make("p", "note", "Choose a prototype from the list or click a point of the map."));
    const { title, text, lists } = pointWords(seen, point), head = make("p", "text", "", {});
    head.append(make("strong", "", `${title}. `), text);
    const place = seen.reel.placeOf(point, seen.size), code = place >= 0 ? seen.reel.classes[place] : film.codes[point];
    const parts = [head];
    if (film.album && point < film.rows) parts.push(this.pictures([point], 72));
    for (const [name, rows] of lists) {
      if (!rows.length) continue;
      const line = make("p", "text");
      line.append(make("strong", "", `${name}: `), nameRows(film, rows, code));
      parts.push(line);
      if (film.album) parts.push(this.pictures(rows.slice(0, NAMED), 36));
    }
    if (point < film.rows && this.fields.length && !film.album) parts.push(this.predictors(point));
    return this.details.replaceChildren(...parts);
  }

  pictures(rows, height) {
    const line = make("div", "pictures");
    for (const row of rows) {
      const image = thumb(this.film.album, row);
      image.setAttribute("role", "img");
      image.setAttribute("aria-label", `${this.film.names[row]}: ${this.film.classes[this.film.codes[row]].name}`);
      image.style.height = `${height}px`;
      line.append(image);
    }
    return line;
  }

  predictors(row) {
    const table = make("table", "fields");
    table.append(make("caption", "", "Predictors"));
    for (const { name, values, texts } of this.fields) {
      const line = table.insertRow();
      line.append(make("th", "", name, { scope: "row" }), make("td", "", values ? String(+values[row].toPrecision(4)) : texts[row]));
    }
    return table;
  }
}

// A page that shows this one in a frame says which theme its reader chose: "light", "dark", or "auto" for that of the system.
addEventListener("message", ({ source, data }) => {
  if (source === window.parent && data && ["light", "dark", "auto"].includes(data.theme)) document.documentElement.dataset.theme = data.theme;
});

for (const root of document.querySelectorAll(".protoclass-page")) {
  const text = root.querySelector(".protoclass-data").textContent;
  read(text).then((told) => new Page(root, told)).catch((reason) => {
    root.append(make("p", "problem", `This browser cannot show the explorer: ${reason}`, { role: "alert" }));
  });
}
