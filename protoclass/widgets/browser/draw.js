// The picture: rows, prototypes and balls on one canvas, what is chosen or under the pointer on another above it.

import { Pixels, Sprites } from "./marks.js";
import { ticks } from "./frame.js";

const WRONG = "#FF0000", GREY = "#808080", FAINT = 0.12, BALLS = 60, PICTURES = 200, SIDE = 24, ROOM = { left: 46, bottom: 36 };

export class Drawing {
  constructor(base, top) {
    this.base = base;
    this.top = top;
    this.thumbs = new Map();
    this.pixels = new Pixels();
  }

  // The colours of the page, and those of the classes, which are seen on it.
  paint(ink, paper, classes) {
    Object.assign(this, { ink, paper, colours: classes.map((colour) => visible(colour, paper, ink)) });
  }

  // The size in pixels of the page and the dots for each; returns where the plane lies in it.
  resize(width, height, ratio) {
    const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
    for (const canvas of [this.base, this.top]) {
      if (canvas.width !== w) canvas.width = w;
      if (canvas.height !== h) canvas.height = h;
    }
    if (!this.sprites || this.sprites.ratio !== ratio) this.sprites = new Sprites(ratio);
    Object.assign(this, { width, height, ratio });
    return { left: ROOM.left, top: 6, width: Math.max(40, width - ROOM.left - 6), height: Math.max(40, height - ROOM.bottom - 6) };
  }

  start(canvas) {
    const ctx = canvas.getContext("2d");
    ctx.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    ctx.clearRect(0, 0, this.width, this.height);
    return ctx;
  }

  // Copy a sprite to a place, on whole dots, so that it is sharp.
  stamp(ctx, sprite, x, y) {
    const half = sprite.width / 2;
    ctx.drawImage(sprite, Math.round(x * this.ratio) - half, Math.round(y * this.ratio) - half);
  }

  clip(ctx, box) {
    ctx.save();
    ctx.beginPath();
    ctx.rect(box.left, box.top, box.width, box.height);
    ctx.clip();
  }

  radius(n) {
    return n < 400 ? 3.8 : n < 1500 ? 2.8 : 1.8;
  }

  // Everything that stays while the pointer moves.
  still({ film, reel, now, only, frame, plane, regions }) {
    const ctx = this.start(this.base), box = frame.box, n = film.rows, r = this.radius(n);
    this.axes(ctx, frame, plane);
    this.clip(ctx, box);
    if (regions) this.regions(ctx, frame, film, regions);
    if (plane.outline.length) this.balls(ctx, { film, reel, now, only, frame, plane });
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    this.rows(ctx, film, now, only, frame, r);
    const count = now.shown.length, size = count <= 100 ? 6.2 : count <= 500 ? 4.4 : 3;
    for (let s = count - 1; s >= 0; s--) {
      const place = now.shown[s], code = reel.classes[place], one = film.classes[code], [x, y] = frame.at(reel.points[place]);
      if ((only >= 0 && code !== only) || Number.isNaN(x) || !frame.inside(x, y)) continue;
      this.stamp(ctx, this.sprites.of(one.mark, size, this.colours[code], this.ink, 1.4), x, y);
    }
    if (film.album) this.pictures(ctx, { film, reel, now, only, frame });
    ctx.restore();
  }

  rows(ctx, film, now, only, frame, r) {
    const { left, top, width, height } = frame.box, [right, bottom] = [left + width, top + height], spots = frame.spots;
    const { pixels, ratio, sprites, colours } = this;
    pixels.start(this.base.width, this.base.height);
    const cross = pixels.read(sprites.of("x", r, null, this.ink, film.rows < 1500 ? 1.5 : 0.8), 1);
    for (const strong of only < 0 ? [true] : [false, true]) {
      const kinds = film.classes.map((one, k) => [
        pixels.read(sprites.of(one.mark, r, null, colours[k], 1.1), strong ? 0.95 : FAINT),
        pixels.read(sprites.of(one.mark, r, colours[k], null, 0), strong ? 0.6 : FAINT),
      ]);
      for (let i = 0; i < film.rows; i++) {
        const code = film.codes[i];
        if (only >= 0 && (code === only) !== strong) continue;
        const x = frame.x(spots[2 * i]), y = frame.y(spots[2 * i + 1]);
        if (!(x >= left && x <= right && y >= top && y <= bottom)) continue;
        const [across, down] = [Math.round(x * ratio), Math.round(y * ratio)];
        pixels.stamp(kinds[code][now.held[i]], across, down);
        if (strong && now.fitted[i] !== code) pixels.stamp(cross, across, down);
      }
    }
    ctx.drawImage(pixels.finish(), 0, 0);
  }

  balls(ctx, { film, reel, now, only, frame, plane }) {
    ctx.lineWidth = 1.2;
    for (const place of now.shown.slice(0, BALLS)) {
      const code = reel.classes[place];
      if (only >= 0 && code !== only) continue;
      ctx.strokeStyle = this.colours[code];
      ctx.stroke(this.ball(frame, plane, reel, place));
    }
  }

  ball(frame, plane, reel, place) {
    const path = new Path2D(), point = reel.points[place], r = reel.radii[place], { outline } = plane;
    for (let k = 0; k < outline.length; k += 2) {
      const x = frame.x(frame.spots[2 * point] + r * outline[k]), y = frame.y(frame.spots[2 * point + 1] + r * outline[k + 1]);
      path[k ? "lineTo" : "moveTo"](x, y);
    }
    return path;
  }

  regions(ctx, frame, film, { width, height, codes, extent }) {
    if (!this.painted || this.painted.codes !== codes || this.painted.ink !== this.ink) {
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [width, height];
      const inside = canvas.getContext("2d");
      for (let k = 0; k < film.classes.length; k++) {
        inside.fillStyle = this.colours[k];
        for (let i = 0; i < codes.length; i++) {
          if (codes[i] === k) inside.fillRect(i % width, height - 1 - Math.floor(i / width), 1, 1);
        }
      }
      this.painted = { codes, canvas, ink: this.ink };
    }
    ctx.globalAlpha = 0.16;
    ctx.imageSmoothingEnabled = false;
    const x = frame.x(extent[0]), y = frame.y(extent[3]);
    ctx.drawImage(this.painted.canvas, x, y, frame.x(extent[1]) - x, frame.y(extent[2]) - y);
    ctx.globalAlpha = 1;
  }

  // The pictures of the prototypes at their places; none hides an earlier one.
  pictures(ctx, { film, reel, now, only, frame }) {
    const taken = [], side = SIDE * this.ratio, edge = 2 * this.ratio;
    for (const place of now.shown.slice(0, PICTURES)) {
      const point = reel.points[place], code = reel.classes[place], [x, y] = frame.at(point).map((v) => v * this.ratio);
      const hidden = taken.some(([a, b]) => Math.abs(a - x) < side + 2 * edge && Math.abs(b - y) < side + 2 * edge);
      if (hidden || point >= film.rows || (only >= 0 && code !== only)) continue;
      taken.push([x, y]);
      ctx.fillStyle = this.colours[code];
      ctx.fillRect(x - side / 2 - edge, y - side / 2 - edge, side + 2 * edge, side + 2 * edge);
      ctx.imageSmoothingEnabled = false;
      ctx.drawImage(thumb(film.album, point, this.thumbs), x - side / 2, y - side / 2, side, side);
    }
  }

  axes(ctx, frame, plane) {
    const { left, top, width, height } = frame.box, [x0, y1] = frame.place(left, top), [x1, y0] = frame.place(left + width, top + height);
    ctx.strokeStyle = ctx.fillStyle = this.ink;
    ctx.globalAlpha = 0.55;
    ctx.lineWidth = 1;
    ctx.strokeRect(left - 0.5, top - 0.5, width + 1, height + 1);
    ctx.globalAlpha = 0.9;
    ctx.font = "11px system-ui, sans-serif";
    ctx.textAlign = "center";
    for (const [value, text] of ticks(x0, x1, width / 80)) ctx.fillText(text, frame.x(value), top + height + 14);
    ctx.fillText(plane.axes[0], left + width / 2, top + height + 29, width);
    ctx.textAlign = "right";
    for (const [value, text] of ticks(y0, y1, height / 60)) ctx.fillText(text, left - 5, frame.y(value) + 4);
    ctx.save();
    ctx.translate(11, top + height / 2);
    ctx.rotate(-Math.PI / 2);
    ctx.textAlign = "center";
    ctx.fillText(plane.axes[1], 0, 0, height);
    ctx.restore();
    ctx.globalAlpha = 1;
  }

  // What is chosen, lassoed and under the pointer.
  moving({ film, reel, now, size, only, frame, plane, point, also, here, lasso, outline }) {
    const bare = !lasso.length && point < 0 && here < 0 && !outline;
    if (bare && this.bare) return; // to touch a canvas costs a copy of it
    this.bare = bare;
    const ctx = this.start(this.top), r = this.radius(film.rows);
    this.clip(ctx, frame.box);
    if (lasso.length) this.rings(ctx, frame, lasso, r + 3, this.ink, 1.5);
    if (point >= 0) {
      const place = reel.placeOf(point, size), centre = frame.at(point);
      const { rows, wrong } = place >= 0 ? reel.holds(place, now, film) : { rows: also, wrong: [] };
      ctx.strokeStyle = GREY;
      ctx.globalAlpha = Math.sqrt(Math.min(0.9, 40 / Math.max(1, rows.length)));
      ctx.lineWidth = 1;
      ctx.beginPath();
      for (const row of rows) {
        const [x, y] = frame.at(row);
        if (Number.isNaN(x)) continue;
        ctx.moveTo(...centre);
        ctx.lineTo(x, y);
      }
      ctx.stroke();
      ctx.globalAlpha = 1;
      if (place >= 0 && plane.outline.length) {
        ctx.strokeStyle = this.ink;
        ctx.lineWidth = 2;
        ctx.stroke(this.ball(frame, plane, reel, place));
      }
      this.rings(ctx, frame, wrong, r + 3.5, WRONG, 2);
      this.rings(ctx, frame, [point], 12, this.paper, 5);
      this.rings(ctx, frame, [point], 12, this.ink, 2.2);
    }
    if (here >= 0) {
      this.rings(ctx, frame, [here], 8.5, this.paper, 4);
      this.rings(ctx, frame, [here], 8.5, this.ink, 1.6);
    }
    if (outline) {
      ctx.strokeStyle = this.ink;
      ctx.setLineDash([4, 3]);
      ctx.beginPath();
      outline.forEach(([x, y], k) => ctx[k ? "lineTo" : "moveTo"](x, y));
      ctx.stroke();
      ctx.setLineDash([]);
    }
    ctx.restore();
  }

  rings(ctx, frame, points, radius, colour, width) {
    ctx.strokeStyle = colour;
    ctx.lineWidth = width;
    ctx.beginPath();
    for (const point of points) {
      const [x, y] = frame.at(point);
      if (Number.isNaN(x) || !frame.inside(x, y)) continue;
      ctx.moveTo(x + radius, y);
      ctx.arc(x, y, radius, 0, 2 * Math.PI);
    }
    ctx.stroke();
  }
}

const numbers = (colour) => (colour[0] === "#"
  ? [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)) : colour.match(/[\d.]+/g).slice(0, 3).map(Number));

function light(rgb) {
  const [r, g, b] = rgb.map((v) => (v / 255 <= 0.04045 ? v / 3294.6 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

// A colour, mixed with the ink as far as it needs to stand out from the paper (2 : 1, light to dark).
export function visible(colour, paper, ink) {
  const own = numbers(colour), back = light(numbers(paper)), to = numbers(ink);
  for (let share = 0; share < 1; share += 0.1) {
    const mixed = own.map((v, d) => Math.round(v + share * (to[d] - v))), here = light(mixed);
    if ((Math.max(here, back) + 0.05) / (Math.min(here, back) + 0.05) >= 2) return `rgb(${mixed.join(" ")})`;
  }
  return ink;
}

// The picture of a row as a canvas of its own pixels; `kept` has those that were made before.
export function thumb(album, row, kept = new Map()) {
  if (kept.has(row)) return kept.get(row);
  const { height, width, pixels } = album, canvas = document.createElement("canvas"), area = height * width;
  [canvas.width, canvas.height] = [width, height];
  const ctx = canvas.getContext("2d"), image = ctx.createImageData(width, height);
  for (let k = 0; k < area; k++) image.data.set([...Array(3).fill(pixels[row * area + k]), 255], 4 * k);
  ctx.putImageData(image, 0, 0);
  kept.set(row, canvas);
  return canvas;
}
