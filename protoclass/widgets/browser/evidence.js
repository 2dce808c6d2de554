// Rows beside one another, by what they are made of: variables with the parts of their distances, letters, series, images, distances
// alone, or the conditions of a rule.

import { table } from "./controls.js";
import { thumb } from "./draw.js";
import { box, button, drawn, make } from "./element.js";
import { icon } from "./marks.js";
import { writeNumber } from "./words.js";

const FIRST = 8, WIDE = 372, HIGH = 120;

// The name of a variable, which may go on in another line after "_".
export function breakable({ name }) {
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

  // The values of a row and of prototypes, with bars of the parts of both distances; the largest parts come first, and lines stay in place
  // while values are typed.
  sideBySide(entries) {
    const { metric, fields, trial } = this.page, [row, ...others] = entries, colours = others.map(({ code }) => this.colours[code]);
    const parts = metric.works ? others.map(({ values, code }) => metric.pair(row.values, values, code).parts) : [];
    const size = (k) => Math.max(...parts.map((each) => Math.abs(each[k]))), ordered = fields.map((_, k) => k).sort((a, b) => size(b) - size(a));
    const order = (trial && trial.order) || (parts.length ? ordered : [...fields.keys()]);
    if (trial && parts.length) trial.order = order;
    const columns = entries.map((entry) => ({
      head: entry.name, title: this.title(entry), value: ({ k }) => this.write(k, entry.values[k]),
      cell: trial && entry === row ? (field) => this.input(field) : null,
    }));
    const low = Math.min(0, ...parts.flat()), span = Math.max(0, ...parts.flat()) - low || 1;
    const bars = { head: "contributions", value: () => "", cell: ({ k }) => this.bars(parts.map((each) => each[k]), colours, low, span) };
    const named = { head: "variable", name: true, text: true, value: ({ name }) => name, cell: breakable };
    const rows = order.map((k) => ({ ...fields[k], k, value: row.values[k] }));
    return this.some("compare", rows, [named, ...columns, ...(parts.length ? [bars] : [])], "compare");
  }

  // Signed parts as bars from a common zero.
  bars(parts, colours, low, span) {
    const words = parts.map(writeNumber).join(" and "), cell = make("span", "bars", "", { role: "img", "aria-label": words, title: words });
    parts.forEach((part, k) => {
      const bar = make("span", "bar");
      const [start, width] = [Math.min(0, part) - low, Math.abs(part)].map((value) => `${(100 * value) / span}%`);
      Object.assign(bar.style, { marginLeft: start, width, background: colours[k] });
      cell.append(bar);
    });
    return cell;
  }

  // Texts in monospace; letters of the words that a row and a prototype share are tinted.
  letters(entries, field) {
    const texts = entries.map(({ values }) => this.write(0, values[0])), k = this.fit.shared;
    return box("letters", ...entries.map((entry, at) => {
      const line = make("code", "", "", { title: field.name }), other = texts[at ? 0 : 1] ?? "", { code = 0 } = entries[at || 1] ?? {};
      const inside = new Uint8Array(texts[at].length);
      for (let i = 0; i + k <= inside.length; i++) if (other.includes(texts[at].slice(i, i + k))) inside.fill(1, i, i + k);
      for (let i = 0, end = 0; i < inside.length; i = end) {
        for (end = i; end < inside.length && inside[end] === inside[i]; end++);
        const part = make(inside[i] ? "mark" : "span", "", texts[at].slice(i, end));
        if (inside[i]) part.style.setProperty("--tint", this.colours[code]);
        line.append(part);
      }
      return box("", box("entry", ...this.title(entry)), line);
    }));
  }

  // Series as lines over one another: the row in ink, the rival dashed.
  series(entries) {
    const { length, values } = this.fit.series, lines = entries.map(({ point }) => Array.from(values.subarray(point * length, (point + 1) * length)));
    const known = lines.flat().filter((value) => !Number.isNaN(value)), low = Math.min(...known), high = Math.max(...known);
    const words = entries.map(({ role, name }) => `${role} ${name}`).join(", "), x = (at) => 4 + ((WIDE - 8) * at) / Math.max(1, length - 1);
    const y = (value) => HIGH - 4 - ((HIGH - 8) * (value - low)) / (high - low || 1);
    const svg = drawn("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "protoclass-series", role: "img", "aria-label": words });
    svg.append(...entries.map(({ role, code }, k) => {
      const spots = lines[k].map((value, at) => [x(at), y(value)]).filter((spot) => !Number.isNaN(spot[1]));
      const d = spots.map((spot, at) => `${at ? "L" : "M"}${spot.map((v) => v.toFixed(1)).join(" ")}`).join("");
      const path = drawn("path", { d, class: `protoclass-curve protoclass-${role}` });
      if (role !== "row") path.style.stroke = this.colours[code];
      return path;
    }).reverse());
    return box("", svg, box("entry", ...entries.flatMap((entry) => this.title(entry))));
  }

  // Images side by side, and the learned weights of their pixels for the class of each prototype.
  images(entries) {
    const { album, classes } = this.fit, { relevance, height, width } = album, prototypes = entries.filter(({ role }) => role !== "row");
    const codes = relevance ? [...new Set(prototypes.map(({ code }) => (relevance.length > height * width ? code : 0)))] : [];
    return box("pictures", ...entries.map((entry) => this.image(entry.point, 84, this.title(entry), entry.values)), ...codes.map((code) => {
      const figure = make("figure"), image = thumb({ ...album, pixels: relevance.map((weight) => 255 * (1 - weight)) }, code);
      image.style.height = "84px";
      figure.append(image, make("figcaption", "soft", codes.length > 1 ? `weights, ${classes[code].name}` : "weights of pixels"));
      return figure;
    }));
  }

  // The picture of a point, or of the values of a row that is not in the fit (point -1).
  image(point, height, words, values) {
    const { fit, page } = this, { album } = fit, name = fit.names[point] ?? "new row", level = fit.classes[fit.codes[point]];
    const shades = point < 0 && values.map((value) => 255 * (1 - (value - album.low) / (album.high - album.low || 1)));
    const image = shades ? thumb({ ...album, pixels: shades }, 0) : thumb(album, point), figure = make("figure");
    image.setAttribute("role", "img");
    image.setAttribute("aria-label", level ? `${name}: ${level.name}` : name);
    image.style.height = `${height}px`;
    image.addEventListener("click", () => point < 0 || page.select(point));
    figure.append(image);
    if (words) {
      figure.append(make("figcaption", "soft"));
      figure.lastChild.append(...words);
    }
    return figure;
  }

  // The prototype at a place of a rule.
  prototype(rule, place) {
    const { fit } = this, point = rule.points[place], code = rule.classes[place], { name: level, mark } = fit.classes[code];
    const colour = this.colours[code], name = fit.names[point], link = () => button("link", name, () => this.page.select(point));
    return { point, code, level, colour, name, link, icon: () => icon(mark, colour), words: `${fit.called[point]} (${level})` };
  }

  // The nearest prototypes of a row as bars of their distances, if these are all that is known.
  distances({ rule }, row) {
    const count = rule.neighbours.length / this.fit.rows, from = row * count, far = rule.distances.subarray(from, from + count);
    const near = Array.from(far, (distance, k) => ({ distance, ...this.prototype(rule, rule.neighbours[from + k]) }));
    const rows = near.filter(({ distance }) => distance < Infinity);
    const most = Math.max(...rows.map(({ distance }) => distance)) || 1, columns = [
      { head: "", value: () => "", cell: ({ icon: mark }) => mark() },
      { head: "nearest", name: true, value: () => "", cell: ({ link }) => link() },
      { head: "class", text: true, value: ({ level }) => level },
      { head: "", value: () => "", cell: ({ distance, colour }) => this.bars([distance], [colour], 0, most) },
      { head: "distance", value: ({ distance }) => writeNumber(distance) },
    ];
    return rows.length ? [table({ columns, rows, className: "distances" })] : [];
  }

  // The conditions of a rule in words, each a switch that tints its rows on the map; the one that settles a row is marked.
  conditions({ fit, rule }, row) {
    const { page } = this, list = make("ol", "conditions");
    rule.conditions.forEach(({ words, rows }, k) => {
      const counts = fit.classes.map(({ name }, code) => [rows.filter((each) => fit.codes[each] === code).length, name]);
      const known = counts.filter(([count]) => count).map((count) => count.join(" ")).join(", ") || "no rows";
      const item = make("li", rows.includes(row) ? "marked" : ""), chosen = page.map.state.condition === k;
      const act = () => page.set({ condition: chosen ? -1 : k });
      item.append(button("condition", words, act, { "aria-pressed": String(chosen) }), make("span", "soft", ` settles ${known}`));
      list.append(item);
    });
    return rule.conditions.length ? [make("p", "soft", "A row gets its class at the first condition that settles it."), list] : [];
  }
}
