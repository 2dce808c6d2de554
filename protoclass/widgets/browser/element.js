// Elements of a page.

export function make(tag, className, text = "", properties = {}) {
  const element = document.createElement(tag);
  if (className) element.className = `protoclass-${className}`;
  if (text) element.textContent = text;
  for (const [name, value] of Object.entries(properties)) element.setAttribute(name, value);
  return element;
}

// An element around others; null stands for none.
export function box(className, ...children) {
  const element = make("div", className);
  element.append(...children.filter((child) => child !== null));
  return element;
}

export function button(className, text, act, properties = {}) {
  const element = make("button", className, text, { type: "button", ...properties });
  element.addEventListener("click", act);
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
