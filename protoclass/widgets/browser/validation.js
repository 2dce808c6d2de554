// The explorer of a validation in a notebook: the chart follows the sliders at once; Python's answer brings the words beside it.

import { nameControls, watch } from "./answer.js";
import { Curve } from "./curve.js";
import { Heat } from "./heat.js";
import { stillPicture, tellRatio } from "./still.js";

class Validation {
  constructor(model, el) {
    Object.assign(this, { model, controls: {}, turn: 0, heard: [] });
    const { curve, heat } = model.get("chart"), choose = (point) => this.choose(point);
    this.chart = heat ? new Heat(heat, choose) : new Curve(curve, choose);
    this.chart.element.explorer = this.chart;
    const { image, close } = stillPicture(model);
    image.classList.add("protoclass-hidden"); // its text is for those who do not see the chart
    this.closeStill = close;
    el.append(this.chart.element, image);
    this.stop = watch(model, el, this.chart.element);
    this.hear(model, "change:shown", () => this.adopt());
    this.hear(model, "change:alt", () => this.name());
    this.chart.mark(model.get("shown").point);
    this.name();
    this.link();
    tellRatio(model);
  }

  hear(model, event, act) {
    model.on(event, act);
    this.heard.push(() => model.off(event, act));
  }

  name() {
    this.chart.field.setAttribute("aria-description", this.model.get("alt"));
  }

  // The models of the sliders; without a manager of widgets the chart follows Python alone.
  async link() {
    const manager = this.model.widget_manager;
    if (!manager) return;
    for (const [name, id] of Object.entries(this.model.get("controls"))) {
      const control = (this.controls[name] = await manager.get_model(id));
      this.hear(control, "change:index", () => this.chart.mark(this.point()));
    }
  }

  // The grid point of the sliders: the last parameter varies fastest, and one without a slider has one value.
  point() {
    const { axes } = this.model.get("chart");
    return axes.reduce((at, { name, count }) => at * count + (this.controls[name] ? this.controls[name].get("index") : 0), 0);
  }

  choose(point) {
    this.turn++;
    let left = point;
    for (const { name, count } of [...this.model.get("chart").axes].reverse()) {
      if (this.controls[name]) this.controls[name].set("index", left % count);
      left = Math.floor(left / count);
    }
    this.chart.mark(point);
    try {
      this.model.send({ kind: "select", point, turn: this.turn });
    } catch (reason) {
      console.warn(reason); // a kernel that is gone, which the notice says
    }
  }

  // Python's state; where the page has moved on since, Python will say that as well.
  adopt() {
    const { point, turn } = this.model.get("shown");
    const moved = Object.keys(this.controls).length && this.point() !== point;
    if (turn < this.turn || moved) return;
    this.chart.mark(point);
    nameControls(this.chart.element);
  }

  close() {
    this.heard.forEach((off) => off());
    this.stop();
    this.closeStill();
    this.chart.close();
  }
}

function render({ model, el }) {
  const validation = new Validation(model, el);
  return () => validation.close();
}
export default { render };
