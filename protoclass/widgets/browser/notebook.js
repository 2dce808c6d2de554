// An explorer in a notebook: the map follows the sliders, menus and list at once; Python's answer brings the words.

import { nameControls, watch } from "./answer.js";
import { Curve } from "./curve.js";
import { FitMap } from "./map.js";
import { Film, Reel, unpack } from "./reel.js";
import { stillPicture, tellRatio } from "./still.js";

class Notebook {
  constructor(model, el) {
    Object.assign(this, { model, controls: {}, turn: 0, heard: [], curve: null });
    this.map = new FitMap({
      select: (point) => this.send({ kind: "select", point, turn: ++this.turn }),
      lasso: (points) => this.send({ kind: "lasso", points: Array.from(points) }),
    });
    const { image, close } = stillPicture(model);
    image.classList.add("protoclass-hidden"); // its text is for those who do not see the map
    this.closeStill = close;
    el.append(this.map.element, image);
    this.map.element.explorer = this.map;
    this.stop = watch(model, el, this.map.element);
    const follow = { film: () => this.load(), plane: () => (this.film ? this.map.place(model.get("plane")) : this.load()), shown: () => this.adopt(), reel: () => this.take() };
    for (const [name, act] of Object.entries({ ...follow, regions: () => this.paint(), controls: () => this.link(), alt: () => this.name() })) {
      this.hear(model, `change:${name}`, act);
    }
    this.load();
    this.link();
    tellRatio(model);
  }

  hear(model, event, act) {
    model.on(event, act);
    this.heard.push(() => model.off(event, act));
  }

  send(content) {
    try {
      this.model.send(content);
    } catch (reason) {
      console.warn(reason); // a kernel that is gone, which the notice says
    }
  }

  // A fit and its reels.
  load() {
    const { model, map } = this, told = model.get("reels");
    if (!model.get("plane").spots) return; // there is no map, and words say why
    this.film = new Film(model.get("film"));
    const reels = new Map(Object.entries(told).map(([stage, reel]) => [Number(stage), new Reel(reel)]));
    const { stage, size, only, point, also } = model.get("shown");
    Object.assign(map.state, { stage, size, only, point, also });
    map.show(this.film, reels, model.get("plane"));
    this.take();
    this.paint();
    this.name();
    this.dropCurve();
    if (this.film.curve.points) {
      this.curve = new Curve(this.film.curve, (to) => this.move(to));
      map.element.prepend(this.curve.element);
      this.curve.mark(stage);
    }
  }

  dropCurve() {
    if (!this.curve) return;
    this.curve.close();
    this.curve.element.remove();
    this.curve = null;
  }

  // A reel that was too large to be sent with the others.
  take() {
    const { index, ...reel } = this.model.get("reel");
    if (index === undefined) return;
    this.map.reels.set(index, new Reel(reel));
    this.map.draw();
  }

  paint() {
    const told = this.model.get("regions");
    this.map.regionsOf = new Map(told.codes ? [[`${told.stage} ${told.size}`, { ...told, codes: unpack(told.codes) }]] : []);
    this.map.draw();
  }

  name() {
    this.map.field.setAttribute("aria-label", "Map of the rows and prototypes");
    this.map.field.setAttribute("aria-description", this.model.get("alt"));
  }

  // The models of the controls beside the map; without a manager of widgets the map follows Python alone.
  async link() {
    const manager = this.model.widget_manager, ids = this.model.get("controls");
    const unheard = this.heard.splice(this.kept ?? this.heard.length);
    this.kept = this.heard.length;
    unheard.forEach((off) => off());
    this.controls = {};
    if (!manager) return;
    for (const [name, id] of Object.entries(ids)) this.controls[name] = await manager.get_model(id);
    const { eps, size, only, list, swap, criticised } = this.controls;
    if (eps) this.hear(eps, "change:index", () => this.radius(eps.get("index")));
    if (size) this.hear(size, "change:value", () => this.map.set({ size: size.get("value") }));
    if (only) this.hear(only, "change:index", () => this.map.set({ only: only.get("index") - 1 }));
    if (list) this.hear(list, "change:index", () => this.listed(list.get("index")));
    if (swap) this.hear(swap, "change:index", () => this.pick(swap, this.model.get("shown").offered));
    if (criticised) this.hear(criticised, "change:index", () => this.pick(criticised, this.film.criticised.map((row) => row.point)));
  }

  // Ring the row that a menu chose, below a first line that chooses none; a swap itself is Python's.
  pick(menu, points) {
    const point = points[menu.get("index") - 1];
    if (point !== undefined && point >= 0) this.map.set({ point, also: [] });
  }

  // Choose a radius from the curve, as if by the slider.
  move(stage) {
    const { eps } = this.controls;
    if (!eps) return;
    eps.set("index", stage);
    eps.save_changes();
  }

  // At another radius all prototypes stay all, and a number of them that number as far as there are so many.
  radius(stage) {
    const { map } = this, { state } = map, before = map.reels.get(state.stage), after = map.reels.get(stage);
    if (this.curve) this.curve.mark(stage);
    if (!before || !after || !after.stepwise) return map.set({ stage });
    const size = state.size === before.most ? after.most : Math.min(state.size, after.most);
    map.set({ stage, size });
    const slider = this.controls.size;
    if (slider) slider.set({ max: Math.max(1, after.most), value: size });
  }

  // What the list chose, where the list is that of what the map shows.
  listed(index) {
    const { map } = this, { stage, size, only, listed } = this.model.get("shown"), now = map.state;
    if (index === null || index === undefined || stage !== now.stage || size !== now.size || only !== now.only) return;
    if (listed[index] !== undefined) map.set({ point: listed[index], also: [] });
  }

  // Python's state; where the page has moved on since, Python will say that as well.
  adopt() {
    if (!this.film) return;
    const shown = this.model.get("shown"), { state } = this.map, { eps, size } = this.controls;
    const stage = eps ? eps.get("index") : shown.stage, count = size ? size.get("value") : shown.size;
    if (shown.stage !== stage || shown.size !== count || shown.turn < this.turn) return;
    const { only, point, also } = shown;
    this.map.set({ stage, size: count, only, point, also });
    if (this.curve) this.curve.mark(stage);
    nameControls(this.map.element);
    if (state.point < 0 && this.map.here >= 0 && !this.map.field.matches(":hover, :focus")) this.map.hover(-1);
  }

  close() {
    this.heard.forEach((off) => off());
    this.stop();
    this.closeStill();
    this.dropCurve();
    this.map.close();
  }
}

function render({ model, el }) {
  const notebook = new Notebook(model, el);
  return () => notebook.close();
}
export default { render };
