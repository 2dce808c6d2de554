// What Python sent of a fit: the fit has rows, classes and radii, a rule the complete rule at one radius.

const KINDS = {
  int8: Int8Array, uint8: Uint8Array, int16: Int16Array, uint16: Uint16Array, int32: Int32Array, uint32: Uint32Array,
  float32: Float32Array, float64: Float64Array,
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

export class Fit {
  constructor(sent) {
    Object.assign(this, sent);
    this.codes = unpack(sent.codes);
    this.weights = sent.weights.data ? unpack(sent.weights) : new Float32Array(sent.rows).fill(1);
    this.album = sent.album.pixels ? { ...sent.album, pixels: unpack(sent.album.pixels) } : null;
    if (this.album && this.album.relevance) this.album.relevance = unpack(this.album.relevance);
    this.fields = sent.fields.map((field) => ({ ...field, values: unpack(field.values) }));
    this.series = sent.series.length ? { ...sent.series, values: unpack(sent.series.values) } : {};
    this.points = Array.from({ length: sent.rows }, (_, row) => row); // the rows
    this.called = this.names.map((name) => sent.quotes + name + sent.quotes); // in sentences
    this.pointOf = new Map(this.names.map((name, point) => [name, point]).reverse());
  }
}

export class Rule {
  constructor(sent) {
    for (const [name, value] of Object.entries(sent)) this[name] = value && value.data ? unpack(value) : value;
    this.conditions = sent.conditions.map(({ words, rows }) => ({ words, rows: unpack(rows) }));
    this.shown = Array.from(this.points.keys()).filter((place) => this.listed[place]);
    this.placesOf = new Map(this.shown.map((place) => [this.points[place], place]).reverse());
  }

  // The weight of the rows that each prototype is the first to cover.
  covers(fit) {
    if (!this.counts) {
      this.counts = new Float64Array(this.points.length);
      this.first.forEach((place, row) => place >= 0 && (this.counts[place] += fit.weights[row]));
    }
    return this.counts;
  }

  // The rows in the ball of a prototype.
  ball(place) {
    return this.members.subarray(this.member_starts[place], this.member_starts[place + 1]);
  }

  // The rows of other classes in the balls, which are found once: those of a prototype stand from its start to the next.
  invaders(fit) {
    if (!this.wrong) {
      const rows = [], starts = new Uint32Array(this.points.length + 1);
      for (let place = 0; place < this.points.length; place++) {
        for (const row of this.ball(place)) if (fit.codes[row] !== this.classes[place]) rows.push(row);
        starts[place + 1] = rows.length;
      }
      this.wrong = { starts, rows };
    }
    return this.wrong;
  }

  // The place of a point among the prototypes, -1 where it is none.
  placeOf(point) {
    return this.placesOf.get(point) ?? -1;
  }

  // All places of a point, which may be a centre of several machines.
  placesAt(point) {
    return this.shown.filter((place) => this.points[place] === point);
  }

  // Whether some prototype is the nearest of a row: that rule says so.
  get speaks() {
    return this.nearest.some((place) => place >= 0);
  }

  // What the rule does with the rows.
  at(fit) {
    const held = this.first.map((place) => (this.covering && place < 0 ? 0 : 1)), invaded = new Uint8Array(fit.rows);
    if (this.covering && this.whole) this.invaders(fit).rows.forEach((row) => invaded[row]++);
    const [judged, how] = this.tested.length ? [this.tested, "held out"] : [this.codes, "training"];
    return { fitted: this.codes, nearest: this.nearest, held, invaded, shown: this.shown, judged, how };
  }

  // The rival of the prototype nearest to a row (-1 for none), and how far both are; null where this is not known.
  rivalOf(row) {
    return this.rival.length && this.nearest[row] >= 0 ? { rival: this.rival[row], near: this.near[row], far: this.far[row] } : null;
  }

  // The rows that a prototype holds, or is nearest to, and those that it holds wrongly; as points.
  holds(place, fit) {
    if (this.whole) {
      const rows = Array.from(this.ball(place));
      return { rows, wrong: this.covering ? rows.filter((row) => fit.codes[row] !== this.classes[place]) : [] };
    }
    return { rows: fit.points.filter((row) => this.nearest[row] === place), wrong: [] };
  }
}
