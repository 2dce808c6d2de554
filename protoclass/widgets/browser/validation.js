// The explorer of a validation: the curve, a menu for each further parameter, and tables of the chosen point. In a notebook Python's
// answer brings these, a file has them for all points.

import { headline, menu, tabulate } from "./controls.js";
import { Curve } from "./curve.js";
import { box, make } from "./element.js";

export class Validation {
  constructor(root, sent, python) {
    Object.assign(this, { root, sent, python, point: sent.state.point });
    this.map = box("map");
    this.panel = make("div", "panel", "", { role: "group", "aria-label": "The chosen point" });
    root.replaceChildren(headline(sent, []), box("zones", this.map, this.panel));
    this.menus = sent.axes.map(({ name, texts }, k) => (k === sent.along || texts.length < 2 ? null
      : menu(name, texts.map((text, index) => [text, index]), (index) => this.choose(this.nearest(k, Number(index))))));
    this.status = make("p", "", "", { role: "status" });
    this.problem = make("p", "problem", "", { role: "alert" });
    this.tables = make("div", "card");
    this.panel.append(box("card", this.status, box("controls", ...this.menus.filter(Boolean).map(({ label }) => label)), this.problem), this.tables);
    this.update();
  }

  // The grid point with a value of one parameter that agrees with the chosen point in most of the others.
  nearest(k, index) {
    const { axes } = this.sent, wanted = axes.map(({ at }, l) => (l === k ? index : at[this.point]));
    const agree = axes[k].at.map((_, g) => axes.reduce((sum, { at }, l) => sum + (at[g] === wanted[l]) * (l === k ? axes.length : 1), 0));
    return agree.indexOf(Math.max(...agree));
  }

  update() {
    const slice = this.sent.slices[this.point];
    if (this.slice !== slice) this.draw((this.slice = slice));
    this.menus.forEach((each, k) => each && (each.select.value = this.sent.axes[k].at[this.point]));
    this.chart.mark(this.point);
    const words = this.chart.sent.words[this.chart.chosen];
    this.chart.field.setAttribute("aria-description", `Chosen: ${words}`);
    this.status.textContent = words;
    if (this.sent.answers) this.receive(this.sent.answers[this.point]);
  }

  // The curve where the other parameters are as at the chosen point.
  draw(slice) {
    if (this.chart) this.chart.close();
    this.chart = new Curve(this.sent.curves[slice], (point) => this.choose(point));
    this.chart.element.explorer = this.chart;
    this.map.replaceChildren(this.chart.element);
  }

  choose(point) {
    this.point = point;
    this.update();
    if (this.python) this.python.report();
  }

  state() {
    return { point: this.point };
  }

  wants() {
    return [];
  }

  // Whether that changes anything.
  take({ point }) {
    if (point === this.point) return false;
    this.point = point;
    this.update();
    return true;
  }

  receive({ problem = "", tables = [] }) {
    this.problem.textContent = problem;
    if (!problem) this.tables.replaceChildren(...tables.map(tabulate));
  }

  close() {
    this.chart.close();
  }
}
