// The panel beside the map: what is selected, explained by comparison, and the prototypes as a table; each scrolls by itself.

import { code, labelled, table, tabulate } from "./controls.js";
import { thumb } from "./draw.js";
import { box, button, make } from "./element.js";
import { Evidence, breakable } from "./evidence.js";
import { icon } from "./marks.js";
import { countRows, pointWords, writeNumber } from "./words.js";

const NAMED = 12, LISTED = 100, HEAD = 52; // pixels of the title and head of the list

export class Panel extends Evidence {
  // The page has `fit`, `map`, `metric`, `fields`, `trial` (a row with other values, or null), `select(point)`, `find(name)`, `next()`
  // and `call()`.
  constructor(page) {
    super(page);
    this.order = {};
    this.search = make("input", "", "", { type: "search", placeholder: "label", size: 8 });
    this.search.addEventListener("change", () => page.find(this.search.value.trim()));
    this.next = button("tool", "Next error", () => page.next());
    this.tools = box("panel-tools", this.next, ...this.newRows(), labelled("Find row", this.search));
    this.card = box("card answer");
    this.card.tabIndex = -1;
    this.listed = box("card listed");
    this.element = make("div", "panel", "", { role: "group", "aria-label": "Explanation and prototypes" });
    this.element.append(this.tools, this.card, this.listed);
  }

  show(seen, point, sent) {
    const { page } = this, inside = this.card.contains(document.activeElement), key = `${point} ${Boolean(page.trial)}`;
    this.next.hidden = !seen.rule.errors.length;
    this.next.title = `${seen.rule.errors.length} misclassified (${seen.now.how}), the closest first`;
    if (page.trial) {
      if (this.typing(seen)) return;
      this.card.replaceChildren(...this.trial(seen));
    } else if (point < 0) this.card.replaceChildren(...this.overview(seen, sent));
    else this.card.replaceChildren(...pointWords(seen, point).flatMap((words) => this.about(seen, point, words)), ...this.extra(sent));
    if (this.shown !== key) this.card.scrollTop = 0;
    this.shown = key;
    if (inside && !this.card.contains(document.activeElement)) this.card.focus({ preventScroll: true }); // what had it is written again
  }

  overview(seen, sent) {
    const { reason } = this.page.metric, words = `New rows are not classified here, because ${reason}: use fit.predict(new).`;
    const why = reason ? [make("p", "soft", words)] : [];
    return [make("h2", "", "Select a row or a prototype"), ...this.conditions(seen, -1), ...why, ...this.extra(sent)];
  }

  // What Python knows besides.
  extra({ words = [], tables = [] }) {
    return [...words.map((text) => make("p", "", text)), ...tables.map(tabulate)];
  }

  // Buttons for rows that are not in the fit: those that were given, and one to type.
  newRows() {
    const { page, fit } = this, { metric } = page;
    if (!metric.works) return [];
    const given = Array.from({ length: page.added }, (_, k) => `new row ${k}`);
    return [
      ...given.map((name, k) => button("chip", name, () => page.try(metric.row(fit.names.length + k), name))),
      ...(fit.album ? [] : [button("tool", "New row", () => page.try(this.usual(), "new row"))]),
    ];
  }

  // Medians of the numbers and the most frequent levels.
  usual() {
    return this.page.fields.map((field, k) => {
      if (!field.levels) return +this.median(k, -1).toPrecision(4);
      const counts = field.levels.map((_, level) => field.values.subarray(0, this.fit.rows).filter((value) => value === level).length);
      return counts.indexOf(Math.max(...counts));
    });
  }

  // The median of a variable in a class, or of all rows for -1.
  median(k, code) {
    const { fit } = this, values = this.page.fields[k].values.subarray(0, fit.rows), middle = (own) => (own.length - 1) / 2;
    const own = values.filter((value, row) => (code < 0 || fit.codes[row] === code) && !Number.isNaN(value)).sort();
    return (own[Math.floor(middle(own))] + own[Math.ceil(middle(own))]) / 2;
  }

  about(seen, point, { title, text, code: of, lists, place }) {
    const { fit, page } = this, { metric } = page, out = [make("h2", "", title), ...(text ? [make("p", "soft", text)] : [])];
    if (place >= 0) {
      const { fields } = page, plain = fields.length && !fit.album && (fields.length > 1 || !fields[0].levels);
      const alone = { ...this.prototype(seen.rule, place), role: "", values: metric.row(point) };
      out.push(...(plain ? this.profile(seen, point, of) : this.entries([alone])));
      for (const [name, rows] of lists) if (rows.length) out.push(this.rows(name, rows));
      return out;
    }
    const near = seen.now.nearest[point], pair = seen.rule.rivalOf(point), rival = pair ? pair.rival : -1, name = `row ${fit.called[point]}`;
    const label = fit.quotes ? JSON.stringify(fit.names[point]) : fit.names[point];
    out.push(...this.conditions(seen, point));
    if (near >= 0 && seen.rule.points[near] !== point) out.push(...this.compare(seen, metric.row(point), near, rival, name, point));
    if (metric.reason) out.push(...this.distances(seen, point));
    const again = metric.works && !fit.album ? button("chip", "What if", () => page.try(metric.row(point), name)) : null;
    out.push(box("between", again, code(`${page.call()}.${page.explains ? `why(${label})` : `augment().loc[[${label}]]`}`)));
    return out;
  }

  // Some rows by name, those of another class than the first with theirs.
  rows(name, rows) {
    const { fit, page } = this, head = make("h3", "", `${name}: ${countRows(rows.length)}`);
    if (fit.album) return box("", head, box("pictures", ...rows.slice(0, NAMED).map((row) => this.image(row, 36))));
    const title = (row) => ({ title: fit.classes[fit.codes[row]].name });
    const chips = rows.slice(0, NAMED).map((row) => button("chip", fit.names[row], () => page.select(row), title(row)));
    return box("", head, box("chips", ...chips, rows.length > NAMED ? make("span", "soft", `and ${rows.length - NAMED} more`) : null));
  }

  // The values of a prototype beside the medians of its class. Of variables whose parts of the distance to the rival are known, those
  // come first that separate the two most.
  profile(seen, point, of) {
    const { fields, metric } = this.page, pair = point < this.fit.rows && metric.works ? seen.rule.rivalOf(point) : null;
    const rows = fields.map(({ name, levels }, k) => ({ name, k, value: metric.row(point)[k], levels }));
    if (pair && pair.rival >= 0) {
      const { parts } = metric.pair(metric.row(point), metric.row(seen.rule.points[pair.rival]), seen.rule.classes[pair.rival]);
      rows.sort((a, b) => parts[b.k] - parts[a.k]);
    }
    return [this.some("profile", rows, [
      { head: "variable", name: true, text: true, value: ({ name }) => name, cell: breakable },
      { head: "value", value: ({ k, value }) => this.write(k, value) },
      { head: "class median", value: ({ k, levels }) => (levels ? "" : this.write(k, this.median(k, of))) },
    ], "compare")];
  }

  // A row, its nearest prototype and the rival, and the smallest change that gives another class.
  compare(seen, values, near, rival, name, point = -1) {
    const { fit, page } = this, { metric } = page, { rule } = seen;
    const others = [[near, "nearest"], [rival, "rival"]].filter(([place]) => place >= 0).map(([place, role]) => {
      const prototype = this.prototype(rule, place);
      return { ...prototype, role, values: metric.row(prototype.point) };
    });
    const out = this.entries([{ point, name, role: "row", code: fit.codes[point], values }, ...others]);
    if (!metric.works || fit.album) return out;
    const [change] = metric.changes(values, rule, seen.now.shown, fit.rows), words = make("p");
    if (!change) return [...out, make("p", "", "No change of a single variable gives another class.")];
    const { k, value, code } = change;
    const then = ` (now ${this.write(k, values[k])}) this fit would predict ${fit.classes[code].name}.`;
    words.append("With ", make("strong", "", `${change.name} ${this.write(k, value)}`), then);
    return [...out, words];
  }

  // A value that can be changed.
  input({ k, name, levels, kind, value }) {
    const { page } = this, control = make(levels ? "select" : "input", "", "", { "aria-label": name, "data-k": k });
    if (levels) {
      control.append(...(page.metric.skips ? ["", ...levels] : levels).map((level) => make("option", "", level || "missing", { value: level })));
      control.value = levels[value] ?? "";
    } else {
      Object.assign(control, { type: "text", inputMode: "decimal", value: Number.isNaN(value) ? "" : String(value) });
    }
    control.addEventListener("input", () => {
      const text = control.value;
      page.trial.values[k] = levels ? (levels.includes(text) ? levels.indexOf(text) : NaN) : text.trim() === "" ? NaN : Number(text);
      page.update(true);
    });
    return control;
  }

  // While a value is being typed its table stays, and all else is written again.
  typing(seen) {
    const { activeElement: typed } = document, k = typed && this.card.contains(typed) ? typed.dataset.k : undefined;
    if (k === undefined) return false;
    const start = typed.selectionStart;
    this.card.replaceChildren(...this.trial(seen));
    const again = this.card.querySelector(`[data-k="${k}"]`);
    if (again && again.value !== typed.value) again.value = typed.value;
    if (again) again.focus({ preventScroll: true });
    if (again && start !== null && again.setSelectionRange) again.setSelectionRange(start, start);
    return true;
  }

  // A row that is typed.
  trial(seen) {
    const { page } = this, { rule, now } = seen, { values, name } = page.trial, { near, rival } = page.metric.classify(values, rule, now.shown);
    const written = page.fields.map(({ name: field, levels, kind }, k) => {
      const level = levels && (kind === "boolean" ? levels[values[k]] : JSON.stringify(levels[values[k]]));
      return `${JSON.stringify(field)}: ${Number.isNaN(values[k]) ? "None" : level || values[k]}`;
    }).join(", ");
    const known = near.place >= 0, words = ({ place, far }) => `${this.prototype(rule, place).words} at ${writeNumber(far)}`;
    const title = make("h2", "", known ? `${name}: predicted ${this.prototype(rule, near.place).level}` : `${name}: no class`);
    const other = rival.place < 0 ? "" : `; nearest of another class: ${words(rival)}`;
    const text = known ? make("p", "soft", `Nearest prototype ${words(near)}${other}. Change a value to see what happens.`, { "aria-live": "polite" })
      : make("p", "problem", "Every predictor is needed, and a prototype.");
    const call = `${page.call()}.${page.explains ? `why({${written}})` : `predict(pd.DataFrame([{${written}}]))`}`;
    return [
      box("between", title, button("link", "Close", () => page.try(null))), text,
      ...this.compare(seen, values, near.place, rival.place, name), ...(known ? [code(call)] : []),
    ];
  }

  // The prototypes, with bars of the rows that they cover.
  list(seen, only, point) {
    const { fit, page } = this, { rule, now } = seen, places = now.shown.filter((place) => only < 0 || rule.classes[place] === only);
    const balls = rule.covering && rule.whole, all = this.all.has("list"), newly = rule.covering ? rule.covers(fit) : null, counts = new Map();
    if (!rule.covering) now.nearest.forEach((place) => counts.set(place, (counts.get(place) || 0) + 1));
    const wrong = (place) => (balls ? rule.invaders(fit).starts[place + 1] - rule.invaders(fit).starts[place] : 0);
    const inside = (place) => (balls ? rule.ball(place).length - wrong(place) : newly ? newly[place] : counts.get(place) || 0);
    const first = (place) => (newly ? +newly[place].toPrecision(6) : inside(place)), most = Math.max(1, ...places.map(inside), ...places.map(first));
    const other = (place) => rule.points[place] < fit.rows && fit.codes[rule.points[place]] !== rule.classes[place];
    const truth = (place) => (other(place) ? make("span", "soft", ` true class ${fit.classes[fit.codes[rule.points[place]]].name}`) : null);
    const of = (place) => this.prototype(rule, place), light = (place) => `color-mix(in srgb, ${of(place).colour} 40%, transparent)`;
    const columns = [
      { head: "", value: () => "", cell: (place) => (fit.album ? thumb(fit.album, rule.points[place]) : of(place).icon()) },
      { head: "row", name: true, sortable: true, value: (place) => rule.points[place], cell: (place) => of(place).link() },
      { head: "class", text: true, sortable: true, value: (place) => of(place).level, cell: (place) => box("", of(place).level, truth(place)) },
      ...(newly || rule.speaks ? [
        { head: "", value: () => "", cell: (place) => this.bars([...new Set([first(place), inside(place)])], [of(place).colour, light(place)], 0, most) },
        { head: newly ? "newly covered" : "rows nearest", sortable: true, value: first },
      ] : []),
      ...(balls && places.some(wrong) ? [{ head: "miscovered", sortable: true, value: wrong, cell: (place) => wrong(place) || "" }] : []),
    ];
    const caption = places.length ? `${places.length} prototypes${only < 0 ? "" : ` of ${fit.classes[only].name}`}` : "No prototypes";
    const title = [fit.ordered ? "In the order chosen" : "", balls ? "a light bar shows all rows of the class in the ball" : ""].filter(Boolean).join("; ");
    const shown = all ? places : places.slice(0, LISTED), chosen = rule.placeOf(point);
    const made = table({
      columns, rows: shown, order: this.order, mark: (place) => place === chosen, pick: (place) => page.select(rule.points[place]),
      className: fit.album ? "prototypes album" : "prototypes",
    });
    made.setAttribute("aria-label", "Prototypes");
    this.listed.hidden = !rule.points.length; // of a rule of conditions
    this.listed.replaceChildren(make("h2", "", caption, title ? { title } : {}), made);
    if (places.length > shown.length) this.listed.append(button("link", `Show all ${places.length}`, () => this.all.add("list") && page.update(true)));
  }

  // Tint the line of the selected prototype, or of the one nearest to the selected row, and keep it in view.
  mark(point, { rule, now }) {
    const own = rule.placeOf(point), place = own < 0 && point >= 0 && point < this.fit.rows ? now.nearest[point] : own;
    const { listed } = this;
    for (const line of listed.querySelectorAll("tbody tr")) {
      const chosen = line.dataset.row === String(place);
      line.classList.toggle("protoclass-marked", chosen);
      if (!chosen) continue;
      const { top, bottom } = line.getBoundingClientRect(), list = listed.getBoundingClientRect();
      listed.scrollTop += Math.min(0, top - list.top - HEAD) || Math.max(0, bottom - list.bottom + 8);
    }
  }
}
