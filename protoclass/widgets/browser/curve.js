// The error over one parameter, or over the number of prototypes, as a slider: dots with one standard error, the 1-SE band, and the
// choice. It chooses at once, by pointer and by arrow keys.

import { Chart, widthOf } from "./chart.js";
import { box, button, drawn } from "./element.js";

export class Curve extends Chart {
  constructor(told, choose) {
    super(told, choose);
    this.field.setAttribute("role", "slider");
    this.field.removeAttribute("aria-roledescription");
    this.by = this.by.bind(this);
    this.switches = told.frontier.length ? [[told.axis, false], [`number of ${told.counted}`, true]].map(([name, frontier]) => button("tool", name, () => this.by(frontier))) : [];
    this.key.append(`${told.name[0].toUpperCase()}${told.name.slice(1)} by`, ...(this.switches.length ? [box("chips", ...this.switches)] : [` ${told.axis}`]));
    this.by(false);
    this.field.addEventListener("pointerdown", (event) => {
      this.field.setPointerCapture(event.pointerId);
      this.dragged = true;
    });
    this.field.addEventListener("pointermove", () => this.dragged && this.here >= 0 && this.here !== this.chosen && this.take(this.here));
    for (const event of ["pointerup", "pointercancel"]) this.field.addEventListener(event, () => (this.dragged = false));
  }

  // Over the parameter, or over the number of prototypes, where only the points are shown that none beats.
  by(frontier) {
    const { told } = this;
    Object.assign(this, { frontier, x: frontier ? told.size_values : told.x });
    this.order = (frontier ? [...told.frontier] : told.points.map((_, k) => k)).sort((a, b) => this.x[a] - this.x[b]);
    this.switches.forEach((each, k) => each.setAttribute("aria-pressed", String(frontier === Boolean(k))));
    this.field.setAttribute("aria-label", frontier ? `number of ${told.counted}` : told.axis);
    this.field.setAttribute("aria-valuemin", 0);
    this.field.setAttribute("aria-valuemax", this.order.length - 1);
    if (this.size) this.redraw();
  }

  draw(width, height) {
    const { told } = this, names = this.frontier ? null : told.names, least = Math.min(...this.x);
    const log = !names && least > 0 && (this.frontier || Math.max(...this.x) > 10 * least);
    const others = names || this.frontier ? [] : told.others.map((line) => this.within(line, log)).filter((line) => line.spots.length);
    this.scale(width, height, { xs: [...this.order.map((k) => this.x[k]), ...others.flatMap((line) => line.spots.map(([x]) => x))], ends: told.ends, names, log });
    this.spots = told.points.map((_, k) => (told.errors[k] === null || !this.order.includes(k) ? null : [this.across(this.x[k]), this.up(told.errors[k])]));
    const { left, right } = this.box;
    if (told.band.length) {
      const [y, floor] = [this.up(told.band[1]), this.up(told.band[0])];
      this.add("rect", { x: left, width: right - left, y, height: Math.max(2, floor - y), class: "protoclass-band" });
    }
    this.axes(width, height, told.name !== "loss");
    for (const { name, spots } of others) {
      this.add("path", { d: spots.map(([x, error], k) => `${k ? "L" : "M"}${this.across(x)} ${this.up(error)}`).join(""), class: "protoclass-other" });
      const [x, error] = spots[0];
      this.add("text", { x: this.across(x), y: this.up(error) - 4 }, name);
    }
    const seen = this.order.filter((k) => this.spots[k]);
    this.add("path", { d: seen.map((k, at) => `${at ? "L" : "M"}${this.spots[k].join(" ")}`).join(""), class: "protoclass-line" });
    for (const k of seen) {
      const [x, y] = this.spots[k], error = told.errors[k], se = told.ses[k];
      if (se) this.add("line", { x1: x, x2: x, y1: this.up(error - se), y2: this.up(error + se), class: "protoclass-bar" });
      this.add("circle", { cx: x, cy: y, r: 2.6, class: "protoclass-dot" });
    }
    this.nameMarks(seen.filter((k) => told.marks[k]), width);
  }

  // The errors with another distance that have a place on these axes.
  within({ name, x, errors }, log) {
    const [low, high] = this.told.ends, spots = x.map((value, k) => [value, errors[k]]);
    return { name, spots: spots.filter(([value, error]) => error !== null && low <= error && error <= high && (!log || value > 0)) };
  }

  // The names of the two choices above them, which neither meet nor are cut.
  nameMarks(marked, width) {
    const long = marked.map((k) => widthOf(this.told.marks[k])), at = [];
    marked.forEach((k, i) => (at[i] = Math.max(i ? at[i - 1] + long[i - 1] + 14 : 2, this.spots[k][0] - long[i] / 2)));
    for (let i = marked.length - 1, end = width - 2; i >= 0; i--) {
      at[i] = Math.min(at[i], end - long[i]);
      end = at[i] - 14;
    }
    marked.forEach((k, i) => {
      const [x, y] = this.spots[k];
      this.add("line", { x1: x, x2: x, y1: 16, y2: y, class: "protoclass-mark" });
      this.add("text", { x: at[i], y: 12, class: "protoclass-named" }, this.told.marks[k]);
    });
  }

  ring() {
    super.ring();
    this.field.setAttribute("aria-valuenow", Math.max(0, this.order.indexOf(this.chosen)));
    this.field.setAttribute("aria-valuetext", this.told.words[this.chosen] || "");
  }

  outline(k, name, style) {
    const [cx, cy] = this.spots[k], ring = drawn("circle", { cx, cy, r: name === "chosen" ? 6.5 : 5, class: style });
    const line = name === "chosen" && style !== "protoclass-halo";
    return line ? [drawn("line", { x1: cx, x2: cx, y1: this.box.top - 4, y2: this.box.bottom, class: "protoclass-stand" }), ring] : [ring];
  }

  // The point next from left to right.
  reach(x, y) {
    if (!this.box || (!this.dragged && (x < this.box.left - 8 || x > this.box.right + 8 || y < 0))) return -1;
    const seen = this.order.filter((k) => this.spots[k]);
    return seen.reduce((best, k) => (best < 0 || Math.abs(this.spots[k][0] - x) < Math.abs(this.spots[best][0] - x) ? k : best), -1);
  }

  next(k, [dx, dy]) {
    const seen = this.order.filter((each) => this.spots[each]), at = seen.indexOf(k);
    return at < 0 ? seen[0] : seen[Math.min(seen.length - 1, Math.max(0, at + (dx || dy)))];
  }

  ends() {
    const seen = this.order.filter((k) => this.spots[k]);
    return [seen[0], seen[seen.length - 1]];
  }

  travel(k) {
    this.take(k);
  }
}
