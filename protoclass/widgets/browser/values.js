// Rows beside one another, variable by variable, with the parts of their distances.

import { table } from "./controls.js";
import { box, button, make } from "./element.js";
import { writeNumber } from "./words.js";

const FIRST = 8;

// The name of a variable, which may go on in another line after "_".
export function named({ name }) {
  const text = make("span");
  text.append(...name.split(/(?<=_)/).flatMap((part) => [part, make("wbr")]));
  return text;
}

export class Values {
  // The page has `fields`, `metric` and `update(again)`.
  constructor(page) {
    Object.assign(this, { page, all: new Set() });
  }

  write(k, value) {
    const { levels } = this.page.fields[k];
    return Number.isNaN(value) || value < 0 && levels ? "missing" : levels ? levels[value] : writeNumber(value);
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

  // Columns with a `head` and the `values` of a row, then bars of the `parts` of distances, each in its colour. Of many variables those
  // come first whose parts differ most, or are largest.
  sideBySide(columns, parts, colours) {
    const most = Math.max(1e-300, ...parts.flat()), weight = ({ k }) => Math.abs(parts.at(-1)[k] - (parts.length > 1 ? parts[0][k] : 0));
    const rows = this.page.fields.map((field, k) => ({ ...field, k, value: columns[0].values[k] }));
    if (rows.length > FIRST && parts.length) rows.sort((a, b) => weight(b) - weight(a));
    const known = columns.map(({ head, values, cell }) => ({ head, value: ({ k }) => this.write(k, values[k]), cell }));
    if (parts.length) known.push({ head: "parts of distance", value: () => "", cell: ({ k }) => this.bars(parts.map((each) => each[k]), colours, most) });
    return this.some("compare", rows, [{ head: "variable", name: true, text: true, value: (row) => row.name, cell: named }, ...known], "compare");
  }

  undivided() {
    return make("p", "soft", `The distances are not divided among the variables, because ${this.page.metric.reason}.`);
  }

  bars(parts, colours, most) {
    const cell = make("span", "bars", "", { role: "img", "aria-label": parts.map(writeNumber).join(" and ") });
    parts.forEach((part, k) => {
      const bar = make("span", "bar");
      Object.assign(bar.style, { width: `${(100 * part) / most}%`, background: colours[k] });
      cell.append(bar);
    });
    cell.title = parts.map(writeNumber).join(" and ");
    return cell;
  }
}
