// Sentences about a fit, a prototype and a row, as Python's: a page without Python writes them itself.

const few = 12;

// A number with four digits, as Python's `.4g`.
export function writeNumber(value) {
  const [digits, power] = value.toExponential(3).split("e").map(Number);
  if (power >= -4 && power < 4) return String(Number(value.toPrecision(4)));
  return `${digits}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

export const countRows = (count) => `${count} row${count === 1 ? "" : "s"}`;

// Prototypes, rows in balls and the training error of what is shown.
export function fitWords({ film, reel, now, stage, size }) {
  const n = film.rows, count = now.shown.length;
  let lost = 0, all = 0, held = 0, invaded = 0;
  for (let i = 0; i < n; i++) {
    all += film.weights[i];
    if (now.fitted[i] !== film.codes[i]) lost += film.weights[i];
    held += now.held[i];
    if (now.invaded[i]) invaded++;
  }
  const what = reel.texts[Math.min(size, reel.texts.length - 1)] || `${count} prototype${count === 1 ? "" : "s"}`;
  const radius = film.radius_texts.length ? `eps = ${film.radius_texts[stage]}, ` : "";
  const balls = reel.covering && reel.whole
    ? `${held} of ${n} rows lie in a ball of their class, ${invaded} in one of another. ` : "";
  const known = reel.held_out && size === reel.most ? `; ${reel.held_out}` : "";
  const error = `Training error ${(lost / all).toFixed(4)} (optimistic: ${film.optimistic})${known}.`;
  return `${radius}${what}. ${balls}${error}`;
}

// By which share of the bound the objective of what is shown is above it; null where no bound is known.
export function gapOf({ reel, size }) {
  const gap = reel.gaps.length > 1 ? reel.gaps[size] : reel.gaps[0];
  return gap === undefined || !Number.isFinite(gap) ? null : gap;
}

// How far from the optimum what is shown is at most, as certificates say it.
export function gapWords(seen) {
  const gap = gapOf(seen), [optimal, above] = seen.reel.proofs;
  if (gap === null) return "";
  const value = Number((100 * gap).toPrecision(2)), percent = value >= 100 ? value.toLocaleString("en-US") : String(value);
  return `Objective: ${gap === 0 ? optimal : above.replace("{}", `${percent} %`)}.`;
}

// The picture for those who do not see it.
export function mapWords(seen, { only, point }, plane) {
  const { film } = seen, where = plane && !plane.one_unit ? `the plane of ${plane.axes[0]} and ${plane.axes[1]}` : "a map of the dissimilarities";
  const stands = only < 0 ? "" : ` Class ${film.classes[only].name} stands out.`;
  const ringed = point < 0 ? "" : ` Ringed: ${pointWords(seen, point)[0].title}.`;
  return `${film.rows} rows and their prototypes on ${where}. ${fitWords(seen)} ${gapWords(seen)}${stands}${ringed}`;
}

// Rows, prototypes and misclassified rows of each class.
export function classTable({ film, reel, now }) {
  const counts = film.classes.map(() => [0, 0, 0]);
  for (let row = 0; row < film.rows; row++) {
    counts[film.codes[row]][0]++;
    if (now.fitted[row] !== film.codes[row]) counts[film.codes[row]][2]++;
  }
  for (const place of now.shown) counts[reel.classes[place]][1]++;
  return { caption: "Classes", head: ["class", "rows", "prototypes", "misclassified"], rows: film.classes.map(({ name }, k) => [name, ...counts[k].map(String)]) };
}

// The title and the text of a prototype, and rows that it has to do with.
function prototypeWords({ film, reel, now, size }, place) {
  const code = reel.classes[place], point = reel.points[place], levels = film.classes;
  const other = point < film.rows && film.codes[point] !== code;
  let title = `Prototype ${film.called[point]}: ${levels[code].name}`;
  if (other) title += ` (its own class: ${levels[film.codes[point]].name})`;
  if (film.ordered) title += `, ${place + 1} of ${now.shown.length} in the order chosen`;
  const free = other ? " It is a row of another class; candidates=\"own\" takes rows of the class alone." : "";
  const { rows, wrong } = reel.holds(place, now, film), pair = point < film.rows && !other ? reel.rivalOf(point, size) : null;
  const rival = pair && pair.rival >= 0 ? ` The nearest prototype of another class is ${nameAt({ film, reel }, pair.rival)} at `
    + `${writeNumber(pair.near + pair.gap)}.` : "";
  if (reel.covering && reel.whole) {
    const first = rows.filter((row) => reel.first[row] === place);
    const before = rows.length - first.length - wrong.length;
    const ringed = wrong.length ? " (ringed in red)" : "";
    const text = `It is the first to cover ${countRows(first.length)} of its class. Its ball also holds ${countRows(before)} that `
      + `others covered before, and ${countRows(wrong.length)} of other classes${ringed}.${free}${rival}`;
    return { title, text, code, lists: [["Covers first", first], ["Holds wrongly", wrong]] };
  }
  if (!reel.whole && !reel.speaks) return { title, text: "The rule depends on this row.", code, lists: [] };
  const own = rows.filter((row) => film.codes[row] === code).length;
  const text = reel.whole ? `It has ${countRows(rows.length)} within its radius, ${own} of them of its class.`
    : `It is the nearest prototype of ${countRows(rows.length)}, ${own} of them of its class.`;
  return { title, text: text + free + rival, code, lists: [[reel.whole ? "Within its radius" : "Is nearest to", rows]] };
}

const nameAt = ({ film, reel }, place) => `${film.called[reel.points[place]]} (${film.classes[reel.classes[place]].name})`;

// The nearest prototype, and how much farther the next is that speaks for another answer.
function nearWords({ film, reel, size }, row, near) {
  const code = reel.classes[near], self = reel.points[near] === row, right = code === film.codes[row];
  const first = `The nearest prototype is ${self ? `itself (${film.classes[code].name})` : nameAt({ film, reel }, near)}`;
  const pair = reel.rivalOf(row, size);
  if (!pair) return `${first}.`;
  const here = `${first} at ${writeNumber(pair.near)}`;
  if (pair.rival < 0) return `${here}; ${right ? "no other class has prototypes" : "its own class has no prototype"}.`;
  const of = `${right ? "" : "its own class "}${film.classes[reel.classes[pair.rival]].name}`;
  const tied = pair.gap === 0 ? "equally far, and of these the class that comes first wins" : `${writeNumber(pair.gap)} farther`;
  const name = film.called[reel.points[pair.rival]];
  return `${here}; the nearest of ${of} is ${name} at ${writeNumber(pair.near + pair.gap)}, ${tied}.`;
}

// The title and the text of a row.
function rowWords({ film, reel, now, size }, row) {
  const levels = film.classes, truth = film.codes[row], fitted = now.fitted[row], words = [];
  const verdict = truth === fitted ? "rightly" : `wrongly: its class is ${levels[truth].name}`;
  words.push(`It is classified as ${levels[fitted].name}, ${verdict}.`);
  const near = now.nearest[row];
  if (near >= 0) words.push(nearWords({ film, reel, size }, row, near));
  if (reel.covering && reel.whole) {
    const first = reel.first[row], count = now.invaded[row];
    const own = first >= 0 && reel.born[first] <= size
      ? `The ball of ${film.called[reel.points[first]]} was the first to cover it` : "No ball of its class holds it";
    const others = count ? `; ${count} ball${count > 1 ? "s" : ""} of other classes hold${count > 1 ? "" : "s"} it wrongly.`
      : own.startsWith("No") ? ", and none of another class does." : "; no ball of another class holds it.";
    words.push(own + others);
  }
  return { title: `Row ${film.called[row]}: ${levels[truth].name}`, text: words.join(" "), code: truth, lists: [] };
}

// What a point is: the words of each prototype that it is, and those of a row; none for no point.
export function pointWords(seen, point) {
  const words = seen.reel.placesAt(point, seen.size).map((place) => prototypeWords(seen, place));
  return point >= 0 && point < seen.film.rows ? [...words, rowWords(seen, point)] : words;
}

// Some rows by name, those of other classes with their class.
export function nameRows(film, rows, code) {
  const names = Array.from(rows.slice(0, few), (row) => {
    const other = film.codes[row] !== code ? ` (${film.classes[film.codes[row]].name})` : "";
    return film.called[row] + other;
  });
  return names.join(", ") + (rows.length > few ? ` and ${rows.length - few} more` : "");
}

// A set of rows: how many of each class, and how many are misclassified.
export function setWords({ film, now }, rows) {
  const counts = film.classes.map(() => 0);
  let lost = 0;
  for (const row of rows) {
    counts[film.codes[row]]++;
    if (now.fitted[row] !== film.codes[row]) lost++;
  }
  const classes = counts.map((count, k) => (count ? `${film.classes[k].name} ${count}` : "")).filter(Boolean).join(", ");
  return `${countRows(rows.length)} in the lasso${classes ? `: ${classes}; ${lost} misclassified` : ""}.`;
}

// The head of a list of so many prototypes, of which at most some are listed.
export function listHead({ film, reel }, count, most) {
  if (!count) return "No prototypes to choose";
  const few = count > most ? `; the first ${most} are listed` : "";
  return `${count} prototypes${film.ordered ? ", in the order chosen" : ""}${few}${reel.covering ? " (rows first covered)" : ""}`;
}

// A prototype in a list: place, name, class, and the rows that it covers first.
export function listWords({ film, reel }, place) {
  const point = reel.points[place], code = reel.classes[place];
  const own = point < film.rows && film.codes[point] !== code ? `, a row of ${film.classes[film.codes[point]].name}` : "";
  const name = `${place + 1}. ${film.names[point]}: ${film.classes[code].name}${own}`;
  return reel.covering ? `${name} (${+reel.covers(film)[place].toPrecision(6)})` : name;
}
