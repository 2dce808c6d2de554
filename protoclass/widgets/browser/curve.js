// The error over one parameter, or over the number of prototypes, as a slider: dots with one standard error, the 1-SE band, and the
// choice. It chooses at once, by pointer and by arrow keys.

import { Chart, widthOf } from "./chart.js";
import { box, button, drawn } from "./element.js";
import { ticks } from "./frame.js";

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
    const { told } = this, names = this.frontier ? null : told.names, least = Math.min(...this.x), log = !names && least > 0 && (this.frontier || Math.max(...this.x) > 10 * least);
    const by = log ? Math.log10 : (value) => value, xs = this.order.map((k) => by(this.x[k])), [bottomError, topError] = told.ends;
    const pad = names ? 0.5 : 0.04 * (Math.max(...xs) - Math.min(...xs)) || 1, [low, high] = [Math.min(...xs) - pad, Math.max(...xs) + pad];
    const left = 50, right = width - 14, top = 20, bottom = height - 20;
    this.box = { left, right, top, bottom };
    this.across = (value) => left + ((by(value) - low) / (high - low)) * (right - left);
    this.up = (error) => Math.min(bottom, Math.max(top, bottom - ((error - bottomError) / (topError - bottomError)) * (bottom - top)));
    this.spots = told.points.map((_, k) => (told.errors[k] === null || !this.order.includes(k) ? null : [this.across(this.x[k]), this.up(told.errors[k])]));
    if (told.band.length) {
      const [y, floor] = [this.up(told.band[1]), this.up(told.band[0])];
      this.add("rect", { x: left, width: right - left, y, height: Math.max(2, floor - y), class: "protoclass-band" });
    }
    const share = told.name !== "loss";
    for (const [value, text] of ticks(bottomError, topError, Math.max(2, (bottom - top) / 50))) {
      this.add("line", { x1: left, x2: right, y1: this.up(value), y2: this.up(value), class: "protoclass-rule" });
      this.add("text", { x: left - 8, y: this.up(value) + 4, "text-anchor": "end" }, share ? `${Number((100 * value).toPrecision(6))} %` : text);
    }
    const known = names ? names.map((name, k) => [k, name]) : log ? logTicks(low, high, (right - left) / 55) : ticks(low, high, (right - left) / 70);
    let end = -Infinity;
    for (const [value, text] of known) {
      const x = this.across(value), half = widthOf(text) / 2;
      if (x - half < end + 8 || x + half > width) continue;
      this.add("text", { x, y: height - 5, "text-anchor": "middle" }, text);
      end = x + half;
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

// Round numbers between two powers of ten, with their texts.
function logTicks(low, high, about) {
  const out = [], digits = high - low > about / 2 ? [1] : [1, 2, 5];
  for (let power = Math.floor(low); power <= high; power++) {
    for (const digit of digits) {
      const value = digit * 10 ** power, at = Math.log10(value);
      if (at >= low && at <= high) out.push([value, String(Number(value.toPrecision(3)))]);
    }
  }
  return out;
}
