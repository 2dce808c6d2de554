// Rows beside one another, by what they are made of: variables with the parts of their distances, letters, series, images, distances
// alone, or the conditions of a rule.

import { table } from "./controls.js";
import { thumb } from "./draw.js";
import { box, button, drawn, make } from "./element.js";
import { icon } from "./marks.js";
import { countRows, writeNumber } from "./words.js";

const FIRST = 8, WIDE = 372, HIGH = 120;

// The name of a variable, which may go on in another line after "_".
export function named({ name }) {
  const text = make("span");
  text.append(...name.split(/(?<=_)/).flatMap((part) => [part, make("wbr")]));
  return text;
}

export class Evidence {
  // The page has `fit`, `fields`, `metric` and `update(again)`. An entry below is a row or prototype: its `point`, `name`, `role` ("row",
  // "nearest" or "rival"), the `code` of its class, and its `values`.
  constructor(page) {
    Object.assign(this, { page, fit: page.fit, all: new Set() });
  }

  get colours() {
    return this.page.map.drawing.colours;
  }

  // What the entries show of their rows: none of a row of a given matrix.
  entries(entries) {
    const { fit, page } = this, [lone] = page.fields;
    if (fit.series.length) return [this.series(entries)];
    if (fit.album) return [this.images(entries)];
    if (page.fields.length === 1 && lone.levels && page.metric.reason) return [this.letters(entries, lone)];
    return page.fields.length ? [this.sideBySide(entries)] : [];
  }

  // The mark of the class, the role and the name of an entry.
  title({ name, role, code }) {
    const mark = role === "row" ? null : icon(this.fit.classes[code].mark, this.colours[code]);
    return mark ? [mark, `${role} ${name}`] : [name];
  }

  write(k, value) {
    const { levels } = this.page.fields[k];
    return Number.isNaN(value) || (value < 0 && levels) ? "missing" : levels ? levels[value] : writeNumber(value);
  }

  // A table of variables; of many the first.
  some(key, rows, columns, className) {
    const all = this.all.has(key), shown = all ? rows : rows.slice(0, FIRST), made = table({ columns, rows: shown, className });
    if (rows.length <= FIRST) return made;
    return box("", made, button("link", all ? "Show fewer" : `Show all ${rows.length} variables`, () => {
      this.all[all ? "delete" : "add"](key);
      this.page.update(true);
    }));
  }

  // The values of a row and of prototypes, with bars of the parts of both distances; the largest parts come first.
  sideBySide(entries) {
    const { metric, fields, trial } = this.page, [row, ...others] = entries;
    const parts = metric.works ? others.map(({ values, code }) => metric.pair(row.values, values, code).parts) : [];
    const rows = fields.map((field, k) => ({ ...field, k, value: row.values[k] })), size = ({ k }) => Math.max(...parts.map((each) => Math.abs(each[k])));
    if (parts.length && !(trial && trial.order)) rows.sort((a, b) => size(b) - size(a));
    if (trial && trial.order) rows.sort((a, b) => trial.order.indexOf(a.k) - trial.order.indexOf(b.k));
    else if (trial && parts.length) trial.order = rows.map(({ k }) => k); // the lines stay while values are typed
    const columns = entries.map((entry, k) => ({ head: k && entry.role ? "" : entry.name, title: this.title(entry), value: (field) => this.write(field.k, entry.values[field.k]), cell: trial && !k ? (field) => this.input(field) : null }));
    const low = Math.min(0, ...parts.flat()), span = Math.max(0, ...parts.flat()) - low || 1;
    if (parts.length) {
      columns.push({ head: "contributions", value: () => "", cell: ({ k }) => this.bars(parts.map((each) => each[k]), others.map(({ code }) => this.colours[code]), low, span) });
    }
    return this.some("compare", rows, [{ head: "variable", name: true, text: true, value: ({ name }) => name, cell: named }, ...columns], "compare");
  }

  // Signed parts as bars from a common zero.
  bars(parts, colours, low, span) {
    const words = parts.map(writeNumber).join(" and "), cell = make("span", "bars", "", { role: "img", "aria-label": words, title: words });
    parts.forEach((part, k) => {
      const bar = make("span", "bar");
      Object.assign(bar.style, { marginLeft: `${(100 * (Math.min(0, part) - low)) / span}%`, width: `${(100 * Math.abs(part)) / span}%`, background: colours[k] });
      cell.append(bar);
    });
    return cell;
  }

  // Texts in monospace; letters of the words that a row and a prototype share are tinted.
  letters(entries, field) {
    const texts = entries.map(({ values }) => this.write(0, values[0])), k = this.fit.shared;
    return box("letters", ...entries.map((entry, at) => {
      const line = make("code", "", "", { title: field.name }), other = texts[at ? 0 : 1] ?? "", tint = this.colours[entries[at || 1]?.code ?? 0];
      const inside = new Uint8Array(texts[at].length);
      for (let i = 0; i + k <= inside.length; i++) if (other.includes(texts[at].slice(i, i + k))) inside.fill(1, i, i + k);
      for (let i = 0, end = 0; i < inside.length; i = end) {
        for (end = i; end < inside.length && inside[end] === inside[i]; end++);
        const part = make(inside[i] ? "mark" : "span", "", texts[at].slice(i, end));
        if (inside[i]) part.style.setProperty("--tint", tint);
        line.append(part);
      }
      return box("", box("entry", ...this.title(entry)), line);
    }));
  }

  // Series as lines over one another: the row in ink, the rival dashed.
  series(entries) {
    const { length, values } = this.fit.series, lines = entries.map(({ point }) => values.subarray(point * length, (point + 1) * length));
    const known = lines.flatMap((line) => Array.from(line)).filter((value) => !Number.isNaN(value)), low = Math.min(...known), high = Math.max(...known);
    const svg = drawn("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "protoclass-series", role: "img", "aria-label": entries.map(({ role, name }) => `${role} ${name}`).join(", ") });
    lines.map((line, k) => [line, entries[k]]).reverse().forEach(([line, { role, code }]) => {
      const spots = Array.from(line).map((value, t) => [4 + ((WIDE - 8) * t) / Math.max(1, length - 1), HIGH - 4 - ((HIGH - 8) * (value - low)) / (high - low || 1)]);
      const path = drawn("path", { d: spots.filter(([, y]) => !Number.isNaN(y)).map(([x, y], t) => `${t ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join(""), class: `protoclass-curve protoclass-${role}` });
      if (role !== "row") path.style.stroke = this.colours[code];
      svg.append(path);
    });
    return box("", svg, box("entry", ...entries.flatMap((entry) => this.title(entry))));
  }

  // Images side by side, and the learned weights of their pixels for the class of each prototype.
  images(entries) {
    const { album } = this.fit, figures = entries.map((entry) => this.image(entry.point, 84, this.title(entry)));
    const codes = album.relevance ? [...new Set(entries.filter(({ role }) => role !== "row").map(({ code }) => (album.relevance.length > album.height * album.width ? code : 0)))] : [];
    return box("pictures", ...figures, ...codes.map((code) => {
      const weights = { ...album, pixels: album.relevance.map((weight) => 255 * (1 - weight)) }, figure = make("figure");
      figure.append(thumb(weights, code), make("figcaption", "soft", codes.length > 1 ? `weights, ${this.fit.classes[code].name}` : "weights of pixels"));
      figure.firstChild.style.height = "84px";
      return figure;
    }));
  }

  image(point, height, words) {
    const { fit, page } = this, image = thumb(fit.album, point), name = fit.names[point], figure = make("figure");
    image.setAttribute("role", "img");
    image.setAttribute("aria-label", point < fit.rows ? `${name}: ${fit.classes[fit.codes[point]].name}` : name);
    image.style.height = `${height}px`;
    image.addEventListener("click", () => page.select(point));
    figure.append(image);
    if (words) {
      figure.append(make("figcaption", "soft"));
      figure.lastChild.append(...words);
    }
    return figure;
  }

  // The nearest prototypes of a row as bars of their distances, where these are all that is known.
  distances({ rule }, row) {
    const count = rule.neighbours.length / this.fit.rows, at = Array.from({ length: count }, (_, k) => row * count + k).filter((k) => rule.distances[k] < Infinity);
    if (!at.length) return [];
    const most = Math.max(...at.map((k) => rule.distances[k])) || 1, placeOf = (k) => rule.neighbours[k], classOf = (k) => rule.classes[placeOf(k)];
    const columns = [
      { head: "", value: () => "", cell: (k) => icon(this.fit.classes[classOf(k)].mark, this.colours[classOf(k)]) },
      { head: "nearest", name: true, value: () => "", cell: (k) => button("link", this.fit.names[rule.points[placeOf(k)]], () => this.page.select(rule.points[placeOf(k)])) },
      { head: "class", text: true, value: (k) => this.fit.classes[classOf(k)].name },
      { head: "", value: () => "", cell: (k) => this.bars([rule.distances[k]], [this.colours[classOf(k)]], 0, most) },
      { head: "distance", value: (k) => writeNumber(rule.distances[k]) },
    ];
    return [table({ columns, rows: at.map((k) => k), className: "distances" })];
  }

  // The conditions of a rule in words, each a switch that tints its rows on the map; the one that settles a row is marked.
  conditions({ fit, rule }, row) {
    const { page } = this, list = make("ol", "conditions");
    rule.conditions.forEach(({ words, rows }, k) => {
      const counts = fit.classes.map(({ name }, code) => [rows.filter((each) => fit.codes[each] === code).length, name]).filter(([count]) => count);
      const item = make("li", rows.includes(row) ? "marked" : ""), chosen = page.map.state.condition === k;
      item.append(button("condition", words, () => page.set({ condition: chosen ? -1 : k }, true), { "aria-pressed": String(chosen) }),
        make("span", "soft", ` settles ${counts.length ? counts.map(([count, name]) => `${count} ${name}`).join(", ") : countRows(0)}`));
      list.append(item);
    });
    return rule.conditions.length ? [make("p", "soft", "A row gets its class at the first condition that settles it."), list] : [];
  }
}
