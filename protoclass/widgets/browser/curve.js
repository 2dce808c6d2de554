// The error over one parameter, or over the number of prototypes, as a slider: dots with one standard error, the 1-SE band, and the
// choice. It chooses at once, by pointer and by arrow keys.

import { box, button, drawn, make } from "./element.js";
import { ticks } from "./frame.js";

const BREAK = 0.25; // of an axis that no point needs
const STEPS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, Home: -Infinity, End: Infinity };
const ruler = document.createElement("canvas").getContext("2d");

// The width of a text of a chart.
function widthOf(text) {
  ruler.font = "12px system-ui, sans-serif";
  return ruler.measureText(text).width;
}

export class Curve {
  // `choose(point)` is called for what the user chooses.
  constructor(sent, choose) {
    Object.assign(this, { sent, choose, chosen: 0, here: -1, spots: [], size: "" });
    this.build();
    this.by(false);
    this.listen();
  }

  build() {
    const { sent } = this, title = `${sent.name[0].toUpperCase()}${sent.name.slice(1)} by`;
    this.element = make("div", "chart");
    this.field = make("div", "plot", "", { tabindex: 0, role: "slider", "aria-valuemin": 0 });
    this.svg = drawn("svg", { "aria-hidden": "true", focusable: "false" });
    this.rings = drawn("g");
    this.tip = make("div", "chart-tip", "", { "aria-hidden": "true" });
    this.field.append(this.svg, this.tip);
    this.key = make("div", "chart-key");
    const ways = sent.frontier.length ? [[sent.axis, false], [`number of ${sent.counted}`, true]] : [];
    this.switches = ways.map(([name, frontier]) => button("tool", name, () => this.by(frontier)));
    this.key.append(title, ...(this.switches.length ? this.switches : [` ${sent.axis}`]));
    this.element.append(this.field, this.key);
  }

  listen() {
    const { field } = this, reach = (event) => {
      const at = field.getBoundingClientRect();
      return this.reach(event.clientX - at.left, event.clientY - at.top);
    };
    field.addEventListener("pointerdown", (event) => {
      field.setPointerCapture(event.pointerId);
      this.dragged = true;
    });
    field.addEventListener("pointermove", (event) => {
      this.hover(reach(event));
      if (this.dragged && this.here !== this.chosen) this.take(this.here);
    });
    for (const event of ["pointerup", "pointercancel"]) field.addEventListener(event, () => (this.dragged = false));
    field.addEventListener("pointerleave", () => this.hover(-1));
    field.addEventListener("click", (event) => this.take(reach(event)));
    field.addEventListener("keydown", (event) => this.press(event));
    field.addEventListener("blur", () => this.hover(-1));
    this.watcher = new ResizeObserver(() => this.measure());
    this.watcher.observe(field);
  }

  close() {
    this.watcher.disconnect();
  }

  // Over the parameter, or over the number of prototypes, where only the points are shown that none beats.
  by(frontier) {
    const { sent, field } = this;
    Object.assign(this, { frontier, x: frontier ? sent.size_values : sent.x });
    this.order = (frontier ? [...sent.frontier] : sent.points.map((_, k) => k)).filter((k) => sent.errors[k] !== null).sort((a, b) => this.x[a] - this.x[b]);
    this.switches.forEach((each, k) => each.setAttribute("aria-pressed", String(frontier === Boolean(k))));
    field.setAttribute("aria-label", frontier ? `number of ${sent.counted}` : sent.axis);
    field.setAttribute("aria-valuemax", this.order.length - 1);
    if (this.size) this.redraw();
  }

  // The page may have another width.
  measure() {
    const { clientWidth: width, clientHeight: height } = this.field, size = `${width} ${height}`;
    if (!width || size === this.size) return;
    this.size = size;
    this.redraw();
  }

  redraw() {
    const [width, height] = this.size.split(" ").map(Number);
    for (const [name, value] of Object.entries({ width, height })) this.svg.setAttribute(name, value);
    this.svg.replaceChildren();
    this.draw(width, height);
    this.here = -1;
    this.svg.append(this.rings);
    this.ring();
  }

  add(tag, attributes, text) {
    this.svg.append(drawn(tag, attributes, text));
  }

  draw(width, height) {
    const { sent } = this, names = this.frontier ? null : sent.names, least = Math.min(...this.x);
    const log = !names && least > 0 && (this.frontier || Math.max(...this.x) > 10 * least);
    this.scale(width, height, this.order.map((k) => this.x[k]), names, log);
    this.spots = sent.points.map((_, k) => (this.order.includes(k) ? [this.across(this.x[k]), this.up(sent.errors[k])] : null));
    const { left, right } = this.box;
    if (sent.band.length) {
      const [y, floor] = [this.up(sent.band[1]), this.up(sent.band[0])];
      this.add("rect", { x: left, width: right - left, y, height: Math.max(2, floor - y), class: "protoclass-band" });
    }
    this.axes(width, height, names, log);
    this.add("path", { d: this.order.map((k, at) => `${at ? "L" : "M"}${this.spots[k].join(" ")}`).join(""), class: "protoclass-line" });
    for (const k of this.order) {
      const [x, y] = this.spots[k], error = sent.errors[k], se = sent.ses[k];
      if (se) this.add("line", { x1: x, x2: x, y1: this.up(error - se), y2: this.up(error + se), class: "protoclass-bar" });
      this.add("circle", { cx: x, cy: y, r: 2.6, class: "protoclass-dot" });
    }
    this.nameMarks(this.order.filter((k) => sent.marks[k]), width);
  }

  // Where values across and errors are; named values stand at 0, 1, .... If the smallest value is far from the others, the axis is broken
  // between them.
  scale(width, height, xs, names, log) {
    const by = log ? Math.log10 : (value) => value, at = xs.map(by), pad = names ? 0.5 : 0.04 * (Math.max(...at) - Math.min(...at)) || 1;
    const own = this.order.map((k) => by(this.x[k])), far = !names && own.length > 4 && own[1] - own[0] > BREAK * (own.at(-1) - own[0]);
    const [low, high] = [far ? own[1] - pad / 2 : Math.min(...at) - pad, Math.max(...at) + pad], [least, most] = this.sent.ends;
    const left = 50, right = width - 14, top = 20, bottom = height - 20, start = far ? left + 46 : left;
    Object.assign(this, { box: { left, right, top, bottom }, span: [low, high], start, first: far ? this.x[this.order[0]] : null });
    this.across = (value) => (by(value) < low ? left + 14 : start + ((by(value) - low) / (high - low)) * (right - start));
    this.up = (error) => Math.min(bottom, Math.max(top, bottom - ((error - least) / (most - least)) * (bottom - top)));
  }

  axes(width, height, names, log) {
    const { left, right, top, bottom } = this.box, [low, high] = this.span, share = this.sent.name !== "loss";
    for (const [value, text] of ticks(...this.sent.ends, Math.max(2, (bottom - top) / 50))) {
      this.add("line", { x1: left, x2: right, y1: this.up(value), y2: this.up(value), class: "protoclass-rule" });
      this.add("text", { x: left - 8, y: this.up(value) + 4, "text-anchor": "end" }, share ? `${Number((100 * value).toPrecision(6))}%` : text);
    }
    const known = names ? names.map((name, k) => [k, name]) : log ? logTicks(low, high, (right - left) / 55) : ticks(low, high, (right - left) / 70);
    if (this.first !== null) {
      known.unshift([this.first, String(Number(this.first.toPrecision(2)))]);
      this.add("path", { d: `M${this.start - 14} ${bottom + 4}l5 -8m4 0l-5 8`, class: "protoclass-line" });
    }
    let end = -Infinity;
    for (const [value, text] of known) {
      const x = this.across(value), half = widthOf(text) / 2;
      if (x - half < end + 8 || x + half > width) continue;
      this.add("text", { x, y: height - 5, "text-anchor": "middle" }, text);
      end = x + half;
    }
  }

  // The names of the two choices above them, which neither meet nor are cut.
  nameMarks(marked, width) {
    const long = marked.map((k) => widthOf(this.sent.marks[k])), at = [];
    marked.forEach((k, i) => (at[i] = Math.max(i ? at[i - 1] + long[i - 1] + 14 : 2, this.spots[k][0] - long[i] / 2)));
    for (let i = marked.length - 1, end = width - 2; i >= 0; i--) {
      at[i] = Math.min(at[i], end - long[i]);
      end = at[i] - 14;
    }
    marked.forEach((k, i) => {
      const [x, y] = this.spots[k];
      this.add("line", { x1: x, x2: x, y1: 16, y2: y, class: "protoclass-mark" });
      this.add("text", { x: at[i], y: 12, class: "protoclass-named" }, this.sent.marks[k]);
    });
  }

  // Mark the chosen point.
  mark(point) {
    this.chosen = this.sent.points.indexOf(point);
    this.element.dataset.chosen = point;
    this.ring();
  }

  hover(k) {
    if (k !== this.here) this.ring((this.here = k));
  }

  take(k) {
    if (k >= 0) this.choose(this.sent.points[k]);
  }

  // The chosen point and the one under the pointer, with its words.
  ring() {
    this.rings.replaceChildren();
    this.field.setAttribute("aria-valuenow", Math.max(0, this.order.indexOf(this.chosen)));
    this.field.setAttribute("aria-valuetext", this.sent.words[this.chosen] || "");
    for (const [k, name, r] of [[this.chosen, "chosen", 6.5], [this.here, "here", 5]]) {
      if (!this.spots[k]) continue;
      const [cx, cy] = this.spots[k], { top, bottom } = this.box;
      this.rings.append(drawn("circle", { cx, cy, r, class: "protoclass-halo" }));
      if (name === "chosen") this.rings.append(drawn("line", { x1: cx, x2: cx, y1: top - 4, y2: bottom, class: "protoclass-stand" }));
      this.rings.append(drawn("circle", { cx, cy, r, class: `protoclass-${name}` }));
    }
    this.say();
  }

  say() {
    const { here } = this;
    this.tip.classList.toggle("protoclass-shown", here >= 0);
    this.field.classList.toggle("protoclass-on", here >= 0);
    if (here < 0) return;
    this.tip.textContent = this.sent.words[here];
    const [x, y] = this.spots[here], wide = this.field.clientWidth, room = wide - this.tip.offsetWidth - 2;
    const high = this.tip.offsetHeight, above = y > this.field.clientHeight / 2;
    this.tip.style.transform = `translate(${Math.max(0, Math.min(x + 12, room))}px, ${above ? Math.max(0, y - high - 12) : y + 14}px)`;
  }

  // The point next from left to right.
  reach(x, y) {
    if (!this.box || (!this.dragged && (x < this.box.left - 8 || x > this.box.right + 8 || y < 0))) return -1;
    return this.order.reduce((best, k) => (best < 0 || Math.abs(this.spots[k][0] - x) < Math.abs(this.spots[best][0] - x) ? k : best), -1);
  }

  press(event) {
    const step = STEPS[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey || !step) return;
    event.preventDefault();
    this.take(this.order[Math.min(this.order.length - 1, Math.max(0, this.order.indexOf(this.chosen) + step))]);
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
