// What Python sent of a fit: the film has rows, classes and radii, a reel the complete rule at one radius.

const KINDS = {
  int8: Int8Array, uint8: Uint8Array, int16: Int16Array, uint16: Uint16Array, int32: Int32Array, uint32: Uint32Array,
  float32: Float32Array,
  float64: Float64Array,
};

// Numbers that Python packed as { type, data }.
export function unpack(packed) {
  const { buffer, byteOffset, byteLength } = packed.data;
  return new KINDS[packed.type](buffer.slice(byteOffset, byteOffset + byteLength));
}

// What Python or a file has: a length, a header in JSON, whose arrays say where their bytes stand, and the bytes.
export function unfold(view) {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength), length = view.getUint32(0, true), start = 4 + length;
  const fill = (value) => {
    if (value === null || typeof value !== "object") return value;
    if (value.at !== undefined && value.type) return { type: value.type, data: bytes.subarray(start + value.at, start + value.at + value.bytes) };
    for (const name of Object.keys(value)) value[name] = fill(value[name]);
    return value;
  };
  return fill(JSON.parse(new TextDecoder().decode(bytes.subarray(4, start))));
}

export class Film {
  constructor(told) {
    Object.assign(this, told);
    this.codes = unpack(told.codes);
    this.weights = told.weights.data ? unpack(told.weights) : new Float32Array(told.rows).fill(1);
    this.album = told.album.pixels ? { ...told.album, pixels: unpack(told.album.pixels) } : null;
    this.fields = told.fields.map((field) => ({ ...field, values: unpack(field.values) }));
    this.called = this.names.map((name) => told.quotes + name + told.quotes); // in sentences
    this.pointOf = new Map(this.names.map((name, point) => [name, point]).reverse());
  }
}

export class Reel {
  constructor(told) {
    this.add(told);
    this.placesOf = new Map();
    for (let place = this.points.length - 1; place >= 0; place--) {
      if (this.listed[place]) this.placesOf.set(this.points[place], place);
    }
  }

  add(told) {
    for (const [name, value] of Object.entries(told)) this[name] = value && value.data ? unpack(value) : value;
  }

  // The weight of the rows that each prototype is the first to cover.
  covers(film) {
    if (!this.counts) {
      this.counts = new Float64Array(this.points.length);
      this.first.forEach((place, row) => place >= 0 && (this.counts[place] += film.weights[row]));
    }
    return this.counts;
  }

  // The rows in the ball of a prototype.
  ball(place) {
    return this.members.subarray(this.member_starts[place], this.member_starts[place + 1]);
  }

  // The rows of other classes in the balls, which are found once: those of a prototype stand from its start to the next.
  invaders(film) {
    if (!this.wrong) {
      const rows = [], starts = new Uint32Array(this.points.length + 1);
      for (let place = 0; place < this.points.length; place++) {
        for (const row of this.ball(place)) if (film.codes[row] !== this.classes[place]) rows.push(row);
        starts[place + 1] = rows.length;
      }
      this.wrong = { starts, rows };
    }
    return this.wrong;
  }

  // The place of a point among the first `size` prototypes, -1 where it is none.
  placeOf(point, size) {
    const place = this.placesOf.get(point);
    return place !== undefined && this.born[place] <= size ? place : -1;
  }

  // All places of a point, which may be a centre of several machines.
  placesAt(point, size) {
    if (this.placeOf(point, size) < 0) return [];
    return Array.from(this.points.keys()).filter((place) => this.points[place] === point && this.listed[place] && this.born[place] <= size);
  }

  // Whether some prototype is the nearest of a row: that rule says so.
  get speaks() {
    return this.nearest.some((place) => place >= 0);
  }

  // What the first `size` prototypes do with the rows.
  at(size, film) {
    const n = film.rows, fitted = new Int16Array(n), nearest = new Int32Array(n), held = new Uint8Array(n);
    const invaded = new Uint8Array(n), shown = [], { starts, rows } = this.covering && this.whole ? this.invaders(film) : {};
    for (let i = 0; i < n; i++) {
      let at = this.starts[i];
      while (at + 1 < this.starts[i + 1] && this.steps[at + 1] <= size) at++;
      fitted[i] = this.codes[at];
      nearest[i] = this.nearest[at];
      const first = this.first[i];
      held[i] = !this.covering || (first >= 0 && this.born[first] <= size) ? 1 : 0;
    }
    for (let place = 0; place < this.points.length; place++) {
      if (this.born[place] > size || !this.listed[place]) continue;
      shown.push(place);
      if (!this.covering || !this.whole) continue;
      for (let at = starts[place]; at < starts[place + 1]; at++) invaded[rows[at]]++;
    }
    const heldOut = this.tested.length > 0 && size === this.most; // else the classes of the training rows are known alone
    const judged = heldOut ? this.tested : fitted;
    return { fitted, nearest, held, invaded, shown, judged, how: heldOut ? "held out" : "training" };
  }

  // Among the first `size` prototypes the rival of the one nearest to a row (-1 for none), how far the nearest is and how much
  // farther the rival; null where this was not sent.
  rivalOf(row, size) {
    if (!this.rivals) return this.metric && this.metric.works ? this.measured(row, size) : null;
    const start = this.rival_starts[row];
    let at = this.rival_starts[row + 1] - 1;
    while (at > start && this.rival_steps[at] > size) at--;
    return this.rival_steps[at] > size ? null : { rival: this.rivals[at], near: this.near[at], gap: this.gap[at] };
  }

  // The same, measured by the page.
  measured(row, size) {
    const { metric, film } = this, values = metric.row(row), places = Array.from(this.points.keys()).filter((place) => this.listed[place] && this.born[place] <= size);
    const far = places.map((place) => metric.far(values, this, place)), { near, rival } = metric.nearest(far, this, places);
    if (near.place < 0) return null;
    if (this.classes[near.place] === film.codes[row]) return { rival: rival.place, near: near.far, gap: rival.far - near.far };
    const own = far.map((d, k) => (this.classes[places[k]] === film.codes[row] ? d : NaN)), found = metric.nearest(own, this, places).near;
    return { rival: found.place, near: near.far, gap: found.far - near.far };
  }

  // The rows that a prototype holds, or is nearest to, and those that it holds wrongly; as points.
  holds(place, now, film) {
    if (this.whole) {
      const rows = Array.from(this.ball(place));
      return { rows, wrong: this.covering ? rows.filter((row) => film.codes[row] !== this.classes[place]) : [] };
    }
    const rows = [];
    for (let row = 0; row < film.rows; row++) if (now.nearest[row] === place) rows.push(row);
    return { rows, wrong: [] };
  }
}
