// The explorer of a fit: figures, the error curve, the map, and the panel that explains. In a file it draws what the file holds; in a
// notebook it asks Python for what it lacks, and for what only Python knows.

import { headline, menu } from "./controls.js";
import { Curve } from "./curve.js";
import { box, make } from "./element.js";
import { FitMap } from "./map.js";
import { Metric } from "./metric.js";
import { Panel } from "./panel.js";
import { Fit, Rule } from "./content.js";
import { fitWords, percent, planeWords, trainingError, writeNumber } from "./words.js";

const MAP = "map", NEAREST = 5;

export class Page {
  constructor(root, sent, python = null) {
    Object.assign(this, { root, sent, python, fit: new Fit(sent.fit), planes: new Map(), details: null, trial: null });
    this.fields = this.fit.fields;
    this.metric = new Metric(this.fit.metric, this.fields);
    this.rules = new Map(Object.entries(sent.rules).map(([step, rule]) => [Number(step), new Rule(rule)]));
    this.steps = python ? (this.fit.radii.length ? this.fit.radii : [0]).map((_, step) => step) : [...this.rules.keys()].sort((a, b) => a - b);
    this.added = this.fields.length ? this.fields[0].values.length - this.fit.names.length : 0;
    this.map = new FitMap({
      select: (point) => this.select(point), filter: (only) => this.set({ only }), painted: () => this.update(true),
    });
    const { step, only, point, x, y } = sent.state;
    Object.assign(this.map.state, { step, only, point });
    Object.assign(this, { x, y });
    this.build(root);
    this.map.show(this.fit, this.rules);
    this.keepPlane(sent.plane);
    this.turn();
    this.update();
    if (python) return;
    addEventListener("hashchange", () => this.follow());
    this.follow();
  }

  build(root) {
    const { fit, map, sent, steps } = this;
    if (fit.curve.points) this.curve = new Curve(fit.curve, (step) => steps.includes(step) && this.set({ step }));
    else if (steps.length > 1) {
      const radii = steps.map((step) => [writeNumber(fit.radii[step]), step]);
      this.eps = menu("radius eps", radii, (step) => this.set({ step: Number(step) }));
    }
    this.buildAxes(map.head);
    this.problem = make("p", "problem", sent.problem || "", { role: "alert" });
    this.panel = new Panel(this);
    this.headed = make("div");
    const strip = this.curve ? box("strip", this.curve.element) : this.eps ? box("controls", this.eps.label) : "";
    const notes = sent.notes.map((note) => make("p", "soft", note));
    root.replaceChildren(this.headed, strip, box("zones", map.element, this.panel.element), this.problem, ...notes);
    if (this.curve) this.curve.element.explorer = this.curve;
    map.element.explorer = map;
    map.page = this;
  }

  // The axes: the map if Python can make it or it is the plane of the file, or two predictors; of images the map alone.
  buildAxes(head) {
    const names = this.fields.filter((field) => field.kind === "numeric").map((field) => field.name);
    if (!names.length || this.fit.album) return;
    const options = names.map((name) => [name, name]), map = this.python || this.sent.state.x === MAP;
    const x = menu("Axes", map ? [["map", MAP], ...options] : options, (name) => this.choose(name, y.select.value));
    const y = menu("and", options, (name) => this.choose(x.select.value, name));
    this.axes = { x, y };
    head.append(box("controls", x.label, y.label));
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
    const { names } = this.fit, spots = new Float32Array(2 * names.length);
    [x, y].forEach((name, d) => {
      const { values } = this.fields.find((field) => field.name === name);
      names.forEach((_, point) => (spots[2 * point + d] = values[point]));
    });
    return { x, y, spots: { type: "float32", data: new Uint8Array(spots.buffer) }, axes: [x, y], one_unit: false };
  }

  // What the user changes.

  set(changes) {
    this.map.set(changes);
    this.update();
    this.report();
  }

  select(point) {
    this.problem.textContent = "";
    this.trial = null;
    this.set({ point, trial: null, condition: -1 });
    const hash = point < 0 ? "" : `#row=${encodeURIComponent(this.fit.names[point])}`;
    if (!this.python && location.hash !== hash) history.replaceState(null, "", hash || "#");
  }

  // The next misclassified row, the closest first.
  next() {
    const errors = Array.from(this.map.rule.errors);
    this.select(errors[(errors.indexOf(this.map.state.point) + 1) % errors.length]);
  }

  find(name) {
    if (!name) return this.select(-1);
    const point = this.fit.pointOf.get(name);
    if (point !== undefined) return this.select(point);
    this.problem.textContent = `The fit has no row with the label ${name}.`;
    return undefined;
  }

  // The row that the address names.
  follow() {
    const name = new URLSearchParams(location.hash.slice(1)).get("row"), chosen = this.map.state.point;
    if (name !== null && this.fit.names[chosen] !== name) this.find(name);
  }

  // Explain a row with these values, null for no such row.
  try(values, name = "") {
    this.trial = values && { values: [...values], name };
    if (!values) this.map.set({ trial: null });
    this.update(true);
  }

  // Where a row that is not in the fit lies: by its values, or on a map between the rows that are nearest to it.
  spotOf(values) {
    const { metric, fit } = this, { spots } = this.map.frame, names = this.x === MAP ? [] : [this.x, this.y];
    if (names.length) return names.map((name) => values[this.fields.findIndex((field) => field.name === name)]);
    const far = Array.from({ length: fit.rows }, (_, row) => [metric.pair(values, metric.row(row), fit.codes[row]).far, row]);
    const near = far.filter(([d]) => d >= 0).sort(([a], [b]) => a - b).slice(0, NEAREST).map(([d, row]) => [1 / (d + 1e-9), row]);
    const all = near.reduce((sum, [w]) => sum + w, 0);
    return [0, 1].map((d) => near.reduce((sum, [w, row]) => sum + (w * spots[2 * row + d]) / all, 0));
  }

  // The code of the fit that is shown.
  call() {
    const { step } = this.map.state, { own, radius, radii } = this.fit;
    return step === own ? "fit" : `fit.update(${radius}=${radii[step]})`;
  }

  // Whether `fit.why` explains: it needs predictors, and prototypes that are rows.
  get explains() {
    return this.fields.length > 0 && this.map.rule.points.every((point) => point < this.fit.rows);
  }

  // What Python hears, and what it says.

  report() {
    if (this.python) this.python.report();
  }

  state() {
    const { step, only, point } = this.map.state;
    return { step, only, point, x: this.x, y: this.y };
  }

  wants() {
    const { map } = this, plane = this.planes.get(this.plane), out = [];
    if (!map.rule) out.push("rule");
    if (!plane) out.push("plane");
    return out;
  }

  take({ step, only, point, x, y }) {
    const now = this.state(), sent = { step, only, point, x, y };
    if (Object.entries(sent).every(([name, value]) => now[name] === value)) return false;
    this.map.set({ step, only, point });
    Object.assign(this, { x, y });
    this.turn();
    this.update();
    return true;
  }

  receive(answer) {
    const { step, point, problem = "", rule, plane } = answer, { state } = this.map;
    if (problem || this.failed) this.problem.textContent = problem;
    this.failed = Boolean(problem);
    if (problem) return;
    if (rule) {
      this.rules.set(step, new Rule(rule));
      this.listing = "";
    }
    if (plane) this.keepPlane(plane);
    if (state.step === step && state.point === point) this.details = { ...answer, key: this.key() };
    this.turn();
    this.map.draw();
    this.update();
  }

  key() {
    const { step, point } = this.map.state;
    return `${step} ${point}`;
  }

  // Figures, controls and panel.

  update(again = false) {
    const { map, fit } = this, { step, only, point } = map.state;
    if (this.curve) this.curve.mark(step);
    if (this.eps) this.eps.select.value = step;
    if (this.axes) {
      this.axes.x.select.value = this.x;
      if (this.y) this.axes.y.select.value = this.y;
      this.axes.y.label.hidden = this.x === MAP;
    }
    const { search } = this.panel; // it may be typed
    if (document.activeElement !== search) search.value = point >= 0 && point < fit.rows ? fit.names[point] : "";
    if (!map.rule) return; // Python will send it
    const seen = map.look(), lost = map.lost(seen);
    this.headed.replaceChildren(headline(fit, this.figures(seen), fitWords(seen) + (lost ? ` ${lost} of the prototypes are not on this map.` : "")));
    if (map.plane) map.field.setAttribute("aria-description", `${planeWords(map.plane)}. ${fitWords(seen)}`);
    if (!map.painted) return; // the panel has the colours of the map
    if (this.trial) {
      const { near, rival } = this.metric.classify(this.trial.values, seen.rule, seen.now.shown);
      map.set({ trial: { name: this.trial.name, places: [near.place, rival.place], spot: this.spotOf(this.trial.values) } });
    }
    const key = `${step} ${only}`;
    if (again || this.listing !== key) this.relist(key);
    else this.panel.mark(point, seen);
    const said = this.details && this.details.key === this.key() ? this.details : {};
    this.panel.show(seen, point, said);
  }

  // The number of prototypes, the errors that are known of this fit, and the radius.
  figures(seen) {
    const { fit } = this, { rule, step, now } = seen, share = fit.measure !== "loss", many = now.shown.length;
    const out = [many || !rule.conditions.length ? [String(many), "prototypes"] : [String(rule.conditions.length), "conditions"]];
    const write = (value) => (share ? percent(value) : value.toFixed(3));
    if (rule.held_out.length) {
      const [error, se] = rule.held_out;
      out.push([write(error), `CV ${fit.measure}${se ? ` (SE ${share ? (100 * se).toFixed(1) : se.toFixed(3)})` : ""}`]);
    } else out.push([percent(trainingError(seen)), "training error"]);
    if (fit.corrected !== null) out.push([step === fit.own ? write(fit.corrected) : "-", "corrected for tuning"]);
    return fit.radii.length ? [...out, [writeNumber(fit.radii[step]), "radius eps"]] : out;
  }

  // The table follows when a slider rests for a frame: a browser takes longer to lay out its lines than to draw the map.
  relist(key) {
    cancelAnimationFrame(this.later);
    this.listing = "";
    this.later = requestAnimationFrame(() => (this.later = requestAnimationFrame(() => {
      const { only, point } = this.map.state;
      this.panel.list(this.map.look(), only, point);
      this.panel.mark(point, this.map.look());
      this.listing = key;
    })));
  }

  close() {
    cancelAnimationFrame(this.later);
    if (this.curve) this.curve.close();
    this.map.close();
  }
}
