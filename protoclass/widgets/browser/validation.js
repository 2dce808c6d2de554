// The explorer of a validation: a slider for each parameter beside the curve, or the heat map of two, which a button changes for the
// frontier of error and size; Python's answer brings the tables.

import { menu, range, tabulate } from "./controls.js";
import { Curve } from "./curve.js";
import { make } from "./element.js";
import { Heat } from "./heat.js";

export class Validation {
  constructor(root, told, python) {
    Object.assign(this, { told, python, point: told.state.point, used: told.state.used });
    const { curve, heat, frontier } = told, choose = (point) => this.choose(point);
    this.chart = heat ? new Heat(heat, choose) : new Curve(curve, choose);
    this.charts = [this.chart, ...(frontier ? [new Curve(frontier, choose)] : [])];
    for (const chart of this.charts) chart.element.explorer = chart;
    this.controls = told.axes.map((axis, k) => this.control(axis, k));
    const controls = make("div", "controls"), line = make("div", "controls"), button = make("button", "tool", "Use this", { type: "button" });
    controls.append(...this.controls.filter(Boolean).map(({ label }) => label));
    button.title = "Fit all rows at this point: explorer.fit";
    button.addEventListener("click", () => python.report({ use: true }));
    this.status = make("p", "status", "", { role: "status" });
    this.problem = make("p", "problem", "", { role: "alert" });
    this.tables = make("div", "tables");
    line.append(button, ...(frontier ? [this.frontierButton()] : []), this.status);
    root.replaceChildren(controls, line, this.problem, this.chart.element, this.tables);
    this.update();
  }

  // Changes the picture for the frontier, and back.
  frontierButton() {
    const button = make("button", "tool", "Frontier", { type: "button", "aria-pressed": "false" });
    button.title = "The lowest error for each size of the rules";
    button.addEventListener("click", () => {
      const [grid, frontier] = this.charts, shown = button.getAttribute("aria-pressed") === "true";
      (shown ? frontier : grid).element.replaceWith((shown ? grid : frontier).element);
      button.setAttribute("aria-pressed", String(!shown));
    });
    return button;
  }

  // The control of a parameter; none for one that has a single value.
  control({ name, texts, named }, k) {
    if (texts.length < 2) return null;
    const moved = (index) => this.choose(this.indices().reduce((at, old, l) => at * this.told.axes[l].texts.length + (l === k ? index : old), 0));
    if (!named) return range(name, texts.length - 1, moved);
    const { select, label } = menu(name, texts.map((text, index) => [text, index]), (value) => moved(Number(value)));
    return { label, show: (index) => (select.value = index) };
  }

  // The place of each parameter's value: the last parameter varies fastest.
  indices() {
    let left = this.point;
    return this.told.axes.map(({ texts }) => texts.length).reverse().map((count) => {
      const index = left % count;
      left = Math.floor(left / count);
      return index;
    }).reverse();
  }

  choose(point) {
    this.point = point;
    this.update();
    this.python.report();
  }

  update() {
    const words = this.chart.told.words[this.point];
    this.indices().forEach((index, k) => this.controls[k] && this.controls[k].show(index, this.told.axes[k].texts[index]));
    for (const chart of this.charts) chart.mark(this.point);
    this.chart.field.setAttribute("aria-description", `${this.chart.told.title}. Chosen: ${words}`);
    this.status.textContent = words;
  }

  state() {
    return { point: this.point };
  }

  take({ point, used }) {
    if (point === this.point && used === this.used) return false;
    Object.assign(this, { point, used });
    this.update();
    return true;
  }

  wants() {
    return [];
  }

  hear({ problem = "", tables = [] }) {
    this.problem.textContent = problem;
    if (!problem) this.tables.replaceChildren(...tables.map(tabulate));
  }

  close() {
    for (const chart of this.charts) chart.close();
  }
}
