// Where places of the plane lie on the screen, and which point is near.

export class Frame {
  constructor(spots, oneUnit) {
    this.spots = spots;
    this.oneUnit = oneUnit;
    let low = [Infinity, Infinity], high = [-Infinity, -Infinity];
    for (let k = 0; k < spots.length; k += 2) {
      if (Number.isNaN(spots[k]) || Number.isNaN(spots[k + 1])) continue;
      for (let d = 0; d < 2; d++) {
        low[d] = Math.min(low[d], spots[k + d]);
        high[d] = Math.max(high[d], spots[k + d]);
      }
    }
    if (!Number.isFinite(low[0])) [low, high] = [[0, 0], [1, 1]];
    this.middle = [0, 1].map((d) => (low[d] + high[d]) / 2);
    this.range = [0, 1].map((d) => (high[d] > low[d] ? 1.12 * (high[d] - low[d]) : 2 * Math.max(1, Math.abs(high[d]))));
    this.zoom = 1;
    this.centre = [...this.middle];
    this.box = { left: 0, top: 0, width: 1, height: 1 };
  }

  // The part of the screen that the plane has.
  fit(box) {
    this.box = box;
    this.scale = [box.width / this.range[0], box.height / this.range[1]];
    if (this.oneUnit) this.scale.fill(Math.min(...this.scale));
  }

  x(value) {
    return this.box.left + this.box.width / 2 + (value - this.centre[0]) * this.scale[0] * this.zoom;
  }

  y(value) {
    return this.box.top + this.box.height / 2 - (value - this.centre[1]) * this.scale[1] * this.zoom;
  }

  at(point) {
    return [this.x(this.spots[2 * point]), this.y(this.spots[2 * point + 1])];
  }

  // The place of the plane under a place of the screen.
  place(x, y) {
    const { left, top, width, height } = this.box;
    return [
      this.centre[0] + (x - left - width / 2) / (this.scale[0] * this.zoom),
      this.centre[1] - (y - top - height / 2) / (this.scale[1] * this.zoom),
    ];
  }

  // Zoom by a factor about a place of the screen, which stays where it is.
  zoomAt(factor, x, y) {
    const before = this.place(x, y);
    this.zoom = Math.min(200, Math.max(1, this.zoom * factor));
    const after = this.place(x, y);
    for (let d = 0; d < 2; d++) this.centre[d] += before[d] - after[d];
    if (this.zoom === 1) this.centre = [...this.middle];
  }

  pan(dx, dy) {
    this.centre[0] -= dx / (this.scale[0] * this.zoom);
    this.centre[1] += dy / (this.scale[1] * this.zoom);
  }

  // Bring a point into the screen.
  reveal(point) {
    const [x, y] = this.at(point), { left, top, width, height } = this.box, edge = 16;
    const dx = Math.max(left + edge - x, 0) - Math.max(x - (left + width - edge), 0);
    const dy = Math.max(top + edge - y, 0) - Math.max(y - (top + height - edge), 0);
    if (dx || dy) this.pan(dx, dy);
  }

  inside(x, y) {
    const { left, top, width, height } = this.box;
    return x >= left && x <= left + width && y >= top && y <= top + height;
  }

  // Of some points the nearest to a place of the screen within so many pixels; -1 for none.
  nearest(points, x, y, within) {
    let best = within * within, found = -1;
    for (const point of points) {
      const [px, py] = this.at(point), apart = (px - x) ** 2 + (py - y) ** 2;
      if (apart <= best && (apart < best || found < 0)) [best, found] = [apart, point];
    }
    return found;
  }

  // The next point to the left, right, top or bottom of a point: near, and rather straight ahead.
  next(points, from, [dx, dy]) {
    const [x, y] = from < 0 ? [this.box.left + this.box.width / 2, this.box.top + this.box.height / 2] : this.at(from);
    let best = Infinity, found = -1;
    for (const point of points) {
      if (point === from) continue;
      const [px, py] = this.at(point), along = (px - x) * dx + (py - y) * dy, aside = Math.abs((px - x) * dy) + Math.abs((py - y) * dx);
      if (!(along > 0.01) || aside > 2 * along) continue;
      const cost = along + 2 * aside;
      if (cost < best) [best, found] = [cost, point];
    }
    return found;
  }
}

// Round numbers between two ends, about so many, with their texts.
export function ticks(low, high, about) {
  const raw = (high - low) / Math.max(1, about), power = 10 ** Math.floor(Math.log10(raw));
  const steps = [1, 2, 5, 10].map((m) => m * power), few = (s) => Math.floor(high / s) - Math.ceil(low / s) < 1; // at least two
  const step = steps.filter((s) => s >= raw && !few(s))[0] || steps.filter((s) => !few(s)).at(-1) || raw / 2, out = [];
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  for (let k = Math.ceil(low / step); k * step <= high; k++) out.push([k * step, (k * step).toFixed(Math.min(8, digits))]);
  return out;
}
