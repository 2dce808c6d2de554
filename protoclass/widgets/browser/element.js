// Elements of a page.

export function make(tag, className, text = "", properties = {}) {
  const element = document.createElement(tag);
  if (className) element.className = `protoclass-${className}`;
  if (text) element.textContent = text;
  for (const [name, value] of Object.entries(properties)) element.setAttribute(name, value);
  return element;
}

const NS = "http://www.w3.org/2000/svg";

// A shape of a drawing.
export function drawn(tag, attributes = {}, text = "") {
  const element = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text) element.textContent = text;
  return element;
}
