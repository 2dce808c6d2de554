// The explorer of a validation: the curve, or the heat map of two parameters, with a slider for each; tables of the chosen point. In a
// notebook Python's answer brings these, a file has them for all points.

import { headline, menu, range, tabulate } from "./controls.js";
import { Curve } from "./curve.js";
import { box, button, make } from "./element.js";
import { Heat } from "./heat.js";

export class Validation {
  constructor(root, told, python) {
    Object.assign(this, { root, told, python, point: told.state.point, used: told.state.used });
    this.chart = new (told.heat ? Heat : Curve)(told.heat || told.curve, (point) => this.choose(point));
    this.chart.element.explorer = this.chart;
    this.panel = make("section", "panel", "", { "aria-label": "The chosen point" });
    root.replaceChildren(headline(told, []), box("zones", box("map", this.chart.element), this.panel));
    this.controls = told.axes.map((axis, k) => (told.curve && !axis.named ? null : this.control(axis, k)));
    this.status = make("p", "", "", { role: "status" });
    this.problem = make("p", "problem", "", { role: "alert" });
    const fit = python ? button("tool", "Fit here", () => python.report({ use: true }), { title: "Fit all rows with these parameters: explorer.fit" }) : null;
    const controls = box("controls", ...this.controls.filter(Boolean).map(({ label }) => label), fit);
    this.tables = make("div", "card");
    this.panel.append(box("card", this.status, controls, this.problem), this.tables);
    this.update();
  }

  // The control of a parameter; none for one that has a single value.
  control({ name, texts, named }, k) {
    if (texts.length < 2) return null;
    const moved = (index) => this.choose(this.nearest(k, index));
    if (!named) return range(name, texts.length - 1, moved);
    const { select, label } = menu(name, texts.map((text, index) => [text, index]), (value) => moved(Number(value)));
    return { label, show: (index) => (select.value = index) };
  }

  // The place of each parameter's value.
  indices() {
    return this.told.axes.map(({ at }) => at[this.point]);
  }

  // The grid point with a value of one parameter that agrees with the chosen point in most of the others.
  nearest(k, index) {
    const now = this.indices(), { axes } = this.told, wanted = (l) => (l === k ? index : now[l]);
    const agree = axes[k].at.map((_, g) => axes.reduce((sum, { at }, l) => sum + (at[g] === wanted(l)) * (l === k ? axes.length : 1), 0));
    return agree.indexOf(Math.max(...agree));
  }

  update() {
    const words = this.chart.told.words[this.point];
    this.indices().forEach((index, k) => this.controls[k] && this.controls[k].show(index, this.told.axes[k].texts[index]));
    this.chart.mark(this.point);
    this.chart.field.setAttribute("aria-description", `Chosen: ${words}`);
    this.status.textContent = words;
    if (this.told.answers) this.hear(this.told.answers[this.point]);
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
  take({ point, used }) {
    if (point === this.point && used === this.used) return false;
    Object.assign(this, { point, used });
    this.update();
    return true;
  }

  hear({ problem = "", tables = [] }) {
    this.problem.textContent = problem;
    if (!problem) this.tables.replaceChildren(...tables.map(tabulate));
  }

  close() {
    this.chart.close();
  }
}
