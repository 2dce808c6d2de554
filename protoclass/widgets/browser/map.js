// The map on the page: it draws what its state says, and answers pointer and keys at once.

import { Drawing } from "./draw.js";
import { box, button, make } from "./element.js";
import { Frame } from "./frame.js";
import { icon } from "./marks.js";
import { unpack } from "./content.js";
import { planeWords, pointWords } from "./words.js";

const NEAR = 14, ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const THEMES = ["class", "style", "data-theme", "data-jp-theme-name", "data-jp-theme-light"]; // what pages say a theme with
const PAINTS = ["color", "backgroundColor", "outlineColor", "borderTopColor", "textDecorationColor", "caretColor"]; // of the style sheet
const KEYS = "Arrow keys: next mark. Page Up, Page Down: next prototype. Enter: select. + and \u2212: zoom. 0: reset. Escape: deselect.";

export class FitMap {
  // `on.select(point)` is called for what the user does, -1 for nothing; `on.filter(code)` for a class.
  constructor(on) {
    this.on = on;
    this.state = { step: 0, only: -1, point: -1, trial: null, condition: -1 };
    Object.assign(this, { here: -1, drag: null, rules: new Map() });
    this.build();
    this.listen();
  }

  build() {
    this.legend = make("div", "legend", "", { role: "group", "aria-label": "Classes" });
    const named = { "aria-roledescription": "map", "aria-label": "Map of the rows and prototypes" };
    this.field = make("div", "field", "", { tabindex: 0, role: "application", ...named });
    const [base, top] = [make("canvas", "base"), make("canvas", "top")];
    for (const canvas of [base, top]) canvas.setAttribute("aria-hidden", "true");
    this.tip = make("div", "tip", "", { "aria-hidden": "true" });
    this.field.append(base, top, this.tip);
    this.said = make("div", "unseen", "", { "aria-live": "polite" });
    const tools = make("div", "tools", "", { role: "toolbar", "aria-label": "Map" });
    tools.append(
      button("tool", "", () => this.zoomBy(1.6), { "aria-label": "Zoom in", "data-sign": "+" }),
      button("tool", "", () => this.zoomBy(1 / 1.6), { "aria-label": "Zoom out", "data-sign": "\u2212" }),
      button("tool", "", () => this.showAll(), { "aria-label": "Reset", title: "Reset", "data-sign": "\u2302" }),
    );
    this.words = make("p", "soft");
    this.head = box("between", this.legend);
    this.element = box("map", this.head, box("around", this.field, tools, make("p", "soft keys", KEYS)), this.words, this.said);
    this.drawing = new Drawing(base, top);
  }

  listen() {
    const field = this.field, place = (event) => {
      const at = field.getBoundingClientRect();
      return [event.clientX - at.left, event.clientY - at.top];
    };
    field.addEventListener("pointerdown", (event) => event.button === 0 && this.press(...place(event), event));
    field.addEventListener("pointermove", (event) => this.move(...place(event)));
    field.addEventListener("pointerup", (event) => this.release(...place(event)));
    field.addEventListener("pointerleave", () => this.drag || this.hover(-1));
    field.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return; // the page scrolls
      event.preventDefault();
      this.zoomAt(Math.exp(-event.deltaY / 200), ...place(event));
    }, { passive: false });
    field.addEventListener("keydown", (event) => this.key(event));
    field.addEventListener("blur", () => this.hover(-1));
    this.watcher = new ResizeObserver(() => this.measure());
    this.watcher.observe(field);
    this.themes = new MutationObserver(() => this.measure());
    const watched = { attributes: true, attributeFilter: THEMES };
    for (const root of [document.documentElement, document.body]) this.themes.observe(root, watched);
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.themed = () => this.measure();
    this.dark.addEventListener("change", this.themed);
  }

  close() {
    this.watcher.disconnect();
    this.themes.disconnect();
    this.dark.removeEventListener("change", this.themed);
  }

  // A fit and its rules.
  show(fit, rules) {
    Object.assign(this, { fit, rules });
  }

  // The plane in which the points lie.
  place(plane) {
    this.plane = { ...plane, spots: unpack(plane.spots) };
    this.frame = new Frame(this.plane.spots, plane.one_unit);
    this.words.textContent = planeWords(this.plane);
    this.words.title = plane.axes.join("; ");
    this.measure();
  }

  // A button for each class, which shows it alone, and what the other marks mean.
  writeLegend() {
    const { fit, drawing } = this;
    this.classes = fit.classes.map((one, k) => {
      const item = button("item", "", () => this.on.filter(this.state.only === k ? -1 : k), { title: one.name, "aria-pressed": "false" });
      item.append(icon(one.mark, drawing.colours[k]), make("span", "name", one.name));
      return item;
    });
    this.written = this.isReady() ? this.rule : null;
    const { rule, now } = this.written ? this.look() : {}, marks = fit.classes.slice(0, 2).map(({ mark }, k) => [mark, drawing.colours[k]]);
    const items = [[[icon("o", null, drawing.wrong)], `misclassified (${now ? now.how : "training"})`]];
    if (rule && rule.points.length) items.push([marks.map(([mark, colour]) => icon(mark, colour, drawing.ink, 6)), "prototype"]);
    if (now && now.held.includes(0)) items.push([marks.map(([mark, colour]) => icon(mark, null, colour)), "in no ball of its class"]);
    if (rule && rule.rival.length) items.push([[], "─ nearest ┄ rival"]); // lines from the selected row
    this.legend.replaceChildren(make("span", "response", fit.response), ...this.classes, ...items.map(([icons, name]) => box("item", ...icons, name)));
  }

  // Size, dots and colours of the page may have changed.
  measure() {
    if (!this.frame || !this.field.clientWidth) return;
    const look = getComputedStyle(this.field), colours = PAINTS.map((name) => look[name]);
    this.frame.fit(this.drawing.resize(this.field.clientWidth, this.field.clientHeight, window.devicePixelRatio || 1, this.plane.one_unit ? 20 : 36));
    if (colours.join() !== this.painted) {
      this.painted = colours.join();
      this.drawing.paint(colours, this.fit.classes.map((one) => one.colour));
      this.writeLegend();
      this.on.painted();
    }
    this.draw();
  }

  // Take over a part of the state.
  set(changes) {
    if (!Object.entries(changes).some(([name, value]) => this.state[name] !== value)) return;
    Object.assign(this.state, changes);
    this.draw();
  }

  // Draw with the next frame, once for all changes until then.
  draw() {
    if (this.asked) return;
    this.asked = requestAnimationFrame(() => {
      this.asked = 0;
      this.drawStill();
      this.drawMoving();
    });
  }

  get rule() {
    return this.rules.get(this.state.step);
  }

  look() {
    const { step } = this.state, { rule } = this;
    if (!this.seen || this.seen.rule !== rule) this.seen = { fit: this.fit, rule, step, now: rule.at(this.fit) };
    return this.seen;
  }

  drawStill() {
    if (!this.isReady()) return; // Python will send what lacks
    const { step, only, condition } = this.state, settled = condition < 0 ? null : new Set(this.rule.conditions[condition].rows);
    if (this.written !== this.rule) this.writeLegend();
    this.drawing.still({ ...this.look(), only, settled, frame: this.frame, plane: this.plane });
    this.element.dataset.drawn = `${step} ${only}`;
    this.classes.forEach((item, k) => item.setAttribute("aria-pressed", String(k === only)));
  }

  // How many of the prototypes that are shown have no place in the plane.
  lost({ rule, now }) {
    return this.frame ? now.shown.filter((place) => Number.isNaN(this.frame.spots[2 * rule.points[place]])).length : 0;
  }

  isReady() {
    return this.frame && this.frame.scale && this.rule;
  }

  drawMoving() {
    if (!this.isReady()) return;
    const seen = this.look(), { point, trial } = this.state, { rule } = seen, row = point >= 0 && point < this.fit.rows && !trial;
    const near = row ? seen.now.nearest[point] : -1, pair = near >= 0 ? rule.rivalOf(point) : null;
    const places = trial ? trial.places : near < 0 ? [] : [near, pair ? pair.rival : -1];
    const ends = places.filter((place) => place >= 0).map((place) => rule.points[place]);
    this.drawing.moving({ ...seen, ...this.state, ends, frame: this.frame, here: this.here });
    this.say();
  }

  // The point under the pointer or the keys in words.
  say() {
    const [{ title, text }] = this.here < 0 ? [{}] : pointWords(this.look(), this.here), words = title ? `${title}. ${text}` : "";
    if (title) this.tip.textContent = title;
    if (this.said.textContent !== words) this.said.textContent = words;
    this.tip.classList.toggle("protoclass-shown", this.here >= 0);
    if (this.here < 0) return;
    const [x, y] = this.frame.at(this.here), room = this.field.clientWidth - this.tip.offsetWidth;
    this.tip.style.transform = `translate(${Math.max(0, Math.min(x + 12, room))}px, ${y + (y > this.field.clientHeight - 50 ? -34 : 14)}px)`;
  }

  // The points that can be chosen: prototypes of the class that stands out first, then rows.
  reach(x, y, within) {
    const { rule, now } = this.look(), { only } = this.state;
    const strong = now.shown.filter((place) => only < 0 || rule.classes[place] === only).map((place) => rule.points[place]);
    const found = this.frame.nearest(strong, x, y, within);
    return found >= 0 ? found : this.frame.nearest(this.fit.points, x, y, within);
  }

  hover(point) {
    if (point === this.here || !this.isReady()) return;
    this.here = point;
    this.field.classList.toggle("protoclass-on", point >= 0);
    this.drawMoving();
  }

  press(x, y, event) {
    this.field.setPointerCapture(event.pointerId);
    this.drag = { x, y, last: [x, y], moved: false };
  }

  move(x, y) {
    const drag = this.drag;
    if (!this.isReady()) return;
    if (!drag) return this.hover(this.frame.inside(x, y) ? this.reach(x, y, NEAR) : -1);
    drag.moved ||= Math.hypot(x - drag.x, y - drag.y) > 4;
    if (!drag.moved) return;
    this.frame.pan(x - drag.last[0], y - drag.last[1]);
    this.draw();
    drag.last = [x, y];
  }

  release(x, y) {
    const drag = this.drag;
    this.drag = null;
    if (drag && !drag.moved && this.isReady() && this.frame.inside(x, y)) this.on.select(this.reach(x, y, NEAR));
  }

  zoomAt(factor, x, y) {
    this.frame.zoomAt(factor, x, y);
    this.draw();
  }

  zoomBy(factor) {
    const { left, top, width, height } = this.frame.box, on = this.here >= 0 ? this.here : this.state.point;
    this.zoomAt(factor, ...(on >= 0 && !Number.isNaN(this.frame.at(on)[0]) ? this.frame.at(on) : [left + width / 2, top + height / 2]));
  }

  showAll() {
    this.zoomAt(1e-9, 0, 0);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.isReady()) return;
    const { key } = event, at = this.here >= 0 ? this.here : this.state.point;
    if (ARROWS[key]) this.travel(this.frame.next(this.travelled(), at, ARROWS[key]));
    else if (key === "PageDown" || key === "PageUp") this.travel(this.nextPrototype(at, key === "PageDown" ? 1 : -1));
    else if (key === "Enter") this.on.select(at);
    else if (key === "+" || key === "=") this.zoomBy(1.6);
    else if (key === "-") this.zoomBy(1 / 1.6);
    else if (key === "0") this.showAll();
    else if (key === "Escape") this.letGo();
    else return;
    event.preventDefault();
  }

  travelled() {
    const { rule, now } = this.look(), seen = this.fit.points.filter((row) => !Number.isNaN(this.frame.spots[2 * row]));
    return [...seen, ...now.shown.map((place) => rule.points[place]).filter((point) => point >= this.fit.rows)];
  }

  travel(point) {
    if (point < 0) return;
    this.frame.reveal(point);
    this.here = point;
    this.draw();
  }

  nextPrototype(from, step) {
    const { rule, now } = this.look(), { only } = this.state;
    const shown = now.shown.filter((place) => only < 0 || rule.classes[place] === only), place = rule.placeOf(from);
    const at = shown.indexOf(place), next = at < 0 ? (step > 0 ? 0 : shown.length - 1) : (at + step + shown.length) % shown.length;
    return shown.length ? rule.points[shown[next]] : -1;
  }

  // Escape takes back one thing after another: what is under the keys, what is chosen, the zoom.
  letGo() {
    if (this.here >= 0 && this.here !== this.state.point) this.hover(-1);
    else if (this.state.point >= 0) {
      this.here = -1;
      this.on.select(-1);
    } else this.showAll();
  }
}
