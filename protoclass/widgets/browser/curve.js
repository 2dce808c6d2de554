// The cross-validated error over the radii, above the map: the chosen radius is marked, and a click chooses another.

const NS = "http://www.w3.org/2000/svg", WIDE = 640, HIGH = 120, EDGES = { left: 46, right: 10, top: 16, bottom: 30 };

function draw(tag, attributes, text = "") {
  const element = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text) element.textContent = text;
  return element;
}

export class Curve {
  // `choose(stage)` is called for a click.
  constructor(told, words, choose) {
    this.told = told;
    const { stages, errors, ses, marks, measure } = told, count = stages.length;
    const high = Math.max(...errors.map((error, k) => error + ses[k])), low = Math.min(0, ...errors);
    this.x = (k) => EDGES.left + ((WIDE - EDGES.left - EDGES.right) * (k + 0.5)) / count;
    this.y = (error) => HIGH - EDGES.bottom - ((HIGH - EDGES.top - EDGES.bottom) * (error - low)) / (high - low || 1);
    const name = `Cross-validated ${measure} at ${count} radii`;
    this.element = draw("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "protoclass-strip", role: "img", "aria-label": name });
    const line = errors.map((error, k) => `${k ? "L" : "M"}${this.x(k)} ${this.y(error)}`).join("");
    for (const error of [low, high]) {
      const y = this.y(error);
      this.element.append(draw("line", { x1: EDGES.left, x2: WIDE - EDGES.right, y1: y, y2: y, class: "protoclass-rule" }));
      this.element.append(draw("text", { x: EDGES.left - 5, y: y + 4, "text-anchor": "end" }, error.toFixed(error < 0.1 ? 3 : 2)));
    }
    this.element.append(draw("path", { d: line, class: "protoclass-line" }));
    for (let k = 0; k < count; k++) {
      const x = this.x(k), bar = { x1: x, x2: x, y1: this.y(errors[k] - ses[k]), y2: this.y(errors[k] + ses[k]) };
      this.element.append(draw("line", { ...bar, class: "protoclass-bar" }));
      this.element.append(draw("circle", { cx: x, cy: this.y(errors[k]), r: marks[k] ? 4.5 : 3, class: `protoclass-dot${marks[k] ? " protoclass-marked" : ""}` }));
      if (marks[k]) {
        const other = marks.findIndex((mark, at) => mark && at !== k), end = other < 0 ? k > count / 2 : k < other;
        this.element.append(draw("text", { x: x + (end ? 4 : -4), y: 10, "text-anchor": end ? "end" : "start" }, marks[k]));
      }
      if (k % Math.ceil(count / 10) === 0) {
        this.element.append(draw("text", { x, y: HIGH - 15, "text-anchor": "middle" }, words[stages[k]]));
      }
    }
    this.element.append(draw("text", { x: WIDE / 2, y: HIGH - 2, "text-anchor": "middle" }, `radius eps of the balls; ${measure}, cross-validated`));
    this.here = draw("line", { y1: EDGES.top - 4, y2: HIGH - EDGES.bottom, class: "protoclass-here" });
    this.element.append(this.here);
    this.element.addEventListener("click", (event) => {
      const box = this.element.getBoundingClientRect(), x = ((event.clientX - box.left) / box.width) * WIDE;
      const k = Math.floor(((x - EDGES.left) / (WIDE - EDGES.left - EDGES.right)) * count);
      if (k >= 0 && k < count) choose(stages[k]);
    });
  }

  mark(stage) {
    const k = this.told.stages.indexOf(stage);
    this.here.style.display = k < 0 ? "none" : "";
    if (k >= 0) for (const end of ["x1", "x2"]) this.here.setAttribute(end, this.x(k));
  }
}
