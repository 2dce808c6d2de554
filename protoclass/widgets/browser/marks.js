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
      const ctx = canvas.getContext("2d", { willReadFrequently: true });
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

// The colour of a dot whose red, green or blue was multiplied by its opacity: opacity in the higher byte, that product in the lower.
const UNDONE = Uint8Array.from({ length: 65536 }, (_, k) => Math.min(255, Math.round((255 * (k & 255)) / Math.max(1, k >> 8))));

// Many copies of sprites, put into pixels: thousands of calls of a canvas would take longer than a frame. Colours are kept as products
// with their opacity, so that a dot over another takes two products of whole numbers, each of two of its four bytes at once.
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
      this.shown = new Uint32Array(this.image.data.buffer); // of red, green, blue and opacity, from the lowest byte on
      this.words = new Uint32Array(width * height);
      this.dots = new WeakMap();
    } else this.words.fill(0);
  }

  // The dots of a sprite that are not empty, drawn with a share of their opacity: places from its middle, colours, and what
  // they leave of a dot under them, of 256.
  read(sprite, alpha) {
    if (!this.dots.has(sprite)) this.dots.set(sprite, new Map());
    const kept = this.dots.get(sprite);
    if (!kept.has(alpha)) kept.set(alpha, this.measure(sprite, alpha));
    return kept.get(alpha);
  }

  measure(sprite, alpha) {
    const side = sprite.width, { data } = sprite.getContext("2d").getImageData(0, 0, side, side), { width } = this.image;
    const cover = (k) => Math.round(alpha * data[4 * k + 3]), places = Array.from({ length: side * side }, (_, k) => k).filter(cover);
    const across = Int16Array.from(places, (k) => (k % side) - side / 2), down = Int16Array.from(places, (k) => Math.floor(k / side) - side / 2);
    const colours = Uint32Array.from(places, (k) => {
      const [red, green, blue] = [0, 1, 2].map((c) => Math.round((data[4 * k + c] * cover(k)) / 255));
      return (cover(k) << 24) | (blue << 16) | (green << 8) | red;
    });
    const left = Uint16Array.from(places, (k) => 255 - cover(k) + ((255 - cover(k)) >> 7));
    return { side, across, down, colours, left, apart: Int32Array.from(places, (_, k) => down[k] * width + across[k]) };
  }

  stamp({ side, across, down, colours, left, apart }, x, y) {
    const { words, image: { width, height } } = this, middle = y * width + x;
    const whole = x >= side && y >= side && x < width - side && y < height - side;
    for (let k = 0; k < apart.length; k++) {
      if (!whole) {
        const u = x + across[k], v = y + down[k];
        if (u < 0 || u >= width || v < 0 || v >= height) continue;
      }
      const at = middle + apart[k], old = words[at], share = left[k];
      words[at] = old === 0 ? colours[k]
        : colours[k] + (((Math.imul(old & 0xff00ff, share) >>> 8) & 0xff00ff) | (Math.imul((old >>> 8) & 0xff00ff, share) & 0xff00ff00));
    }
  }

  finish() {
    const { words, shown } = this;
    for (let at = 0; at < words.length; at++) {
      const word = words[at], high = (word >>> 24) << 8;
      shown[at] = word === 0 ? 0
        : (high << 16) | (UNDONE[high | ((word >>> 16) & 255)] << 16) | (UNDONE[high | ((word >>> 8) & 255)] << 8) | UNDONE[high | (word & 255)];
    }
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
