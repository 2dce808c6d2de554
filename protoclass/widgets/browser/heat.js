// The error over two parameters: a cell for each grid point, where the other parameters stand as at the chosen one.

import { Chart, widthOf } from "./chart.js";
import { make, drawn } from "./element.js";

export class Heat extends Chart {
  constructor(told, choose) {
    super(told, choose);
    this.field.setAttribute("aria-label", `Cross-validated ${told.name} at ${told.points.length} grid points`);
    const items = [["choice", "1-SE choice"], ["least", `lowest ${told.name}`]];
    if (told.band.length) items.push(["", "( ) or dot: within 1 SE of the lowest"]);
    items.push(["", `from ${told.ends[0]} (light) to ${told.ends[1]} (dark)`]);
    this.key.replaceChildren(...items.map(([name, text]) => {
      const item = make("span", "item"), icon = drawn("svg", { width: 16, height: 14, "aria-hidden": "true" });
      if (name) icon.append(drawn("rect", { x: 2, y: 2, width: 12, height: 10, class: `protoclass-cell protoclass-${name}` }));
      item.append(...(name ? [icon] : []), text);
      return item;
    }));
  }

  mark(point) {
    const before = this.slice();
    super.mark(point);
    if (this.slice() !== before) this.redraw();
  }

  slice() {
    return this.told.slices[Math.max(0, this.chosen)];
  }

  draw(width, height) {
    const { told } = this, [columns, rows] = told.names, longest = Math.max(...rows.map(widthOf));
    const left = Math.min(width / 3, 28 + longest), right = width - 8, top = 8, bottom = height - 36;
    const [w, h] = [(right - left) / columns.length, (bottom - top) / rows.length];
    const inner = (k) => [left + told.places[k][0] * w, bottom - (told.places[k][1] + 1) * h];
    this.box = { left, right, top, bottom };
    this.cell = [w, h];
    this.spots = told.points.map((_, k) => (told.slices[k] === this.slice() ? inner(k).map((v, d) => v + [w, h][d] / 2) : null));
    this.spots.forEach((spot, k) => spot && this.square(k, inner(k), spot));
    const marked = told.points.map((_, k) => k).filter((k) => told.marks[k] && this.spots[k]);
    for (const k of marked) {
      const [x, y] = inner(k), kinds = told.marks[k].split(" and ").map((one) => (one.endsWith("choice") ? "choice" : "least"));
      kinds.forEach((kind) => {
        const inset = kind === "choice" ? 2.5 : 6, frame = { x: x + inset, y: y + inset, width: Math.max(1, w - 2 * inset), height: Math.max(1, h - 2 * inset) };
        this.add("rect", { ...frame, class: `protoclass-cell protoclass-under` });
        this.add("rect", { ...frame, class: `protoclass-cell protoclass-${kind}` });
      });
    }
    this.names(width, height);
  }

  square(k, [x, y], [cx, cy]) {
    const { told } = this, [w, h] = this.cell, error = told.errors[k], inside = told.band.length && error <= told.band[1];
    this.add("rect", { x, y, width: w - 1, height: h - 1, class: "protoclass-shade", opacity: told.shades[k] });
    if (error === null) return;
    const number = error.toFixed(3).replace(/^0\./, "."), text = inside ? `(${number})` : number;
    if (w > widthOf("(.123)") + 4 && h > 16) this.add("text", { x: cx, y: cy + 4, "text-anchor": "middle", class: "protoclass-number" }, text);
    else if (inside) this.add("circle", { cx, cy, r: 1.8, class: "protoclass-dot" });
  }

  // The values of the two parameters, as far as there is room.
  names(width, height) {
    const { told, box } = this, [columns, rows] = told.names, [w, h] = this.cell;
    let end = -Infinity;
    columns.forEach((name, i) => {
      const x = box.left + (i + 0.5) * w, half = widthOf(name) / 2;
      if (x - half < end + 6) return;
      this.add("text", { x, y: box.bottom + 14, "text-anchor": "middle" }, name);
      end = x + half;
    });
    const every = Math.max(1, Math.ceil(14 / h));
    rows.forEach((name, i) => i % every === 0 && this.add("text", { x: box.left - 5, y: box.bottom - (i + 0.5) * h + 4, "text-anchor": "end" }, name));
    this.add("text", { x: (box.left + box.right) / 2, y: height - 6, "text-anchor": "middle" }, told.axes[0]);
    this.add("text", { transform: `translate(12 ${(box.top + box.bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, told.axes[1]);
  }

  outline(k, name, style) {
    const [cx, cy] = this.spots[k], [w, h] = this.cell, by = name === "chosen" ? 0 : 3;
    return [drawn("rect", { x: cx - w / 2 + by, y: cy - h / 2 + by, width: Math.max(2, w - 2 * by), height: Math.max(2, h - 2 * by), class: style })];
  }

  reach(x, y) {
    if (!this.box) return -1;
    const [w, h] = this.cell;
    return this.spots.findIndex((spot) => spot && Math.abs(spot[0] - x) <= w / 2 && Math.abs(spot[1] - y) <= h / 2);
  }

  at(i, j) {
    return this.told.places.findIndex(([a, b], k) => this.spots[k] && a === i && b === j);
  }

  next(k, [dx, dy]) {
    const [i, j] = this.told.places[Math.max(0, k)];
    return this.at(i + dx, j + dy);
  }

  ends() {
    const [columns, rows] = this.told.names;
    return [this.at(0, 0), this.at(columns.length - 1, rows.length - 1)];
  }
}
