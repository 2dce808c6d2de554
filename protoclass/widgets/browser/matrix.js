// The explorer of dissimilarities: a heat map of rows that are sorted by class and similarity, and two of them side by side.

import { Chart, ChartPage, widthOf } from "./chart.js";
import { code, labelled } from "./controls.js";
import { box, drawn, make } from "./element.js";
import { Metric } from "./metric.js";
import { unpack } from "./reel.js";
import { Values } from "./values.js";
import { writeNumber } from "./words.js";

const BAND = 8, LEAST = 5; // pixels of a class at the margin, and of a frame around a cell

// Cells by their number, row after row.
class Cells extends Chart {
  constructor(told, choose) {
    super({ ...told, values: unpack(told.values), row_codes: unpack(told.row_codes), column_codes: unpack(told.column_codes) }, choose);
    const { rows, columns, classes, shades, ends } = this.told, scale = make("span", "scale");
    scale.style.background = `linear-gradient(to right, ${shades.map((shade) => `rgb(${shade})`).join(", ")})`;
    this.field.setAttribute("aria-label", `Dissimilarities of ${rows.length} rows to ${columns.length} candidates`);
    this.key.append(ends[0], scale, ends[1], ...(classes.length < 2 ? [] : classes).map(({ name, colour }) => {
      const item = make("span", "item"), swatch = make("span", "swatch");
      swatch.style.background = colour;
      item.append(swatch, make("span", "name", name, { title: name }));
      return item;
    }));
    this.image = this.paint();
  }

  // The value of row i and column j; of a symmetric matrix half the values are known.
  at(i, j) {
    const { values, symmetric, columns: { length: n } } = this.told, [a, b] = i < j ? [i, j] : [j, i];
    return symmetric ? values[a * n - (a * (a - 1)) / 2 + b - a] : values[i * n + j];
  }

  place(k) {
    const { length: n } = this.told.columns;
    return [Math.floor(k / n), k % n];
  }

  words(k) {
    const [i, j] = this.place(k), { rows, columns, row_codes: a, column_codes: b, classes } = this.told;
    const of = (name, at) => (classes.length < 2 ? name : `${name} (${classes[at].name})`);
    return `${of(rows[i], a[i])} and ${of(columns[j], b[j])}: ${writeNumber(this.at(i, j))}`;
  }

  // One dot for each cell.
  paint() {
    const { rows, columns, shades, low, high } = this.told, canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [columns.length, rows.length];
    const ctx = canvas.getContext("2d"), image = ctx.createImageData(columns.length, rows.length), last = shades.length - 1;
    for (let k = 0; k < rows.length * columns.length; k++) {
      const share = Math.min(1, Math.max(0, (this.at(...this.place(k)) - low) / (high - low || 1))) * last, at = Math.min(last - 1, Math.floor(share));
      for (let c = 0; c < 3; c++) image.data[4 * k + c] = shades[at][c] + (share - at) * (shades[at + 1][c] - shades[at][c]);
      image.data[4 * k + 3] = 255;
    }
    ctx.putImageData(image, 0, 0);
    return canvas.toDataURL();
  }

  draw(width, height) {
    const { rows, columns, row_codes, column_codes, square } = this.told, room = [width - BAND - 3, height - BAND - 3], side = Math.min(...room);
    const [w, h] = (square ? [side, side] : room).map((long, d) => long / [columns, rows][d].length), left = BAND + 2, top = BAND + 2;
    Object.assign(this, { cell: [w, h], box: { left, top, right: left + w * columns.length, bottom: top + h * rows.length } });
    this.add("image", { href: this.image, x: left, y: top, width: w * columns.length, height: h * rows.length, preserveAspectRatio: "none",
      "image-rendering": w > 1 && h > 1 ? "pixelated" : "auto" });
    this.margin(row_codes, h, (at, long) => ({ x: 0, y: top + at, width: BAND, height: long }), (at) => ({ x1: left, x2: this.box.right, y1: top + at, y2: top + at }));
    this.margin(column_codes, w, (at, long) => ({ x: left + at, y: 0, width: long, height: BAND }), (at) => ({ x1: left + at, x2: left + at, y1: top, y2: this.box.bottom }));
  }

  // The classes beside the rows, and lines between them.
  margin(codes, step, band, line) {
    for (let from = 0, to = 1; this.told.classes.length > 1 && to <= codes.length; to++) {
      if (to < codes.length && codes[to] === codes[from]) continue;
      this.add("rect", { ...band(from * step, (to - from) * step), fill: this.told.classes[codes[from]].colour });
      if (from) this.add("line", { ...line(from * step), class: "protoclass-gridded" });
      from = to;
    }
  }

  spot(k) {
    if (k < 0) return null;
    const [i, j] = this.place(k), [w, h] = this.cell;
    return [this.box.left + (j + 0.5) * w, this.box.top + (i + 0.5) * h];
  }

  mark(point) {
    this.chosen = point;
    this.element.dataset.chosen = point;
    this.ring();
  }

  take(k) {
    if (k >= 0) this.choose(k);
  }

  outline(k, name, style) {
    const [cx, cy] = this.spot(k), [w, h] = this.cell.map((long) => Math.max(LEAST, long)), { left, right, top, bottom } = this.box;
    const frame = drawn("rect", { x: cx - w / 2, y: cy - h / 2, width: w, height: h, class: style });
    if (name !== "chosen" || style === "protoclass-halo") return [frame];
    const cross = `M${left} ${cy}H${cx - w / 2}M${cx + w / 2} ${cy}H${right}M${cx} ${top}V${cy - h / 2}M${cx} ${cy + h / 2}V${bottom}`;
    return [drawn("path", { d: cross, class: "protoclass-cross" }), frame];
  }

  reach(x, y) {
    const { rows, columns } = this.told, [i, j] = this.box ? [(y - this.box.top) / this.cell[1], (x - this.box.left) / this.cell[0]] : [-1, -1];
    return i >= 0 && j >= 0 && i < rows.length && j < columns.length ? Math.floor(i) * columns.length + Math.floor(j) : -1;
  }

  next(k, [dx, dy]) {
    const { rows, columns } = this.told, [i, j] = this.place(Math.max(0, k)), within = (at, most) => Math.min(most - 1, Math.max(0, at));
    return within(i - dy, rows.length) * columns.length + within(j + dx, columns.length);
  }

  ends() {
    return [0, this.told.rows.length * this.told.columns.length - 1];
  }
}

export class Matrix extends ChartPage {
  constructor(root, told, python) {
    super(root, told, python, Cells, told.matrix);
    this.fields = told.fields.map((field) => ({ ...field, values: unpack(field.values) }));
    this.metric = new Metric(told.metric, this.fields);
    this.values = new Values(this);
    this.finders = ["rows", "columns"].map((side, d) => {
      const input = make("input", "", "", { type: "search", placeholder: "label, Enter", size: 10 });
      input.addEventListener("change", () => this.find(side, d, input.value.trim()));
      return input;
    });
    this.card = make("div", "card", "", { "aria-live": "polite" });
    this.problem = make("p", "problem", "", { role: "alert" });
    const labels = ["Row", told.matrix.square ? "Column" : "Candidate"].map((text, d) => labelled(text, this.finders[d]));
    this.panel.append(this.card, box("card", box("controls", ...labels), this.problem, ...told.notes.map((note) => make("p", "soft", note))));
    this.update();
  }

  find(side, d, name) {
    const at = this.told.matrix[side].indexOf(name), place = this.point < 0 ? [0, 0] : this.chart.place(this.point);
    this.problem.textContent = at < 0 ? `The picture has no row with the label ${name}.` : "";
    if (at < 0) return;
    place[d] = at;
    this.choose(place[0] * this.told.matrix.columns.length + place[1]);
  }

  update() {
    const { told, chart, metric, fields, values, point } = this, { rows, columns, square, quotes } = told.matrix, words = point < 0 ? "no cell" : chart.words(point);
    super.update(words);
    this.problem.textContent = "";
    if (point < 0) {
      this.card.replaceChildren(make("h2", "", "Select two rows"), make("p", "soft", "Click a cell of the picture, or use the arrow keys and Enter, to compare its row with its column."));
      return;
    }
    const [i, j] = chart.place(point), names = [rows[i], columns[j]], pair = [i, square ? j : rows.length + j].map((at) => metric.row(at));
    this.finders.forEach((input, d) => (input.value = names[d]));
    const parts = metric.works ? [metric.parts(...pair).parts] : [], line = names.map((name) => (quotes ? JSON.stringify(name) : name)).join(", ");
    const table = fields.length ? [values.sideBySide(pair.map((each, d) => ({ head: names[d], values: each })), parts, ["var(--accent)"])] : [];
    this.card.replaceChildren(make("h2", "", words), ...table, ...(metric.reason && fields.length > 1 ? [values.undivided()] : []), code(`dissimilarity.frame().loc[${line}]`));
  }

  hear({ problem }) {
    this.problem.textContent = problem || "";
  }
}
