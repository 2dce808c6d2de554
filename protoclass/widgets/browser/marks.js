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
      this.words = new Uint32Array(this.image.data.buffer); // of red, green, blue and opacity, from the lowest byte on
    } else this.words.fill(0);
  }

  // The dots of a sprite that are not empty: across, down, colour and share of cover, for each.
  read(sprite) {
    if (!this.dots.has(sprite)) {
      const side = sprite.width, { data } = sprite.getContext("2d").getImageData(0, 0, side, side), dots = { side };
      const colours = new Uint32Array(data.buffer), places = Array.from(colours.keys()).filter((k) => colours[k] >>> 24);
      dots.across = Int16Array.from(places, (k) => (k % side) - side / 2);
      dots.down = Int16Array.from(places, (k) => Math.floor(k / side) - side / 2);
      dots.colours = Uint32Array.from(places, (k) => colours[k] & 0xffffff);
      dots.cover = Float64Array.from(places, (k) => (colours[k] >>> 24) / 255);
      this.dots.set(sprite, dots);
    }
    return this.dots.get(sprite);
  }

  stamp({ side, across, down, colours, cover }, x, y, alpha) {
    const { words, image: { width, height } } = this, whole = x >= side && y >= side && x < width - side && y < height - side;
    for (let k = 0; k < across.length; k++) {
      const u = x + across[k], v = y + down[k];
      if (!whole && (u < 0 || u >= width || v < 0 || v >= height)) continue;
      const at = v * width + u, old = words[at], colour = colours[k], over = alpha * cover[k];
      if (old === 0) {
        words[at] = (Math.round(255 * over) << 24) | colour;
        continue;
      }
      const under = ((old >>> 24) / 255) * (1 - over), sum = over + under, share = over / sum, rest = 1 - share;
      const red = (colour & 255) * share + (old & 255) * rest;
      const green = ((colour >> 8) & 255) * share + ((old >> 8) & 255) * rest;
      const blue = (colour >> 16) * share + ((old >> 16) & 255) * rest;
      words[at] = ((255 * sum + 0.5) << 24) | ((blue + 0.5) << 16) | ((green + 0.5) << 8) | (red + 0.5);
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
