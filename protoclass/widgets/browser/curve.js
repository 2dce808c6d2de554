// The error over one parameter: dots with one standard error, and which have the least error and are the 1-SE choice.

import { Chart, widthOf } from "./chart.js";
import { make, drawn } from "./element.js";
import { ticks } from "./frame.js";

const ROOMY = 220, STRIP = 44;

export class Curve extends Chart {
  constructor(told, choose) {
    super(told, choose);
    this.order = told.points.map((_, k) => k).sort((a, b) => told.x[a] - told.x[b]);
    const items = [["dot", `held-out ${told.name}, ± 1 SE`]];
    if (told.marks.some((mark) => mark.startsWith("least"))) items.push(["least", `least ${told.name}`]);
    if (told.marks.some((mark) => mark.endsWith("choice"))) items.push(["choice", "1-SE choice"]);
    if (told.band.length) items.push(["band", "within 1 SE of the least"]);
    this.key.replaceChildren(...items.map(([name, text]) => {
      const item = make("span", "item"), icon = drawn("svg", { width: 22, height: 12, "aria-hidden": "true" });
      if (name === "dot") icon.append(drawn("path", { d: "M2 6H20M11 1V11", class: "protoclass-bar" }), drawn("circle", { cx: 11, cy: 6, r: 3.5, class: "protoclass-dot" }));
      else if (name === "band") icon.append(drawn("rect", { width: 22, height: 12, class: "protoclass-band" }));
      else icon.append(drawn("path", { d: "M11 0V12", class: `protoclass-${name}` }));
      item.append(icon, text);
      return item;
    }));
  }

  // Where the values lie on the screen.
  scale(width, height, roomy, strips) {
    const { told } = this, by = told.log ? Math.log10 : (value) => value, places = told.x.map(by);
    let low = Math.min(...places), high = Math.max(...places);
    const pad = told.names ? 0.5 : 0.04 * (high - low) || 1;
    [low, high] = [low - pad, high + pad];
    const box = { left: 50, right: width - (roomy ? 24 : 12), top: roomy ? 40 : 20, bottom: height - 36 - (strips.length ? STRIP + 20 : 0) };
    const [least, most] = told.ends;
    this.box = box;
    this.range = [low, high];
    this.x = (value) => box.left + ((by(value) - low) / (high - low)) * (box.right - box.left);
    this.y = (error) => box.bottom - ((error - least) / (most - least)) * (box.bottom - box.top);
    this.spots = told.errors.map((error, k) => (error === null ? null : [this.x(told.x[k]), this.y(error)]));
  }

  draw(width, height) {
    const { told } = this, roomy = height > ROOMY, strips = roomy ? told.strips : [];
    this.scale(width, height, roomy, strips);
    const { left, right, top, bottom } = this.box, across = { x1: left, x2: right };
    if (told.band.length) {
      const [high, low] = [this.y(Math.min(told.band[1], told.ends[1])), this.y(told.band[0])];
      this.add("rect", { x: left, width: right - left, y: high, height: Math.max(0, low - high), class: "protoclass-band" });
    }
    for (const [value, text] of ticks(...told.ends, (bottom - top) / 36)) {
      const y = this.y(value);
      this.add("line", { ...across, y1: y, y2: y, class: "protoclass-rule" });
      this.add("text", { x: left - 5, y: y + 4, "text-anchor": "end" }, text);
    }
    this.nameMarks(width);
    this.dots();
    if (roomy) this.sizes();
    if (roomy) this.noInformation();
    if (strips.length) this.strips(strips);
    this.across(strips.length ? bottom + 20 + STRIP : bottom);
    const words = roomy ? told.axis : `${told.axis}; ${told.name}, cross-validated`;
    this.add("text", { x: (left + right) / 2, y: height - 6, "text-anchor": "middle" }, words + (told.log ? " (log scale)" : ""));
    if (roomy) this.add("text", { transform: `translate(11 ${(top + bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, told.measure);
  }

  // Lines at the least error and at the 1-SE choice, with their names above, which do not meet.
  nameMarks(width) {
    const { told } = this, { top, bottom } = this.box, marked = this.order.filter((k) => told.marks[k]);
    const long = marked.map((k) => widthOf(told.marks[k])), from = [];
    let end = 0;
    marked.forEach((k, at) => {  // to the right of the name before
      const x = this.x(told.x[k]);
      const wanted = at < marked.length - 1 || x + long[at] > width ? x - 3 - long[at] : x + 3;
      from[at] = Math.max(end, wanted);
      end = from[at] + long[at] + 12;
    });
    end = width;
    for (let at = marked.length - 1; at >= 0; at -= 1) {  // and inside the picture
      from[at] = Math.min(from[at], end - long[at]);
      end = from[at] - 12;
    }
    marked.forEach((k, at) => {
      const x = this.x(told.x[k]), text = told.marks[k];
      const kinds = text.split(" and ").map((one) => (one.endsWith("choice") ? "choice" : "least"));
      for (const kind of kinds) this.add("line", { x1: x, x2: x, y1: top - 4, y2: bottom, class: `protoclass-${kind}` });
      this.add("text", { x: from[at], y: 13 }, text);
    });
  }

  dots() {
    const { told, order } = this, { top, bottom } = this.box, within = (y) => Math.min(bottom, Math.max(top, y));
    const seen = order.filter((k) => this.spots[k]);
    this.add("path", { d: seen.map((k, at) => `${at ? "L" : "M"}${this.spots[k].join(" ")}`).join(""), class: "protoclass-line" });
    for (const k of seen) {
      const [x, y] = this.spots[k], error = told.errors[k], se = told.ses[k];
      if (se) this.add("line", { x1: x, x2: x, y1: within(this.y(error - se)), y2: within(this.y(error + se)), class: "protoclass-bar" });
      this.add("circle", { cx: x, cy: y, r: told.marks[k] ? 4.5 : 3.2, class: "protoclass-dot" });
    }
  }

  // The sizes above the Axes, as far as there is room.
  sizes() {
    const { told, box } = this;
    let end = -Infinity;
    this.add("text", { x: box.left - 5, y: 30, "text-anchor": "end" }, "size");
    for (const k of this.order) {
      const x = this.x(told.x[k]), half = widthOf(told.sizes[k]) / 2;
      if (x - half < end + 8) continue;
      this.add("text", { x, y: 30, "text-anchor": "middle" }, told.sizes[k]);
      this.add("line", { x1: x, x2: x, y1: box.top - 4, y2: box.top, class: "protoclass-tick" });
      end = x + half;
    }
  }

  // What always predicting the most common class gets, as a mark at the right edge.
  noInformation() {
    const { told, box } = this, value = told.no_information, above = value > told.ends[1];
    const y = Math.min(box.bottom, Math.max(box.top, this.y(value))), low = y > (box.top + box.bottom) / 2;
    const arrow = above ? `M${box.right} ${y}l6 9h-12z` : `M${box.right} ${y}l9 -6v12z`;
    this.add("path", { d: arrow, class: "protoclass-solid" });
    const words = `no information: ${Number(value.toPrecision(3))}${above ? " (above)" : ""}`, at = low ? y - 10 : y + 12;
    this.add("text", { transform: `translate(${box.right + 16} ${at}) rotate(-90)`, "text-anchor": low ? "start" : "end" }, words);
  }

  // What has another scale than the errors, below them.
  strips(strips) {
    const { left, right, bottom } = this.box, top = bottom + 20, most = Math.max(...strips.map((strip) => strip.top));
    const y = (value) => top + STRIP - (value / most) * STRIP, names = strips.map((strip) => strip.name).join(" and ");
    this.add("text", { x: left, y: top - 4 }, `${names} (a scale of its own)`);
    for (const value of [0, most / 1.1]) {
      this.add("line", { x1: left, x2: right, y1: y(value), y2: y(value), class: "protoclass-rule" });
      this.add("text", { x: left - 5, y: y(value) + 4, "text-anchor": "end" }, String(Number(value.toPrecision(2))));
    }
    strips.forEach((strip, at) => {
      const seen = this.order.filter((k) => strip.values[k] !== null);
      const d = seen.map((k, first) => `${first ? "L" : "M"}${this.x(this.told.x[k])} ${y(strip.values[k])}`).join("");
      this.add("path", { d, class: `protoclass-line protoclass-strip-${at}` });
    });
  }

  // The values of the parameter.
  across(y) {
    const { told, box } = this, [low, high] = this.range;
    const own = told.names && told.names.map((name, k) => [k, name]);
    const found = own || (told.log ? logTicks(low, high, (box.right - box.left) / 55) : ticks(low, high, (box.right - box.left) / 70));
    let end = -Infinity;
    this.add("line", { x1: box.left, x2: box.right, y1: y, y2: y, class: "protoclass-tick" });
    for (const [value, text] of found) {
      const x = this.x(value), half = widthOf(text) / 2;
      if (x - half < end + 6) continue;
      this.add("line", { x1: x, x2: x, y1: y, y2: y + 4, class: "protoclass-tick" });
      this.add("text", { x, y: y + 16, "text-anchor": "middle" }, text);
      end = x + half;
    }
  }

  outline(k, name, style) {
    const { top, bottom } = this.box, [cx, cy] = this.spots[k], ring = drawn("circle", { cx, cy, r: name === "chosen" ? 8.5 : 6, class: style });
    const line = name === "chosen" && style !== "protoclass-halo";
    return line ? [drawn("line", { x1: cx, x2: cx, y1: top, y2: bottom, class: "protoclass-stand" }), ring] : [ring];
  }

  // The point next from left to right.
  reach(x, y) {
    if (!this.box || x < this.box.left - 8 || x > this.box.right + 8 || y < 0) return -1;
    const seen = this.order.filter((k) => this.spots[k]);
    return seen.reduce((best, k) => (best < 0 || Math.abs(this.spots[k][0] - x) < Math.abs(this.spots[best][0] - x) ? k : best), -1);
  }

  next(k, [step]) {
    const seen = this.order.filter((each) => this.spots[each]), at = seen.indexOf(k);
    if (!step) return -1;
    return at < 0 ? seen[0] : seen[Math.min(seen.length - 1, Math.max(0, at + step))];
  }

  ends() {
    const seen = this.order.filter((k) => this.spots[k]);
    return [seen[0], seen[seen.length - 1]];
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
