// The panel beside the map: what is selected, explained by comparison, and the prototypes as a table.

import { code, table, tabulate } from "./controls.js";
import { box, button, drawn, make } from "./element.js";
import { thumb } from "./draw.js";
import { icon } from "./marks.js";
import { Values, named } from "./values.js";
import { countRows, pointWords, writeNumber } from "./words.js";

const NAMED = 12, LISTED = 100;

export class Panel extends Values {
  // The page has `fit`, `map`, `metric`, `fields`, `trial` (a row with other values, or null), `select(point)` and `call()`.
  constructor(page) {
    super(page);
    Object.assign(this, { fit: page.fit, order: {}, stats: new Map() });
    this.card = box("card");
    this.card.tabIndex = -1;
    this.listed = box("card");
    this.element = make("section", "panel", "", { "aria-label": "Explanation and prototypes" });
    this.element.append(this.card, this.listed);
  }

  get colours() {
    return this.page.map.drawing.colours;
  }

  show(seen, point, said) {
    const { page } = this, inside = this.card.contains(document.activeElement);
    if (page.trial) {
      if (this.typing(seen)) return;
      this.card.replaceChildren(...this.trial(seen));
    } else if (point < 0) this.card.replaceChildren(...this.overview(seen, said));
    else this.card.replaceChildren(...pointWords(seen, point).flatMap((words) => this.about(seen, point, words)), ...this.extra(said));
    if (inside && !this.card.contains(document.activeElement)) this.card.focus({ preventScroll: true }); // what had it is written again
  }

  overview({ fit, now, rule }, said) {
    const count = (rows, k) => rows.filter((code) => code === k).length, lost = fit.codes.filter((code, row) => now.judged[row] !== code), wrong = `misclassified (${now.how})`;
    const rows = fit.classes.map(({ name }, k) => ({ name, rows: count(fit.codes, k), prototypes: count(now.shown.map((place) => rule.classes[place]), k), [wrong]: count(lost, k) }));
    const columns = [{ head: "class", name: true, text: true, value: ({ name }) => name }, ...["rows", "prototypes", wrong].map((head) => ({ head, value: (row) => row[head] }))];
    return [
      make("h2", "", "Select a row or a prototype"),
      make("p", "soft", "Click a mark on the map or a line of the table to see why a row has its class."),
      ...this.newRows(), table({ caption: "Classes", columns, rows }), ...this.extra(said),
    ];
  }

  // What Python knows besides.
  extra({ words = [], tables = [] }) {
    return [...words.map((text) => make("p", "", text)), ...tables.map(tabulate)];
  }

  // Starts the explanation of a row that is not one of the fit.
  newRows(point = -1) {
    const { page } = this, { metric, fit } = page, out = [];
    if (!page.fields.length) return [];
    if (metric.reason) return [make("p", "soft", `New rows are not classified here, because ${metric.reason}: use fit.predict(new).`)];
    for (let k = 0; k < page.added; k++) {
      out.push(button("chip", `new row ${k}`, () => page.try(metric.row(fit.names.length + k), `new row ${k}`)));
    }
    if (!fit.album) out.push(button("chip", point < 0 ? "New row" : "What if", () => page.try(point < 0 ? this.usual() : metric.row(point), point < 0 ? "new row" : `row ${fit.called[point]}`)));
    return [box("chips", ...out)];
  }

  // Medians of the numbers and the most frequent levels.
  usual() {
    return this.page.fields.map((field, k) => {
      if (!field.levels) return +this.spread(k, -1)[2].toPrecision(4);
      const counts = field.levels.map((_, level) => field.values.subarray(0, this.fit.rows).filter((value) => value === level).length);
      return counts.indexOf(Math.max(...counts));
    });
  }

  // Lowest value, quartiles and highest value of a variable in a class, or of all rows for -1.
  spread(k, code) {
    const key = `${k} ${code}`;
    if (!this.stats.has(key)) {
      const { fit } = this, values = this.page.fields[k].values.subarray(0, fit.rows);
      const own = values.filter((value, row) => (code < 0 || fit.codes[row] === code) && !Number.isNaN(value)).sort();
      this.stats.set(key, [0, 0.25, 0.5, 0.75, 1].map((share) => {
        const at = share * (own.length - 1), low = Math.floor(at);
        return own[low] + (at - low) * ((own[low + 1] ?? own[low]) - own[low]);
      }));
    }
    return this.stats.get(key);
  }

  about(seen, point, { title, text, code: of, lists, place }) {
    const { fit, page } = this, head = make("h2", "", title), out = [head, make("p", "soft", text)];
    if (place >= 0) {
      if (fit.album) out.push(this.pictures([point], 84));
      else out.push(...this.profile(seen, point, of));
      for (const [name, rows] of lists) if (rows.length) out.push(this.rows(name, rows));
      return out;
    }
    const near = seen.now.nearest[point], pair = seen.rule.rivalOf(point);
    if (near >= 0 && seen.rule.points[near] !== point) out.push(...this.compare(seen, page.metric.row(point), near, pair ? pair.rival : -1, fit.called[point], point));
    const label = fit.quotes ? JSON.stringify(fit.names[point]) : fit.names[point];
    out.push(code(`${page.call()}.${page.explains ? `why(${label})` : `augment().loc[[${label}]]`}`), ...this.newRows(point));
    return out;
  }

  // Some rows by name, those of another class than the first with theirs.
  rows(name, rows) {
    const { fit, page } = this, head = make("h3", "", `${name}: ${countRows(rows.length)}`);
    if (fit.album) return box("", head, this.pictures(rows.slice(0, NAMED), 36));
    const chips = rows.slice(0, NAMED).map((row) => button("chip", fit.names[row], () => page.select(row), { title: fit.classes[fit.codes[row]].name }));
    return box("", head, box("chips", ...chips, rows.length > NAMED ? make("span", "soft", `and ${rows.length - NAMED} more`) : null));
  }

  // The values of a prototype against its class: the box has the quartiles of the class, the line all rows. Of variables whose parts of
  // the distance to the rival are known, those come first that separate the two most.
  profile(seen, point, of) {
    const { fields, metric } = this.page, pair = point < this.fit.rows && metric.works ? seen.rule.rivalOf(point) : null;
    if (!fields.length) return [];
    const rows = fields.map(({ name, levels }, k) => ({ name, k, value: this.page.metric.row(point)[k], spread: levels ? null : this.spread(k, of) }));
    if (pair && pair.rival >= 0) {
      const { parts } = metric.parts(metric.row(point), metric.row(seen.rule.points[pair.rival]));
      rows.sort((a, b) => parts[b.k] - parts[a.k]);
    }
    const columns = [
      { head: "variable", name: true, text: true, value: ({ name }) => name, cell: named },
      { head: "value", value: ({ k, value }) => this.write(k, value) },
      { head: "class median", value: ({ k, spread }) => (spread ? this.write(k, spread[2]) : "") },
      { head: "quartiles", value: () => "", cell: (row) => (row.spread ? this.glyph(row, of) : "") },
    ];
    return [this.some("profile", rows, columns, "compare")];
  }

  glyph({ k, value, spread: [, low, middle, high] }, of) {
    const [least, , , , most] = this.spread(k, -1), x = (v) => 3 + (84 * (v - least)) / (most - least || 1), svg = drawn("svg", { width: 90, height: 14, "aria-hidden": "true" });
    svg.append(
      drawn("path", { d: "M3 7H87", class: "protoclass-rule" }),
      drawn("rect", { x: x(low), width: Math.max(2, x(high) - x(low)), y: 3, height: 8, rx: 2, fill: this.colours[of], opacity: 0.35 }),
      drawn("path", { d: `M${x(middle)} 2V12`, class: "protoclass-line" }),
      ...(Number.isNaN(value) ? [] : [drawn("circle", { cx: x(value), cy: 7, r: 3.6, fill: this.colours[of] })]),
    );
    return svg;
  }

  // A row, its nearest prototype and the rival, variable by variable.
  compare(seen, values, near, rival, name, point = -1) {
    const { fit, page } = this, { fields, metric } = page, { rule } = seen, out = [], others = [near, rival].filter((place) => place >= 0);
    if (fit.album) {
      const points = others.map((place) => rule.points[place]);
      return point < 0 ? [this.pictures(points, 84)] : [this.pictures([point, ...points], 84, ["row", "nearest", "rival"])];
    }
    if (!fields.length) return out;
    const measured = metric.reason ? [] : others.map((place) => metric.parts(values, metric.row(rule.points[place])).parts);
    out.push(this.sideBySide([
      { head: page.trial ? "row" : name, values, cell: page.trial ? (row) => this.input(row) : null },
      ...others.map((place) => ({ head: fit.names[rule.points[place]], values: metric.row(rule.points[place]) })),
    ], measured, others.map((place) => this.colours[rule.classes[place]])));
    if (metric.reason && fields.length < 2) return out;
    if (metric.reason) return [...out, this.undivided()];
    const [change] = metric.changes(values, rule, seen.now.shown, fit.rows);
    if (!change) return [...out, make("p", "", "No change of a single variable gives another class.")];
    const words = make("p"), before = this.write(change.k, values[change.k]);
    words.append("With ", make("strong", "", `${change.name} = ${this.write(change.k, change.value)}`), ` instead of ${before} it would be predicted ${fit.classes[change.code].name}.`);
    return [...out, words];
  }

  // A value that can be changed.
  input({ k, name, levels, kind, value }) {
    const { page } = this, control = make(levels ? "select" : "input", "", "", { "aria-label": name, "data-k": k });
    if (levels) {
      control.append(...(page.metric.weights.length ? ["", ...levels] : levels).map((level) => make("option", "", level || "missing", { value: level })));
      control.value = levels[value] ?? "";
    } else {
      Object.assign(control, { type: "text", inputMode: "decimal", value: Number.isNaN(value) ? "" : String(value) });
    }
    control.addEventListener("input", () => {
      const text = control.value;
      page.trial.values[k] = levels ? (levels.includes(text) ? levels.indexOf(text) : NaN) : text.trim() === "" ? NaN : Number(text);
      page.tryAgain();
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
    const { page, fit } = this, { values, name } = page.trial, { near, rival } = page.metric.classify(values, seen.rule, seen.now.shown);
    const fields = page.fields.map(({ name: field, levels, kind }, k) => {
      const text = Number.isNaN(values[k]) ? "None" : !levels ? String(values[k]) : kind === "boolean" ? levels[values[k]] : JSON.stringify(levels[values[k]]);
      return `${JSON.stringify(field)}: ${text}`;
    });
    const head = box("between", make("h2", "", near.place < 0 ? `${name}: no class` : `${name}: predicted ${fit.classes[seen.rule.classes[near.place]].name}`),
      button("link", "Close", () => page.try(null)));
    if (near.place < 0) return [head, make("p", "problem", "Every predictor is needed, and a prototype."), ...this.compare(seen, values, -1, -1, name)];
    const at = ({ place, far }) => `${fit.called[seen.rule.points[place]]} (${fit.classes[seen.rule.classes[place]].name}) at ${writeNumber(far)}`;
    const text = `The nearest prototype is ${at(near)}${rival.place < 0 ? "" : `; the nearest of another class is ${at(rival)}`}. Change a value to see what happens.`;
    return [head, make("p", "soft", text, { "aria-live": "polite" }), ...this.compare(seen, values, near.place, rival.place, name), code(page.explains ? `${page.call()}.why({${fields.join(", ")}})` : `${page.call()}.predict(pd.DataFrame([{${fields.join(", ")}}]))`)];
  }

  pictures(points, height, words = []) {
    return box("pictures", ...points.map((point, k) => {
      const { fit, page } = this, image = thumb(fit.album, point), name = fit.names[point], figure = make("figure");
      const of = point < fit.rows ? `${name}: ${fit.classes[fit.codes[point]].name}` : name;
      image.setAttribute("role", "img");
      image.setAttribute("aria-label", of);
      image.style.height = `${height}px`;
      image.addEventListener("click", () => page.select(point));
      figure.append(image);
      if (words.length) figure.append(make("figcaption", "soft", `${words[k]} ${name}`));
      return figure;
    }));
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
    const columns = [
      { head: "", value: () => "", cell: (place) => (fit.album ? thumb(fit.album, rule.points[place]) : icon(fit.classes[rule.classes[place]].mark, this.colours[rule.classes[place]])) },
      { head: "row", name: true, sortable: true, value: (place) => rule.points[place], cell: (place) => button("link", fit.names[rule.points[place]], () => page.select(rule.points[place])) },
      {
        head: "class", text: true, sortable: true, value: (place) => fit.classes[rule.classes[place]].name,
        cell: (place) => box("", fit.classes[rule.classes[place]].name, other(place) ? make("span", "soft", ` true class ${fit.classes[fit.codes[rule.points[place]]].name}`) : null),
      },
      ...(newly || rule.speaks ? [
        { head: "", value: () => "", cell: (place) => this.bar(inside(place), first(place), most, rule.classes[place]) },
        { head: newly ? "newly covered" : "rows nearest", sortable: true, value: first },
      ] : []),
      ...(balls ? [{ head: "miscovered", sortable: true, value: wrong, cell: (place) => wrong(place) || "" }] : []),
    ];
    const caption = places.length ? `${places.length} prototypes${only < 0 ? "" : ` of ${fit.classes[only].name}`}` : "No prototypes";
    const words = balls ? [make("p", "soft", `${fit.ordered ? "In the order chosen. " : ""}A light bar shows all rows of the class in the ball.`)] : [];
    const shown = all ? places : places.slice(0, LISTED), chosen = rule.placeOf(point);
    const made = table({ columns, rows: shown, order: this.order, mark: (place) => place === chosen, pick: (place) => page.select(rule.points[place]), className: fit.album ? "prototypes album" : "prototypes" });
    made.setAttribute("aria-label", "Prototypes");
    this.listed.replaceChildren(make("h2", "", caption), ...words, made);
    if (places.length > shown.length) this.listed.append(button("link", `Show all ${places.length}`, () => this.all.add("list") && page.update(true)));
  }

  // Tint the line of the selected prototype.
  mark(point, { rule }) {
    const place = rule.placeOf(point);
    for (const line of this.listed.querySelectorAll("tbody tr")) line.classList.toggle("protoclass-marked", line.dataset.row === String(place));
  }

  bar(inside, first, most, of) {
    const bar = make("span", "cover", "", { "aria-hidden": "true" });
    for (const [count, opacity] of [[inside, 0.35], [first, 1]]) {
      const part = make("span", "bar");
      Object.assign(part.style, { width: `${(100 * count) / most}%`, background: this.colours[of], opacity });
      bar.append(part);
    }
    return bar;
  }
}
