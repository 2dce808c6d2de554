// Marks of classes, as sprites: made once for a colour, shape, size and number of dots, then copied.

const TURN = 2 * Math.PI;

function polygon(path, count, radius, turn) {
  for (let k = 0; k < count; k++) {
    const angle = turn + (k * TURN) / count;
    path[k ? "lineTo" : "moveTo"](radius * Math.cos(angle), radius * Math.sin(angle));
  }
  path.closePath();
}

function cross(path, r, turn) {
  const arm = r * 0.38, corners = [[arm, r], [arm, arm], [r, arm], [r, -arm], [arm, -arm], [arm, -r]];
  const all = [...corners, ...corners.map(([x, y]) => [-x, -y])];
  all.forEach(([x, y], k) => {
    const [u, v] = [x * Math.cos(turn) - y * Math.sin(turn), x * Math.sin(turn) + y * Math.cos(turn)];
    path[k ? "lineTo" : "moveTo"](u, v);
  });
  path.closePath();
}

// The outline of a mark around 0.
export function shape(mark, r) {
  const path = new Path2D();
  if (mark === "s") path.rect(-0.89 * r, -0.89 * r, 1.78 * r, 1.78 * r);
  else if (mark === "D") polygon(path, 4, 1.2 * r, 0);
  else if (mark === "^") polygon(path, 3, 1.25 * r, -TURN / 4);
  else if (mark === "v") polygon(path, 3, 1.25 * r, TURN / 4);
  else if (mark === "<") polygon(path, 3, 1.25 * r, TURN / 2);
  else if (mark === ">") polygon(path, 3, 1.25 * r, 0);
  else if (mark === "p") polygon(path, 5, 1.1 * r, -TURN / 4);
  else if (mark === "h") polygon(path, 6, 1.1 * r, -TURN / 4);
  else if (mark === "P") cross(path, 1.1 * r, 0);
  else if (mark === "X") cross(path, 1.1 * r, TURN / 8);
  else path.arc(0, 0, r, 0, TURN);
  return path;
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
      const path = mark === "x" ? strokes(radius) : shape(mark, radius);
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

function strokes(r) {
  const path = new Path2D();
  path.moveTo(-r, -r);
  path.lineTo(r, r);
  path.moveTo(-r, r);
  path.lineTo(r, -r);
  return path;
}

// Many copies of sprites, put into pixels: thousands of calls of a canvas would take longer than a frame.
export class Pixels {
  constructor() {
    this.canvas = document.createElement("canvas");
    this.ctx = this.canvas.getContext("2d");
    this.dots = new WeakMap();
  }

  start(width, height) {
    if (!this.image || this.image.width !== width || this.image.height !== height) {
      [this.canvas.width, this.canvas.height] = [width, height];
      this.image = this.ctx.createImageData(width, height);
    } else this.image.data.fill(0);
  }

  // The dots of a sprite that are not empty: across, down, red, green, blue and share of cover.
  read(sprite) {
    if (!this.dots.has(sprite)) {
      const side = sprite.width, { data } = sprite.getContext("2d").getImageData(0, 0, side, side), dots = [];
      for (let k = 0; k < side * side; k++) {
        const [r, g, b, a] = data.subarray(4 * k, 4 * k + 4);
        if (a) dots.push((k % side) - side / 2, Math.floor(k / side) - side / 2, r, g, b, a / 255);
      }
      this.dots.set(sprite, Float32Array.from(dots));
    }
    return this.dots.get(sprite);
  }

  stamp(dots, x, y, alpha) {
    const { width, height, data } = this.image;
    for (let k = 0; k < dots.length; k += 6) {
      const across = x + dots[k], down = y + dots[k + 1];
      if (across < 0 || across >= width || down < 0 || down >= height) continue;
      const at = 4 * (down * width + across), over = alpha * dots[k + 5], under = (data[at + 3] / 255) * (1 - over), sum = over + under;
      data[at] = (dots[k + 2] * over + data[at] * under) / sum;
      data[at + 1] = (dots[k + 3] * over + data[at + 1] * under) / sum;
      data[at + 2] = (dots[k + 4] * over + data[at + 2] * under) / sum;
      data[at + 3] = 255 * sum;
    }
  }

  finish() {
    this.ctx.putImageData(this.image, 0, 0);
    return this.canvas;
  }
}

// A picture of one mark for the legend.
export function icon(mark, fill, edge) {
  const ratio = 2, canvas = new Sprites(ratio).of(mark, 4.5, fill, edge, 1.3);
  canvas.style.width = `${canvas.width / ratio}px`;
  canvas.setAttribute("aria-hidden", "true");
  return canvas;
}
