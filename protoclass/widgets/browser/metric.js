// Distances of rows to prototypes, computed by the page: numbers, categories and linear maps, and what each variable contributes.

import { unpack } from "./content.js";

const VALUES = 201, HALVINGS = 40; // as in `fit.why`

export class Metric {
  constructor({ reason, parts = [] }, fields) {
    const known = parts.map((part) => ({ ...part, map: part.map && unpack(part.map) }));
    Object.assign(this, { reason, parts: known, fields, kept: new Map() });
  }

  get works() {
    return !this.reason && this.fields.length > 0;
  }

  // Whether a row may lack values.
  get skips() {
    return this.parts.some(({ weights }) => weights.length);
  }

  // The values of a point; a level by its place. A number is the one that was given, of which a page has seven digits.
  row(point) {
    const value = ({ levels, values }) => (levels ? (values[point] < 0 ? NaN : values[point]) : +values[point].toPrecision(7));
    if (!this.kept.has(point)) this.kept.set(point, this.fields.map(value));
    return this.kept.get(point);
  }

  // A row `a` and a prototype `b` of a class: their distance `far`, its `parts` by variable, and `along(k)`, the distance by the value
  // of a variable.
  pair(a, b, code) {
    const part = this.parts[code] || this.parts[0];
    return part.map ? mapped(part.map, a, b) : summed(part, a, b);
  }

  // The nearest prototype of those at these places, and the nearest of another class, with their distances.
  classify(values, rule, places) {
    return this.nearest(places.map((place) => this.pair(values, this.row(rule.points[place]), rule.classes[place]).far), rule, places);
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

  // For each variable the value nearest to a row's own that gives another class, and that class; the smallest change first, as a
  // proportion of the range.
  changes(values, rule, places, rows) {
    const pairs = places.map((place) => this.pair(values, this.row(rule.points[place]), rule.classes[place]));
    const codeOf = (far) => {
      const { place } = this.nearest(far, rule, places).near;
      return place < 0 ? -1 : rule.classes[place];
    };
    const old = codeOf(pairs.map(({ far }) => far));
    return this.fields.flatMap(({ name, levels, values: seen }, k) => {
      const lines = pairs.map((pair) => pair.along(k)), classify = (value) => codeOf(lines.map((line) => line(value)));
      if (levels) {
        const value = levels.findIndex((_, level) => level !== values[k] && classify(level) !== old);
        return value < 0 ? [] : [{ name, k, value, code: classify(value), cost: 1 }];
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
      const cost = Number.isNaN(same) ? Infinity : Math.abs(changed - values[k]) / (high - low);
      return [{ name, k, value: changed, code: classify(changed), cost }];
    }).sort((a, b) => a.cost - b.cost);
  }
}

// Euclidean distance after a linear map (axes x variables): a part is negative if the difference in its variable makes the distance smaller.
function mapped(map, a, b) {
  const p = a.length, apart = a.map((value, k) => value - b[k]), sum = (values) => values.reduce((all, value) => all + value, 0);
  const moved = Array.from({ length: map.length / p }, (_, i) => sum(apart.map((value, k) => map[i * p + k] * value)));
  const square = sum(moved.map((value) => value * value)), far = Math.sqrt(square), slope = (k) => sum(moved.map((value, i) => value * map[i * p + k]));
  return {
    far,
    get parts() {
      return apart.map((value, k) => (far ? (value * slope(k)) / far : 0));
    },
    along: (k) => {
      const linear = slope(k), bend = sum(moved.map((_, i) => map[i * p + k] ** 2));
      return (value) => Math.sqrt(Math.max(0, square + 2 * (value - a[k]) * linear + (value - a[k]) ** 2 * bend));
    },
  };
}

// A sum over the variables, or with `weights` a mean over those that are observed in both.
function summed({ power, scales, weights }, a, b) {
  const mean = weights.length > 0, weight = (k, term) => (Number.isNaN(term) ? 0 : mean ? weights[k] : 1);
  const termOf = (k, value) => {
    if (Number.isNaN(value) || Number.isNaN(b[k])) return NaN;
    return mean && !scales[k] ? (value === b[k] ? 0 : weights[k]) : (Math.abs(value - b[k]) * scales[k]) ** power;
  };
  const distance = (sum, all) => (mean ? sum / all : all < a.length ? NaN : sum ** (1 / power));
  const terms = a.map((value, k) => termOf(k, value)), sum = terms.reduce((total, term) => total + (term || 0), 0);
  const all = terms.reduce((total, term, k) => total + weight(k, term), 0), far = distance(sum, all);
  return {
    far,
    get parts() {
      return terms.map((term) => (sum ? (far * (term || 0)) / sum : 0));
    },
    along: (k) => (value) => {
      const term = termOf(k, value);
      return distance(Math.max(0, sum - (terms[k] || 0)) + (term || 0), all - weight(k, terms[k]) + weight(k, term));
    },
  };
}
