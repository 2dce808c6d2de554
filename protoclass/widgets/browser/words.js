// Sentences about a fit, a prototype and a row: a page without Python writes them itself.

// A number with four digits, as Python's `.4g`.
export function writeNumber(value) {
  const [digits, power] = value.toExponential(3).split("e").map(Number);
  if (power >= -4 && power < 4) return String(Number(value.toPrecision(4)));
  return `${digits}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

export const countRows = (count) => `${count} row${count === 1 ? "" : "s"}`;

export const percent = (value) => `${(100 * value).toFixed(1)} %`;

// The weighted share of the training rows that are misclassified.
export function trainingError({ fit, now }) {
  let lost = 0, all = 0;
  fit.codes.forEach((code, row) => {
    all += fit.weights[row];
    if (now.fitted[row] !== code) lost += fit.weights[row];
  });
  return lost / all;
}

// Prototypes, rows in balls and the training error of what is shown.
export function fitWords(seen) {
  const { fit, rule, now, step } = seen, n = fit.rows;
  const radius = fit.radii.length ? `eps = ${writeNumber(fit.radii[step])}, ` : "";
  const held = now.held.reduce((sum, inside) => sum + inside, 0), invaded = now.invaded.filter(Boolean).length;
  const balls = rule.covering && rule.whole ? `${held} of ${n} rows are in a ball of their class, ${invaded} in a ball of another class. ` : "";
  return `${radius}${rule.text}. ${balls}Training error ${trainingError(seen).toFixed(4)} (optimistic: ${fit.optimistic}). ${rule.objective}`.trim();
}

// What the map shows of the dissimilarities.
export function planeWords({ axes, one_unit: map }) {
  const shares = axes.join("; ").match(/[\d.]+ %/g);
  if (!map || shares?.length !== 2) return axes.join("; ");
  const all = shares.reduce((sum, share) => sum + parseFloat(share), 0);
  return `Map of the dissimilarities (${all.toFixed(0)} %)`;
}

const nameAt = ({ fit, rule }, place) => `${fit.called[rule.points[place]]} (${fit.classes[rule.classes[place]].name})`;

// The title and the text of a prototype, and rows that it has to do with.
function prototypeWords(seen, place) {
  const { fit, rule, now } = seen, code = rule.classes[place], point = rule.points[place], levels = fit.classes;
  const other = point < fit.rows && fit.codes[point] !== code, pair = point < fit.rows && !other ? rule.rivalOf(point) : null;
  const title = `Prototype ${fit.called[point]}: ${levels[code].name}${other ? ` (true class ${levels[fit.codes[point]].name})` : ""}`;
  const words = fit.ordered ? [`${place + 1} of ${now.shown.length} in the order chosen.`] : [], { rows, wrong } = rule.holds(place, fit);
  const lists = [], own = rows.filter((row) => fit.codes[row] === code).length;
  if (rule.covering && rule.whole) {
    const first = rows.filter((row) => rule.first[row] === place), before = rows.length - first.length - wrong.length;
    words.push(`Newly covers ${countRows(first.length)} of its class.`);
    const others = [before && `${countRows(before)} covered by earlier prototypes`, wrong.length && `${countRows(wrong.length)} of other classes`];
    if (before || wrong.length) words.push(`Its ball also contains ${others.filter(Boolean).join(" and ")}.`);
    lists.push(["Wrongly covered", wrong], ["Newly covered", first]);
  } else if (rule.whole || rule.speaks) {
    words.push(`${rule.whole ? "Its ball contains" : "It is the nearest prototype of"} ${countRows(rows.length)}, ${own} of them of its class.`);
    lists.push([rule.whole ? "In its ball" : "Nearest to", rows]);
  } else words.push("The rule depends on this row.");
  if (other) words.push('Its own class is another one; candidates="same_class" allows only rows of the class.');
  const rival = () => `The nearest prototype of another class is ${nameAt(seen, pair.rival)} at ${writeNumber(pair.far)}.`;
  if (pair && pair.rival >= 0) words.push(rival());
  return { title, text: words.join(" "), code, lists, place };
}

// The nearest prototype, and how much farther the next is that speaks for another answer.
function nearWords(seen, row, near) {
  const { fit, rule } = seen, right = rule.classes[near] === fit.codes[row], pair = rule.rivalOf(row);
  const first = `Nearest prototype ${rule.points[near] === row ? `the row itself (${fit.classes[rule.classes[near]].name})` : nameAt(seen, near)}`;
  if (!pair) return `${first}.`;
  const here = `${first} at ${writeNumber(pair.near)}`;
  if (pair.rival < 0) return `${here}; ${right ? "no other class has prototypes" : "its own class has no prototype"}.`;
  const of = fit.classes[rule.classes[pair.rival]].name, tied = pair.far === pair.near ? " (tied: the first class wins)" : "";
  return `${here}; nearest of ${of}: ${fit.called[rule.points[pair.rival]]} at ${writeNumber(pair.far)}${tied}.`;
}

// The title and the text of a row.
function rowWords(seen, row) {
  const { fit, rule, now } = seen, truth = fit.classes[fit.codes[row]].name, fitted = fit.classes[now.fitted[row]].name;
  const tested = fit.classes[now.judged[row]], words = []; // none for a row without a held-out prediction
  const verdict = (name) => `${name} (${name === truth ? "correct" : "wrong"})`;
  if (now.nearest[row] >= 0) words.push(nearWords(seen, row, now.nearest[row]));
  if (rule.covering && rule.whole) {
    const count = now.invaded[row];
    if (rule.first[row] < 0) words.push("It is not in any ball of its class.");
    if (count) words.push(`${count} ball${count > 1 ? "s" : ""} of other classes also contain${count > 1 ? "" : "s"} it.`);
  }
  const held = now.how === "training" ? "" : ` Held out: ${tested ? verdict(tested.name) : "not predicted"}.`;
  return { title: `Row ${fit.called[row]}: ${truth}.${held} This fit: ${verdict(fitted)}`, text: words.join(" "), code: fit.codes[row], lists: [], place: -1 };
}

// What a point is: the words of each prototype that it is, and those of a row, which come first of a misclassified one and are left out of a
// correct one that is a prototype itself.
export function pointWords(seen, point) {
  const { fit, rule, now } = seen, places = rule.placesAt(point), words = places.map((place) => prototypeWords(seen, place));
  if (point < 0 || point >= fit.rows) return words;
  if (now.judged[point] !== fit.codes[point]) return [rowWords(seen, point), ...words];
  return places.includes(now.nearest[point]) ? words : [...words, rowWords(seen, point)];
}
