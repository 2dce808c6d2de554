// Distances of rows to prototypes, measured by the page: numbers, categories, and what each variable adds.

const VALUES = 201, HALVINGS = 40; // as in `fit.why`

export class Metric {
  constructor(sent, fields) {
    Object.assign(this, sent, { fields, kept: new Map() });
  }

  get works() {
    return !this.reason && this.fields.length > 0;
  }

  // The values of a point; a level by its place. A number is the one that was given, of which a page has seven digits.
  row(point) {
    const value = ({ levels, values }) => (levels ? (values[point] < 0 ? NaN : values[point]) : +values[point].toPrecision(7));
    if (!this.kept.has(point)) this.kept.set(point, this.fields.map(value));
    return this.kept.get(point);
  }

  far(values, rule, place) {
    return this.distance(this.total(this.terms(values, this.row(rule.points[place]))));
  }

  // What a variable adds to the power of the distance; NaN where a value is missing.
  term(k, a, b) {
    const { scales, weights, power } = this;
    if (Number.isNaN(a) || Number.isNaN(b)) return NaN;
    if (weights.length && !scales[k]) return a === b ? 0 : weights[k];
    return (Math.abs(a - b) * scales[k]) ** power;
  }

  terms(a, b) {
    return a.map((value, k) => this.term(k, value, b[k]));
  }

  weight(k, term) {
    return Number.isNaN(term) ? 0 : this.weights.length ? this.weights[k] : 1;
  }

  // The sum of the terms and of their weights.
  total(terms) {
    return terms.reduce(([sum, weight], term, k) => [sum + (term || 0), weight + this.weight(k, term)], [0, 0]);
  }

  distance([sum, weight]) {
    return this.weights.length ? sum / weight : weight < this.fields.length ? NaN : sum ** (1 / this.power);
  }

  // The distance, divided among the variables.
  parts(a, b) {
    const terms = this.terms(a, b), total = this.total(terms), far = this.distance(total);
    return { far, parts: terms.map((term) => (total[0] ? (far * (term || 0)) / total[0] : 0)) };
  }

  // The nearest prototype of those at these places, and the nearest of another class, with their distances.
  classify(values, rule, places) {
    return this.nearest(places.map((place) => this.far(values, rule, place)), rule, places);
  }

  // The same of distances; ties go to the class and the row that come first, and place -1 stands for none.
  nearest(far, rule, places) {
    const best = { place: -1, far: NaN }, rival = { ...best };
    const nearer = (place, d, other) => other.place < 0 || d < other.far || (d === other.far
      && (rule.classes[place] - rule.classes[other.place] || rule.points[place] - rule.points[other.place]) < 0);
    places.forEach((place, k) => far[k] >= 0 && nearer(place, far[k], best) && Object.assign(best, { place, far: far[k] }));
    places.forEach((place, k) => {
      const other = far[k] >= 0 && rule.classes[place] !== rule.classes[best.place];
      if (other && nearer(place, far[k], rival)) Object.assign(rival, { place, far: far[k] });
    });
    return { near: best, rival };
  }

  // For each variable the value nearest to a row's own that gives another class, and that class; the smallest change first.
  changes(values, rule, places, rows) {
    const others = places.map((place) => this.row(rule.points[place])), terms = others.map((other) => this.terms(values, other));
    const totals = terms.map((each) => this.total(each)), codeOf = (far) => {
      const { place } = this.nearest(far, rule, places).near;
      return place < 0 ? -1 : rule.classes[place];
    };
    const old = codeOf(totals.map((total) => this.distance(total)));
    return this.fields.flatMap(({ name, levels, values: seen }, k) => {
      const classify = (value) => codeOf(totals.map(([sum, weight], p) => {
        const before = terms[p][k], term = this.term(k, value, others[p][k]);
        return this.distance([Math.max(0, sum - (before || 0)) + (term || 0), weight - this.weight(k, before) + this.weight(k, term)]);
      }));
      if (levels) {
        const value = levels.findIndex((_, level) => level !== values[k] && classify(level) !== old);
        return value < 0 ? [] : [{ name, k, value, code: classify(value), cost: this.weights[k] }];
      }
      const known = seen.subarray(0, rows).filter((value) => !Number.isNaN(value));
      const low = known.reduce((a, b) => Math.min(a, b)), high = known.reduce((a, b) => Math.max(a, b));
      const line = Array.from({ length: VALUES }, (_, at) => low + ((high - low) * at) / (VALUES - 1));
      if (!Number.isNaN(values[k])) line.sort((a, b) => Math.abs(a - values[k]) - Math.abs(b - values[k]));
      let changed = line.find((value) => classify(value) !== old), same = values[k];
      if (changed === undefined) return [];
      for (let step = 0; step < HALVINGS; step++) {
        const middle = (same + changed) / 2;
        if (classify(middle) === old) same = middle;
        else changed = middle;
      }
      return [{ name, k, value: changed, code: classify(changed), cost: Number.isNaN(same) ? Infinity : Math.abs(changed - values[k]) * this.scales[k] }];
    }).sort((a, b) => a.cost - b.cost);
  }
}
