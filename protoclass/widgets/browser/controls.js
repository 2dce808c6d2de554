// Controls with their names, and tables.

import { make } from "./element.js";

export function labelled(text, control) {
  const label = make("label", "control");
  control.setAttribute("aria-label", text);
  label.append(make("span", "label", text), control);
  return label;
}

// A slider over whole numbers; `show(value, text)` moves it, and writes the text beside it.
export function range(text, most, moved) {
  const input = make("input", "", "", { type: "range", min: 0, max: most, step: 1 }), output = make("output", "value");
  input.addEventListener("input", () => moved(Number(input.value)));
  const label = labelled(text, input);
  label.append(output);
  const show = (value, words = String(value)) => {
    input.value = value;
    output.textContent = words;
    input.setAttribute("aria-valuetext", words);
  };
  return { input, label, show };
}

// A menu, or a list of so many rows, of pairs of a text and a value.
export function menu(text, options, moved, rows = 0) {
  const select = make("select", "", "", rows ? { size: rows } : {});
  offer(select, options);
  select.addEventListener("change", () => moved(select.value));
  return { select, label: labelled(text, select) };
}

// The options of a menu; those that stay are left alone, as a page takes long to lay out hundreds.
export function offer(select, entries) {
  const { options } = select;
  entries.forEach(([text, value], k) => {
    if (!options[k]) select.append(make("option"));
    if (options[k].text !== text) options[k].text = text;
    if (options[k].value !== String(value)) options[k].value = value;
  });
  while (options.length > entries.length) options[options.length - 1].remove();
}

// A table whose first column names its rows; `shares` shade its cells.
export function tabulate({ caption, head, rows, shares }) {
  const table = make("table", head.length ? "columns" : "fields");
  table.append(make("caption", "", caption));
  if (head.length) {
    const top = table.insertRow();
    for (const text of head) top.append(text ? make("th", "", text, { scope: "col" }) : make("td"));
  }
  rows.forEach(([name, ...values], k) => {
    const line = table.insertRow();
    line.append(make("th", "", name, { scope: "row" }));
    values.forEach((value, l) => {
      const cell = make("td", "", value);
      if (shares) cell.style.background = `rgb(86 180 233 / ${(0.6 * shares[k][l]).toFixed(2)})`;
      line.append(cell);
    });
  });
  return table;
}
