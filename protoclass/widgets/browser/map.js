// The map on the page: it draws what its state says, and answers pointer and keys at once.

import { Drawing } from "./draw.js";
import { box, button, download, make } from "./element.js";
import { Frame } from "./frame.js";
import { icon } from "./marks.js";
import { unpack } from "./reel.js";
import { gapOf, gapWords, planeWords, pointWords, setWords } from "./words.js";

const NEAR = 14, ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const THEMES = ["class", "style", "data-theme", "data-jp-theme-name", "data-jp-theme-light"]; // what pages say a theme with
const KEYS = [
  ["Arrow keys", "next mark"], ["Page Up, Page Down", "next prototype"], ["Enter", "select"], ["Space", "add to the lasso"],
  ["+ and \u2212", "zoom"], ["0", "reset"], ["Escape", "deselect"], ["Up, Down in the table", "next prototype"], ["Shift and drag", "lasso"], ["Ctrl and wheel", "zoom"],
];

export class FitMap {
  // `on.select(point)` and `on.lasso(points)` are called for what the user does, -1 for nothing; `on.filter(code)` for a class; `on.regions(stage, size)`
  // has the class of each place of the plane, where that is known.
  constructor(on) {
    this.on = on;
    this.state = { stage: 0, size: 0, only: -1, point: -1, also: [], trial: null };
    Object.assign(this, { here: -1, peek: -1, lasso: [], outline: null, drag: null, lassoing: false, reels: new Map() });
    this.build();
    this.listen();
  }

  build() {
    this.legend = make("div", "legend", "", { role: "group", "aria-label": "Classes" });
    this.gauge = make("div", "gauge", "", { role: "meter", "aria-label": "Bound on the optimum, as a share of the objective", "aria-valuemin": 0, "aria-valuemax": 100 });
    this.field = make("div", "field", "", { tabindex: 0, role: "application", "aria-roledescription": "map", "aria-label": "Map of the rows and prototypes" });
    const [base, top] = [make("canvas", "base"), make("canvas", "top")];
    for (const canvas of [base, top]) canvas.setAttribute("aria-hidden", "true");
    this.tip = make("div", "tip", "", { "aria-hidden": "true" });
    this.field.append(base, top, this.tip);
    this.said = make("div", "unseen", "", { "aria-live": "polite" });
    this.lassoButton = button("tool", "Lasso", () => this.setLassoing(!this.lassoing), { "aria-label": "Draw around rows", "aria-pressed": "false" });
    const save = make("select", "", "", { "aria-label": "Download" });
    save.append(...["Download", "SVG", "PNG", "CSV"].map((name) => make("option", "", name, { value: name })));
    save.addEventListener("change", () => {
      this.save(save.value);
      save.value = "Download";
    });
    const keys = make("details", "keys"), list = make("dl");
    list.append(...KEYS.flatMap(([key, deed]) => [make("dt", "", key), make("dd", "", deed)]));
    keys.append(make("summary", "", "Keys"), list);
    this.tools = make("div", "tools", "", { role: "toolbar", "aria-label": "Map" });
    this.tools.append(
      button("tool", "+", () => this.zoomBy(1.6), { "aria-label": "Zoom in" }), button("tool", "\u2212", () => this.zoomBy(1 / 1.6), { "aria-label": "Zoom out" }),
      button("tool", "Reset", () => this.showAll()), this.lassoButton, save, keys,
    );
    this.words = make("p", "soft");
    this.element = box("map", box("between", this.legend, this.gauge), this.field, this.words, this.tools, this.said);
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
    for (const root of [document.documentElement, document.body]) {
      this.themes.observe(root, { attributes: true, attributeFilter: THEMES });
    }
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.themed = () => this.measure();
    this.dark.addEventListener("change", this.themed);
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
  }

  close() {
    this.watcher.disconnect();
    this.themes.disconnect();
    this.dark.removeEventListener("change", this.themed);
  }

  // A film and its reels.
  show(film, reels) {
    Object.assign(this, { film, reels });
  }

  // The plane in which the points lie.
  place(plane) {
    this.plane = { ...plane, spots: unpack(plane.spots), outline: unpack(plane.outline) };
    this.frame = new Frame(this.plane.spots, plane.one_unit);
    this.words.textContent = `${planeWords(this.plane)}. Large marks are prototypes.`;
    this.measure();
  }

  // A button for each class, which shows it alone, and what the other marks mean.
  writeLegend() {
    const { film, drawing } = this;
    this.classes = film.classes.map((one, k) => {
      const item = button("item", "", () => this.on.filter(this.state.only === k ? -1 : k), { title: one.name, "aria-pressed": "false" });
      item.append(icon(one.mark, drawing.colours[k]), make("span", "name", one.name));
      for (const [event, peek] of [["pointerenter", k], ["pointerleave", -1]]) {
        item.addEventListener(event, () => {
          this.peek = peek;
          this.draw();
        });
      }
      return item;
    });
    this.how = this.isReady() ? this.look().now.how : "training";
    const items = [[drawing.wrong, `misclassified (${this.how})`]];
    if (this.reel && this.reel.covering) items.push([drawing.soft, "not covered"]);
    this.legend.replaceChildren(make("span", "response", film.response), ...this.classes, ...items.map(([colour, name]) => {
      const item = make("span", "item");
      item.append(icon("o", null, colour), name);
      return item;
    }));
  }

  // Size, dots and colours of the page may have changed.
  measure() {
    if (!this.frame || !this.field.clientWidth) return;
    const look = getComputedStyle(this.field), colours = ["color", "backgroundColor", "outlineColor", "borderTopColor", "textDecorationColor", "caretColor"].map((name) => look[name]);
    this.frame.fit(this.drawing.resize(this.field.clientWidth, this.field.clientHeight, window.devicePixelRatio || 1, this.plane.one_unit ? 20 : 36));
    if (colours.join() !== this.painted) {
      this.painted = colours.join();
      this.drawing.paint(colours, this.film.classes.map((one) => one.colour));
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

  get reel() {
    return this.reels.get(this.state.stage);
  }

  look() {
    const { stage, size } = this.state, { reel } = this;
    if (!this.seen || this.seen.reel !== reel || this.seen.size !== size) {
      this.seen = { film: this.film, reel, stage, size, now: reel.at(size, this.film) };
    }
    return this.seen;
  }

  still() {
    const { stage, size, only } = this.state;
    return { ...this.look(), only: this.peek < 0 ? only : this.peek, frame: this.frame, plane: this.plane, regions: this.on.regions(stage, size) };
  }

  drawStill() {
    if (!this.isReady()) return; // Python will send what lacks
    const { stage, size, only } = this.state;
    if (this.look().now.how !== this.how) this.writeLegend();
    this.drawing.still(this.still());
    this.element.dataset.drawn = `${stage} ${size} ${only}`;
    this.classes.forEach((item, k) => item.setAttribute("aria-pressed", String(k === only)));
    this.measureGap();
  }

  // How many of the prototypes that are shown have no place in the plane.
  lost({ reel, now }) {
    return this.frame ? now.shown.filter((place) => Number.isNaN(this.frame.spots[2 * reel.points[place]])).length : 0;
  }

  // How much of the objective every other choice of prototypes needs too.
  measureGap() {
    const seen = this.look(), words = gapWords(seen);
    this.gauge.hidden = !words;
    if (!words || this.gauge.textContent === words) return;
    const share = (100 / (1 + gapOf(seen))).toFixed(1), bar = make("span", "gap"), filled = make("span", "filled");
    filled.style.width = `${share}%`;
    bar.append(filled);
    this.gauge.replaceChildren(bar, make("span", "", words));
    this.gauge.setAttribute("aria-valuenow", share);
    this.gauge.setAttribute("aria-valuetext", words);
  }

  isReady() {
    return this.frame && this.frame.scale && this.reel && this.state.size !== null;
  }

  drawMoving() {
    if (!this.isReady()) return;
    const seen = this.look(), { point, also, trial } = this.state, { reel } = seen, row = point >= 0 && point < this.film.rows && !trial;
    const near = row ? seen.now.nearest[point] : -1, pair = near >= 0 ? reel.rivalOf(point, seen.size) : null;
    const places = trial ? trial.places : near < 0 ? [] : [near, pair ? pair.rival : -1];
    const ends = places.length ? places.filter((place) => place >= 0).map((place) => reel.points[place]) : also;
    this.drawing.moving({
      ...seen, ...this.state, also: ends, frame: this.frame, plane: this.plane, here: this.here, lasso: this.lasso, outline: this.outline,
    });
    this.say();
  }

  // The lasso and the point under the pointer or the keys in words.
  say() {
    const seen = this.look(), parts = this.lasso.length ? [setWords(seen, this.lasso)] : [];
    if (this.here >= 0) {
      const [{ title, text }] = pointWords(seen, this.here);
      parts.push(`${title}. ${text}`);
      this.tip.textContent = title;
    }
    const words = parts.join(" ");
    if (this.said.textContent !== words) this.said.textContent = words;
    this.tip.classList.toggle("protoclass-shown", this.here >= 0);
    if (this.here < 0) return;
    const [x, y] = this.frame.at(this.here), room = this.field.clientWidth - this.tip.offsetWidth;
    this.tip.style.transform = `translate(${Math.max(0, Math.min(x + 12, room))}px, ${y + (y > this.field.clientHeight - 50 ? -34 : 14)}px)`;
  }

  // The points that can be chosen: prototypes of the class that stands out first, then rows.
  reach(x, y, within) {
    const { reel, now } = this.look(), { only } = this.state;
    const strong = now.shown.filter((place) => only < 0 || reel.classes[place] === only).map((place) => reel.points[place]);
    const found = this.frame.nearest(strong, x, y, within);
    return found >= 0 ? found : this.frame.nearest(this.rows(), x, y, within);
  }

  rows() {
    if (!this.all || this.all.length !== this.film.rows) this.all = Array.from({ length: this.film.rows }, (_, row) => row);
    return this.all;
  }

  hover(point) {
    if (point === this.here || !this.isReady()) return;
    this.here = point;
    this.field.classList.toggle("protoclass-on", point >= 0);
    this.drawMoving();
  }

  press(x, y, event) {
    this.field.setPointerCapture(event.pointerId);
    this.drag = { x, y, last: [x, y], moved: false, lasso: this.lassoing || event.shiftKey };
  }

  move(x, y) {
    const drag = this.drag;
    if (!this.isReady()) return;
    if (!drag) return this.hover(this.frame.inside(x, y) ? this.reach(x, y, NEAR) : -1);
    drag.moved ||= Math.hypot(x - drag.x, y - drag.y) > 4;
    if (!drag.moved) return;
    if (drag.lasso) {
      this.outline = [...(this.outline || [[drag.x, drag.y]]), [x, y]];
      this.drawMoving();
    } else {
      this.frame.pan(x - drag.last[0], y - drag.last[1]);
      this.draw();
    }
    drag.last = [x, y];
  }

  release(x, y) {
    const drag = this.drag;
    this.drag = null;
    if (!drag || !this.isReady()) return;
    if (drag.moved && drag.lasso) {
      this.setLasso(this.frame.within(this.rows(), this.outline || []));
      this.outline = null;
      this.setLassoing(false);
      this.drawMoving();
    } else if (!drag.moved && this.frame.inside(x, y)) this.select(this.reach(x, y, NEAR));
  }

  select(point) {
    if (point !== this.state.point) this.set({ point, also: [] });
    this.on.select(point);
  }

  setLasso(rows) {
    this.lasso = rows;
    this.on.lasso(rows);
  }

  setLassoing(on) {
    this.lassoing = on;
    this.lassoButton.setAttribute("aria-pressed", String(on));
  }

  zoomAt(factor, x, y) {
    const steps = this.calm.matches ? 1 : 6, each = factor ** (1 / steps);
    const step = (left) => {
      this.frame.zoomAt(each, x, y);
      this.draw();
      if (left > 1) requestAnimationFrame(() => step(left - 1));
    };
    step(steps);
  }

  zoomBy(factor) {
    const { left, top, width, height } = this.frame.box, on = this.here >= 0 ? this.here : this.state.point;
    this.zoomAt(factor, ...(on >= 0 && !Number.isNaN(this.frame.at(on)[0]) ? this.frame.at(on) : [left + width / 2, top + height / 2]));
  }

  showAll() {
    this.zoomAt(1e-9, 0, 0);
  }

  // The map as a picture, or the rows (those of the lasso, if there is one) as a table.
  save(kind) {
    const { film } = this, { reel, now } = this.look(), quote = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    if (kind === "SVG") download("map.svg", this.drawing.svg(this.still()), "image/svg+xml");
    if (kind === "PNG") this.drawing.flat().toBlob((blob) => download("map.png", blob, "image/png"));
    if (kind !== "CSV") return;
    const lines = (this.lasso.length ? this.lasso : this.rows()).map((row) => {
      const near = now.nearest[row], [x, y] = [0, 1].map((d) => this.frame.spots[2 * row + d]);
      return [film.names[row], film.classes[film.codes[row]].name, film.classes[now.fitted[row]].name, near < 0 ? "" : film.names[reel.points[near]], x, y];
    });
    download("rows.csv", [["row", "class", "predicted", "prototype", "x", "y"], ...lines].map((line) => line.map(String).map(quote).join(",")).join("\n"), "text/csv");
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.isReady()) return;
    const { key } = event, at = this.here >= 0 ? this.here : this.state.point;
    if (ARROWS[key]) this.travel(this.frame.next(this.travelled(), at, ARROWS[key]));
    else if (key === "PageDown" || key === "PageUp") this.travel(this.nextPrototype(at, key === "PageDown" ? 1 : -1));
    else if (key === "Enter") this.select(at);
    else if (key === " ") this.addToLasso(at);
    else if (key === "+" || key === "=") this.zoomBy(1.6);
    else if (key === "-") this.zoomBy(1 / 1.6);
    else if (key === "0") this.showAll();
    else if (key === "Escape") this.letGo();
    else return;
    event.preventDefault();
  }

  travelled() {
    const { reel, now } = this.look(), seen = this.rows().filter((row) => !Number.isNaN(this.frame.spots[2 * row]));
    return [...seen, ...now.shown.map((place) => reel.points[place]).filter((point) => point >= this.film.rows)];
  }

  travel(point) {
    if (point < 0) return;
    this.frame.reveal(point);
    this.here = point;
    this.draw();
  }

  nextPrototype(from, step) {
    const { reel, now, size } = this.look(), { only } = this.state;
    const shown = now.shown.filter((place) => only < 0 || reel.classes[place] === only), place = reel.placeOf(from, size);
    const at = shown.indexOf(place), next = at < 0 ? (step > 0 ? 0 : shown.length - 1) : (at + step + shown.length) % shown.length;
    return shown.length ? reel.points[shown[next]] : -1;
  }

  addToLasso(point) {
    if (point < 0 || point >= this.film.rows) return;
    this.setLasso(this.lasso.includes(point) ? this.lasso.filter((row) => row !== point) : [...this.lasso, point]);
    this.drawMoving();
  }

  // Escape takes back one thing after another: the lasso, what is under the keys, what is chosen, the zoom.
  letGo() {
    if (this.lassoing || this.outline || this.lasso.length) {
      this.outline = this.drag = null;
      this.setLassoing(false);
      this.setLasso([]);
      this.drawMoving();
    } else if (this.here >= 0 && this.here !== this.state.point) this.hover(-1);
    else if (this.state.point >= 0) {
      this.here = -1;
      this.select(-1);
    } else this.showAll();
  }
}
