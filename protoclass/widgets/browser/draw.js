// The picture: rows, prototypes and balls on one canvas, what is chosen or under the pointer on another above it.

import { Sprites } from "./marks.js";
import { ticks } from "./frame.js";

const FAINT = 0.1, FILLED = [0.55, 0.75], PICTURES = 200, SIDE = 24, ROOM = { left: 40 };
const rowSize = (n) => (n < 400 ? 3.4 : n < 1500 ? 2.7 : n < 10000 ? 1.8 : 1.3), prototypeSize = (n) => (n <= 100 ? 6 : n <= 500 ? 4.4 : 3);
const FONT = "12px system-ui, sans-serif";

export class Drawing {
  constructor(base, top) {
    this.base = base;
    this.top = top;
    this.thumbs = new Map();
  }

  // The colours of the page, and those of the classes, which are seen on it.
  paint([ink, paper, accent, line, wrong, soft], classes) {
    const filled = FILLED[Number(light(numbers(paper)) < 0.2)], colours = classes.map((colour) => visible(colour, paper, ink));
    Object.assign(this, { ink, paper, accent, line, wrong, soft, filled, colours });
  }

  // The size in pixels of the page and the dots for each; returns where the plane lies in it.
  resize(width, height, ratio, bottom) {
    const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
    for (const canvas of [this.base, this.top]) {
      if (canvas.width !== w) canvas.width = w;
      if (canvas.height !== h) canvas.height = h;
    }
    if (!this.sprites || this.sprites.ratio !== ratio) this.sprites = new Sprites(ratio);
    Object.assign(this, { width, height, ratio });
    return { left: ROOM.left, top: 6, width: Math.max(40, width - ROOM.left - 6), height: Math.max(40, height - bottom - 6) };
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

  // Everything that stays while the pointer moves.
  still({ fit, rule, now, only, settled, frame, plane }) {
    const ctx = this.start(this.base), box = frame.box, r = rowSize(fit.rows);
    this.axes(ctx, frame, plane);
    this.clip(ctx, box);
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    this.rows(ctx, fit, now, (row) => (only < 0 || fit.codes[row] === only) && (!settled || settled.has(row)), frame, r);
    const count = now.shown.length, size = prototypeSize(count);
    for (let s = count - 1; s >= 0; s--) {
      const place = now.shown[s], code = rule.classes[place], one = fit.classes[code], [x, y] = frame.at(rule.points[place]);
      if ((only >= 0 && code !== only) || Number.isNaN(x) || !frame.inside(x, y)) continue;
      this.stamp(ctx, this.sprites.of(one.mark, size, this.colours[code], this.paper, 1.6), x, y);
      if (this.lost(fit, now, rule.points[place])) this.stamp(ctx, this.sprites.of("o", size + 3.5, null, this.wrong, 1.5), x, y);
    }
    if (fit.album) this.pictures(ctx, { fit, rule, now, only, frame });
    ctx.restore();
  }

  // Whether a point is a row that is misclassified.
  lost(fit, now, point) {
    return point < fit.rows && now.judged[point] !== fit.codes[point];
  }

  // The rows, those that stand out last and clear.
  rows(ctx, fit, now, stands, frame, r) {
    const { sprites, colours } = this, ring = sprites.of("o", r + 2.6, null, this.wrong, fit.rows < 1500 ? 1.5 : 0.9);
    for (const strong of [false, true]) {
      const kinds = fit.classes.map((one, k) => [sprites.of(one.mark, r, null, colours[k], 1.1), sprites.of(one.mark, r, colours[k], null, 0)]);
      for (const row of fit.points) {
        const code = fit.codes[row], [x, y] = frame.at(row);
        if (stands(row) !== strong || !frame.inside(x, y)) continue;
        ctx.globalAlpha = !strong ? FAINT : now.held[row] ? this.filled : 0.95;
        this.stamp(ctx, kinds[code][now.held[row]], x, y);
        ctx.globalAlpha = 1;
        if (strong && this.lost(fit, now, row)) this.stamp(ctx, ring, x, y);
      }
    }
  }

  // The pictures of the prototypes at their places, of the classes in turn; none hides an earlier one.
  pictures(ctx, { fit, rule, now, only, frame }) {
    const taken = [], side = SIDE * this.ratio, edge = 2 * this.ratio, turns = fit.classes.map(() => []);
    for (const place of now.shown) {
      const code = rule.classes[place];
      if (rule.points[place] < fit.rows && (only < 0 || code === only)) turns[code].push(place);
    }
    for (let turn = 0; taken.length < PICTURES && turns.some((places) => places.length); turn = (turn + 1) % turns.length) {
      const free = (place) => {
        const [x, y] = frame.at(rule.points[place]).map((v) => v * this.ratio);
        return !taken.some(([a, b]) => Math.abs(a - x) < side + 2 * edge && Math.abs(b - y) < side + 2 * edge);
      };
      while (turns[turn].length && !free(turns[turn][0])) turns[turn].shift();
      if (!turns[turn].length) continue;
      const place = turns[turn].shift(), point = rule.points[place], code = rule.classes[place], [x, y] = frame.at(point).map((v) => v * this.ratio);
      taken.push([x, y]);
      ctx.fillStyle = this.colours[code];
      ctx.fillRect(x - side / 2 - edge, y - side / 2 - edge, side + 2 * edge, side + 2 * edge);
      ctx.imageSmoothingEnabled = false;
      if (!this.thumbs.has(point)) this.thumbs.set(point, thumb(fit.album, point));
      ctx.drawImage(this.thumbs.get(point), x - side / 2, y - side / 2, side, side);
    }
  }

  // Lines of a grid with their values, and the names of the axes.
  axes(ctx, frame, plane) {
    const { left, top, width, height } = frame.box, [x0, y1] = frame.place(left, top), [x1, y0] = frame.place(left + width, top + height);
    Object.assign(ctx, { strokeStyle: this.line, fillStyle: this.soft, lineWidth: 1, font: FONT });
    const line = (...ends) => {
      const [a, b, c, d] = ends.map((end) => Math.round(end) + 0.5);
      ctx.beginPath();
      ctx.moveTo(a, b);
      ctx.lineTo(c, d);
      ctx.stroke();
    };
    ctx.textAlign = "center";
    for (const [value, text] of ticks(x0, x1, Math.max(2, width / 110))) {
      line(frame.x(value), top, frame.x(value), top + height);
      ctx.fillText(text, frame.x(value), top + height + 15);
    }
    ctx.textAlign = "right";
    for (const [value, text] of ticks(y0, y1, Math.max(2, height / 80))) {
      line(left, frame.y(value), left + width, frame.y(value));
      ctx.fillText(text, left - 8, frame.y(value) + 4);
    }
    if (plane.one_unit) return; // the axes of a map mean nothing by themselves
    ctx.textAlign = "center";
    ctx.fillText(plane.axes[0], left + width / 2, top + height + 31, width);
    ctx.save();
    ctx.translate(11, top + height / 2);
    ctx.rotate(-Math.PI / 2);
    ctx.fillText(plane.axes[1], 0, 0, height);
    ctx.restore();
  }

  // What is chosen and under the pointer.
  moving({ fit, rule, frame, point, ends, trial, here }) {
    const bare = point < 0 && here < 0 && !trial;
    if (bare && this.bare) return; // to touch a canvas costs a copy of it
    this.bare = bare;
    const ctx = this.start(this.top), r = rowSize(fit.rows), tags = [];
    this.clip(ctx, frame.box);
    const place = trial || point < 0 ? -1 : rule.placeOf(point);
    if (trial || point >= 0) {
      const centre = trial ? [frame.x(trial.spot[0]), frame.y(trial.spot[1])] : frame.at(point);
      const { rows, wrong } = place >= 0 ? rule.holds(place, fit) : { rows: ends, wrong: [] };
      ctx.strokeStyle = place >= 0 ? this.soft : this.ink;
      ctx.globalAlpha = place >= 0 ? Math.sqrt(Math.min(0.6, 20 / Math.max(1, rows.length))) : 1;
      ctx.lineWidth = place >= 0 ? 1 : 1.5;
      rows.forEach((row, k) => {
        const [x, y] = frame.at(row);
        if (Number.isNaN(x)) return;
        ctx.setLineDash(place < 0 && k ? [5, 4] : []);
        ctx.beginPath();
        ctx.moveTo(...centre);
        ctx.lineTo(x, y);
        ctx.stroke();
        if (place < 0) tags.push([fit.names[row], x, y]);
      });
      ctx.setLineDash([]);
      ctx.globalAlpha = 1;
      // hundreds of wide rings would run into one blot
      const few = wrong.length <= 100;
      ctx.setLineDash([2, 2]);
      this.rings(ctx, frame, wrong, r + (few ? 5.5 : 4), this.soft, few ? 2 : 1);
      ctx.setLineDash([]);
      for (const [colour, width] of [[this.paper, 5], [this.accent, 2.4]]) this.ringAt(ctx, centre, 10.5, colour, width);
      if (trial) this.stamp(ctx, this.sprites.of("D", 5.5, this.accent, this.paper, 1.5), ...centre);
      tags.unshift([trial ? trial.name : fit.names[point], ...centre]);
    }
    if (here >= 0) {
      this.rings(ctx, frame, [here], 8.5, this.paper, 4);
      this.rings(ctx, frame, [here], 8.5, this.ink, 1.6);
    }
    this.tags(ctx, frame.box, tags);
    ctx.restore();
  }

  // Names beside marks: each at the first of four places where it is whole and meets no other; else it gives way.
  tags(ctx, { left, top, width, height }, tags) {
    const taken = tags.map(([, x, y]) => [x - 11, y - 11, x + 11, y + 11]);
    ctx.font = `600 ${FONT}`;
    ctx.textAlign = "left";
    tags.forEach(([text, x, y], k) => {
      const wide = Math.min(180, ctx.measureText(text).width) + 10;
      const boxes = [[x + 13, y - 10], [x - 13 - wide, y - 10], [x - wide / 2, y - 33], [x - wide / 2, y + 13]].map(([a, b]) => [a, b, a + wide, b + 20]);
      const free = boxes.find(([a, b, c, d]) => a >= left && b >= top && c <= left + width && d <= top + height
        && !taken.some(([e, f, g, h]) => a < g && c > e && b < h && d > f));
      if (!free) return;
      taken.push(free);
      ctx.fillStyle = k ? this.paper : this.accent;
      ctx.globalAlpha = k ? 0.85 : 1;
      ctx.beginPath();
      ctx.roundRect(free[0], free[1], wide, 20, 4);
      ctx.fill();
      ctx.globalAlpha = 1;
      ctx.fillStyle = k ? this.ink : this.paper;
      ctx.fillText(text, free[0] + 5, free[1] + 14, 180);
    });
  }

  ringAt(ctx, [x, y], radius, colour, width) {
    if (Number.isNaN(x)) return;
    ctx.strokeStyle = colour;
    ctx.lineWidth = width;
    ctx.beginPath();
    ctx.arc(x, y, radius, 0, 2 * Math.PI);
    ctx.stroke();
  }

  rings(ctx, frame, points, ...look) {
    for (const point of points) this.ringAt(ctx, frame.at(point), ...look);
  }
}

const numbers = (colour) => (colour[0] === "#"
  ? [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)) : colour.match(/[\d.]+/g).slice(0, 3).map(Number));

function light(rgb) {
  const [r, g, b] = rgb.map((v) => (v / 255 <= 0.04045 ? v / 3294.6 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

// A colour, mixed with the ink as far as it needs to stand out from the paper (3 : 1, light to dark; on dark paper 6.5, because rows are half clear).
export function visible(colour, paper, ink) {
  const own = numbers(colour), back = light(numbers(paper)), to = numbers(ink);
  for (let share = 0; share < 1; share += 0.1) {
    const mixed = own.map((v, d) => Math.round(v + share * (to[d] - v))), here = light(mixed);
    if ((Math.max(here, back) + 0.05) / (Math.min(here, back) + 0.05) >= (back < 0.2 ? 6.5 : 3)) return `rgb(${mixed.join(" ")})`;
  }
  return ink;
}

// The picture of a row as a canvas of its own pixels.
export function thumb(album, row) {
  const { height, width, pixels } = album, canvas = document.createElement("canvas"), area = height * width;
  [canvas.width, canvas.height] = [width, height];
  const ctx = canvas.getContext("2d"), image = ctx.createImageData(width, height);
  for (let k = 0; k < area; k++) image.data.set([...Array(3).fill(pixels[row * area + k]), 255], 4 * k);
  ctx.putImageData(image, 0, 0);
  return canvas;
}
