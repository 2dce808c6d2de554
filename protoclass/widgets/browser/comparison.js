// The explorer of a comparison: the errors of the methods by their numbers of prototypes, and a table of the methods.

import { Chart, ChartPage } from "./chart.js";
import { table } from "./controls.js";
import { button, drawn, make } from "./element.js";
import { shape } from "./marks.js";

// A colour of a method where it meets paper of any theme.
const inked = (colour) => `color-mix(in srgb, ${colour} 80%, var(--ink))`;

function marked({ mark, colour }) {
  const svg = drawn("svg", { width: 14, height: 14, viewBox: "-7 -7 14 14", "aria-hidden": "true" });
  svg.append(drawn("path", { d: shape(mark, 4.5), fill: inked(colour) }));
  return svg;
}

// Points of methods: the model that each selected, with its interval, and a line of those with fewer prototypes.
class Frontiers extends Chart {
  constructor(told, choose) {
    super(told, choose);
    const { lines, of } = told;
    this.field.setAttribute("aria-label", `Test errors of ${lines.length} methods by their number of prototypes`);
    this.key.append("Test error by number of prototypes. Large marks: selected models with 95 % intervals.", of.length > lines.length ? " Lines: at most so many prototypes, with 1 SE." : "");
  }

  draw(width, height) {
    const { x, errors, ses, lows, highs, lines, ends } = this.told, known = x.filter((value) => value !== null);
    this.scale(width, height, { xs: known.length ? known : [1], ends, log: true });
    this.axes(width, height, true);
    this.spots = x.map((value, k) => [value === null ? this.box.right - 8 : this.across(value), this.up(errors[k])]);
    lines.forEach(({ colour, mark, points: [first, ...rest] }) => {
      const style = { stroke: inked(colour), fill: "none" }, [cx, cy] = this.spots[first];
      const path = (places) => places.map(([a, b], at) => `${at ? "L" : "M"}${a} ${b}`).join("");
      if (rest.some((k) => ses[k] !== null)) {
        const edge = (sign) => rest.map((k) => [this.spots[k][0], this.up(errors[k] + sign * (ses[k] || 0))]);
        this.add("path", { d: `${path([...edge(1), ...edge(-1).reverse()])}Z`, fill: inked(colour), opacity: 0.12 });
      }
      this.add("path", { d: path(rest.map((k) => this.spots[k])), "stroke-width": 1.6, ...style });
      for (const k of rest) this.add("circle", { cx: this.spots[k][0], cy: this.spots[k][1], r: 2, fill: inked(colour) });
      if (x[first] === null) this.add("path", { d: `M${this.box.left} ${cy}H${cx}`, "stroke-dasharray": "5 4", ...style });
      if (lows[first] !== null) this.add("path", { d: `M${cx - 4} ${this.up(lows[first])}h8m-4 0V${this.up(highs[first])}m-4 0h8`, "stroke-width": 1.4, ...style });
      this.add("path", { d: shape(mark, 6), transform: `translate(${cx} ${cy})`, fill: inked(colour), stroke: "var(--paper)", "stroke-width": 1.2 });
    });
  }

  outline(k, name, style) {
    const [cx, cy] = this.spots[k];
    return [drawn("circle", { cx, cy, r: name === "chosen" ? 11 : 8, class: `${style} protoclass-open` })];
  }

  reach(x, y) {
    const far = this.spots.map(([a, b]) => Math.hypot(a - x, b - y)), least = Math.min(...far);
    return least < 24 ? far.indexOf(least) : -1;
  }

  // The next point of the same method, or the point of the method above or below that is next.
  next(k, [dx, dy]) {
    const { of, lines } = this.told, at = Math.max(0, k), x = (each) => this.spots[each][0];
    if (dx) {
      const own = [...lines[of[at]].points].sort((a, b) => x(a) - x(b));
      return own[Math.min(own.length - 1, Math.max(0, own.indexOf(at) + dx))];
    }
    const others = lines.map(({ points }) => points.reduce((a, b) => (Math.abs(x(b) - x(at)) < Math.abs(x(a) - x(at)) ? b : a))), y = (each) => this.spots[each][1];
    const ahead = others.filter((each) => of[each] !== of[at] && (y(at) - y(each)) * dy > 0).sort((a, b) => Math.abs(y(a) - y(at)) - Math.abs(y(b) - y(at)));
    return ahead.length ? ahead[0] : at;
  }

  ends() {
    return [0, this.told.of.length - 1];
  }
}

export class Comparison extends ChartPage {
  constructor(root, told, python) {
    super(root, told, python, Frontiers, told.methods);
    this.order = {};
    this.card = make("div", "card", "", { role: "status" });
    this.panel.append(this.card);
    this.listed = make("div", "card protoclass-wide");
    root.append(this.listed);
    this.update();
  }

  update() {
    const { told, point } = this, { of, words, lines } = told.methods, method = of[point], { name, tests } = lines[method];
    super.update(words[point]);
    const columns = ["other method", "difference", "95 % CI", "p (Holm)"].map((head, k) => ({ head, text: k === 0, name: k === 0, value: (row) => row[k] }));
    this.card.replaceChildren(make("h2", "", name), make("p", "", words[point]), ...(tests.length ? [table({ caption: "Differences of the error, this method minus the other", columns, rows: tests }), make("p", "soft", told.test)] : []));
    const listed = told.table.map(({ head, values, texts }) => ({ head, text: values === null, sortable: true, value: (k) => (values ? values[k] ?? Infinity : texts[k]), cell: (k) => texts[k] }));
    const named = [
      { head: "", value: () => "", cell: (k) => marked(lines[k]) },
      { head: "method", name: true, text: true, sortable: true, value: (k) => lines[k].name, cell: (k) => button("link", lines[k].name, () => this.choose(lines[k].points[0])) },
    ];
    const focused = this.listed.contains(document.activeElement) ? document.activeElement.textContent : null;
    const made = table({ columns: [...named, ...listed], rows: lines.map((_, k) => k), order: this.order, mark: (k) => k === method, pick: (k) => this.choose(lines[k].points[0]), className: "prototypes" });
    made.setAttribute("aria-label", "Methods");
    this.listed.replaceChildren(made);
    if (focused) [...made.querySelectorAll("button")].find((each) => each.textContent === focused)?.focus();
  }
}
