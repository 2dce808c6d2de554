// Controls with their names, the head of a page, and tables.

import { box, button, make } from "./element.js";

export function labelled(text, control) {
  const label = make("label", "control");
  control.setAttribute("aria-label", text);
  label.append(make("span", "label", text), control);
  return label;
}

// A menu of pairs of a text and a value.
export function menu(text, options, moved) {
  const select = make("select");
  select.append(...options.map(([name, value]) => make("option", "", name, { value })));
  select.addEventListener("change", () => moved(select.value));
  return { select, label: labelled(text, select) };
}

// What is explored, and figures with their nouns; a tooltip has the `words`.
export function headline({ formula, method }, figures, words = "") {
  const title = box("title", make("h1", "", formula), make("span", "soft", method));
  const known = box("figures", ...figures.map(([value, noun]) => box("figure", make("strong", "", value), make("span", "soft", noun))));
  if (words) Object.assign(known, { title: words, role: "status" });
  return box("head", title, known);
}

// A table of rows. A column has a `head` (with the nodes `title`), and of a row the `value` and, if it is more than that, the `cell`; columns
// that are `sortable` sort by a click on their head, which `order` remembers. `mark(row)` is whether a row is tinted.
export function table({ caption, columns, rows, order = {}, mark = () => false, pick = null, className = "" }) {
  const element = make("table", `table ${className}`.trim()), head = element.createTHead().insertRow(), body = element.createTBody();
  if (caption) element.createCaption().textContent = caption;
  const fill = () => {
    const { by, down } = order, sorted = [...rows], column = columns.find((each) => each.head === by);
    if (column) {
      const compare = (a, b) => (typeof a === "string" ? a.localeCompare(b) : a - b);
      sorted.sort((a, b) => (down ? -1 : 1) * compare(column.value(a), column.value(b)));
    }
    body.replaceChildren(...sorted.map((row) => {
      const line = make("tr", mark(row) ? "marked" : "", "", typeof row === "number" ? { "data-row": row } : {});
      columns.forEach(({ value, cell, text, name }) => {
        const field = make(name ? "th" : "td", text ? "text" : "", "", name ? { scope: "row" } : {}), content = (cell || value)(row);
        field.append(content instanceof Node ? content : String(content));
        line.append(field);
      });
      if (pick) {
        line.addEventListener("click", () => pick(row));
        line.addEventListener("keydown", (event) => {
          const next = { ArrowDown: line.nextSibling, ArrowUp: line.previousSibling }[event.key];
          if (!next) return;
          event.preventDefault();
          next.querySelector("button").focus();
          next.click();
        });
      }
      return line;
    }));
    columns.forEach((each, k) => each.sortable && head.cells[k].setAttribute("aria-sort", each !== column ? "none" : down ? "descending" : "ascending"));
  };
  for (const { head: name, title = [name], sortable, text } of columns) {
    const cell = make(name || title.length > 1 ? "th" : "td", text ? "text" : "", "", name ? { scope: "col" } : {});
    const sort = () => {
      Object.assign(order, order.by !== name ? { by: name, down: !text } : order.down === Boolean(text) ? { by: null } : { down: !order.down });
      fill();
    };
    cell.append(...(sortable ? [button("sort", name, sort)] : title));
    head.append(cell);
  }
  fill();
  return element;
}

// A table of Python's: texts, of which the first of a row is its name; `shares` shade its cells.
export function tabulate({ caption, head, rows, shares }) {
  const width = Math.max(head.length, ...rows.map((row) => row.length)), cells = rows.map((row, k) => ({ row, shares: shares && shares[k] }));
  const columns = Array.from({ length: width }, (_, k) => ({
    head: head[k] || "", name: k === 0, text: k === 0 || !head.length, value: ({ row }) => row[k],
    cell: ({ row, shares: shade }) => {
      if (!shade || !k) return row[k];
      const cell = make("span", "share", row[k]);
      cell.style.setProperty("--share", `${Math.round(55 * shade[k - 1])}%`);
      return cell;
    },
  }));
  return table({ caption, columns, rows: cells });
}

// A line of code that can be copied.
export function code(text) {
  const line = make("code", "", text), copy = button("link", "Copy", async () => {
    try {
      await navigator.clipboard.writeText(text);
      copy.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(line); // without a right to the clipboard
    }
  }, { "aria-label": "Copy as code" });
  return box("code", line, copy);
}
