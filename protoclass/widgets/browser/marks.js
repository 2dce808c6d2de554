// Marks of classes, as sprites: made once for a colour, shape, size and number of dots, then copied.

const TURN = 2 * Math.PI;

const join = (corners) => `M${corners.map((corner) => corner.map((v) => v.toFixed(2)).join(" ")).join("L")}Z`;

function polygon(count, radius, turn) {
  return join(Array.from({ length: count }, (_, k) => [radius * Math.cos(turn + (k * TURN) / count), radius * Math.sin(turn + (k * TURN) / count)]));
}

function cross(r, turn) {
  const arm = r * 0.38, corners = [[arm, r], [arm, arm], [r, arm], [r, -arm], [arm, -arm], [arm, -r]];
  const around = [...corners, ...corners.map(([x, y]) => [-x, -y])];
  return join(around.map(([x, y]) => [x * Math.cos(turn) - y * Math.sin(turn), x * Math.sin(turn) + y * Math.cos(turn)]));
}

// The outline of a mark around 0, as a path of SVG.
export function shape(mark, r) {
  if (mark === "s") return polygon(4, 1.26 * r, TURN / 8);
  if (mark === "D") return polygon(4, 1.2 * r, 0);
  if (mark === "^") return polygon(3, 1.25 * r, -TURN / 4);
  if (mark === "v") return polygon(3, 1.25 * r, TURN / 4);
  if (mark === "<") return polygon(3, 1.25 * r, TURN / 2);
  if (mark === ">") return polygon(3, 1.25 * r, 0);
  if (mark === "p") return polygon(5, 1.1 * r, -TURN / 4);
  if (mark === "h") return polygon(6, 1.1 * r, -TURN / 4);
  if (mark === "P") return cross(1.1 * r, 0);
  if (mark === "X") return cross(1.1 * r, TURN / 8);
  return `M${r} 0A${r} ${r} 0 1 1 ${-r} 0A${r} ${r} 0 1 1 ${r} 0Z`;
}

export class Sprites {
  constructor(ratio) {
    this.ratio = ratio;
    this.kept = new Map();
  }

  // A canvas with one mark in its middle.
  of(mark, radius, fill, edge, width) {
    const key = [mark, radius, fill, edge, width].join(" ");
    if (!this.kept.has(key)) {
      const side = 2 * Math.ceil((1.3 * radius + width + 1) * this.ratio), canvas = document.createElement("canvas");
      canvas.width = canvas.height = side;
      const ctx = canvas.getContext("2d");
      ctx.translate(side / 2, side / 2);
      ctx.scale(this.ratio, this.ratio);
      const path = new Path2D(shape(mark, radius));
      if (fill) {
        ctx.fillStyle = fill;
        ctx.fill(path);
      }
      if (edge) {
        ctx.strokeStyle = edge;
        ctx.lineWidth = width;
        ctx.stroke(path);
      }
      this.kept.set(key, canvas);
    }
    return this.kept.get(key);
  }
}

// A picture of one mark for the legend.
export function icon(mark, fill, edge, size = 4.5) {
  const ratio = 2, canvas = new Sprites(ratio).of(mark, size, fill, edge, 1.3);
  canvas.style.width = `${canvas.width / ratio}px`;
  canvas.setAttribute("aria-hidden", "true");
  return canvas;
}
