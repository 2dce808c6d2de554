// What a curve and a heat map share: grid points that pointer and keys reach, each with its words, of which one is chosen.

import { make, drawn } from "./element.js";
import { ticks } from "./frame.js";

const POINT_STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const ruler = document.createElement("canvas").getContext("2d");

// The width of a text of a chart.
export function widthOf(text) {
  ruler.font = "12px system-ui, sans-serif";
  return ruler.measureText(text).width;
}

export class Chart {
  // A drawing has `draw(width, height)`, after that the `spots` of its points or `spot(k)`, `outline(k, name, style)`, `reach(x, y)`,
  // `next(k, step)` and `ends()`.
  // `choose(point)` is called for what the user chooses.
  constructor(told, choose) {
    Object.assign(this, { told, choose, chosen: 0, here: -1, spots: [], size: "" });
    this.build();
    this.listen();
  }

  build() {
    this.element = make("div", "chart");
    this.field = make("div", "plot", "", { tabindex: 0, role: "application", "aria-roledescription": "chart" });
    this.svg = drawn("svg", { "aria-hidden": "true", focusable: "false" });
    this.rings = drawn("g");
    this.tip = make("div", "chart-tip", "", { "aria-hidden": "true" });
    this.field.append(this.svg, this.tip);
    this.key = make("div", "chart-key");
    this.said = make("div", "unseen", "", { "aria-live": "polite" });
    this.element.append(this.key, this.field, this.said);
  }

  listen() {
    const { field } = this, reach = (event) => {
      const box = field.getBoundingClientRect();
      return this.reach(event.clientX - box.left, event.clientY - box.top);
    };
    field.addEventListener("pointermove", (event) => this.hover(reach(event)));
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

  // The page may have another width.
  measure() {
    const { clientWidth: width, clientHeight: height } = this.field, size = `${width} ${height}`;
    if (!width || size === this.size) return;
    this.size = size;
    this.redraw();
  }

  redraw() {
    const [width, height] = this.size.split(" ").map(Number);
    if (!width) return;
    for (const [name, value] of Object.entries({ width, height })) this.svg.setAttribute(name, value);
    this.svg.replaceChildren();
    this.draw(width, height);
    if (!this.spot(this.here)) this.here = -1; // it is drawn no more
    this.svg.append(this.rings);
    this.ring();
  }

  spot(k) {
    return this.spots[k];
  }

  add(tag, attributes, text) {
    this.svg.append(drawn(tag, attributes, text));
  }

  // Mark the chosen point.
  mark(point) {
    this.chosen = this.told.points.indexOf(point);
    this.element.dataset.chosen = point;
    this.ring();
  }

  hover(k) {
    if (k === this.here) return;
    this.here = k;
    this.ring();
  }

  take(k) {
    if (k >= 0) this.choose(this.told.points[k]);
  }

  // The chosen point and the one under the pointer or the keys, with its words.
  ring() {
    this.rings.replaceChildren();
    if (!this.svg.childElementCount) return;
    for (const [k, name] of [[this.chosen, "chosen"], [this.here, "here"]]) {
      if (k < 0 || !this.spot(k)) continue;
      for (const style of ["halo", name]) this.rings.append(...this.outline(k, name, `protoclass-${style}`));
    }
    this.say();
  }

  say() {
    const { here } = this, words = here >= 0 ? this.told.words[here] : "";
    if (this.said.textContent !== words) this.said.textContent = words;
    this.tip.classList.toggle("protoclass-shown", here >= 0);
    this.field.classList.toggle("protoclass-on", here >= 0);
    if (here < 0) return;
    this.tip.textContent = words;
    const [x, y] = this.spot(here), wide = this.field.clientWidth, room = wide - this.tip.offsetWidth - 2;
    const high = this.tip.offsetHeight, above = y > this.field.clientHeight / 2;
    this.tip.style.transform = `translate(${Math.max(0, Math.min(x + 12, room))}px, ${above ? Math.max(0, y - high - 12) : y + 14}px)`;
  }

  // Where values across and errors are, in a drawing with these ends; named values stand at 0, 1, ....
  scale(width, height, { xs, ends: [least, most], names = null, log = false }) {
    const by = log ? Math.log10 : (value) => value, at = xs.map(by), pad = names ? 0.5 : 0.04 * (Math.max(...at) - Math.min(...at)) || 1;
    const [low, high] = [Math.min(...at) - pad, Math.max(...at) + pad], left = 50, right = width - 14, top = 20, bottom = height - 20;
    Object.assign(this, { box: { left, right, top, bottom }, span: { low, high, least, most, names, log } });
    this.across = (value) => left + ((by(value) - low) / (high - low)) * (right - left);
    this.up = (error) => Math.min(bottom, Math.max(top, bottom - ((error - least) / (most - least)) * (bottom - top)));
  }

  axes(width, height, share) {
    const { left, right, top, bottom } = this.box, { low, high, least, most, names, log } = this.span;
    for (const [value, text] of ticks(least, most, Math.max(2, (bottom - top) / 50))) {
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
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { key } = event, at = this.here >= 0 ? this.here : this.chosen, [first, last] = this.ends();
    let to = null;
    if (POINT_STEPS[key]) to = this.next(at, POINT_STEPS[key]);
    else if (key === "Home") to = first;
    else if (key === "End") to = last;
    else if (key === "Escape") to = -1;
    else if (key === "Enter" || key === " ") this.take(at);
    else return;
    event.preventDefault();
    if (to !== null && (to >= 0 || key === "Escape")) this.travel(to);
  }

  travel(k) {
    this.hover(k);
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
