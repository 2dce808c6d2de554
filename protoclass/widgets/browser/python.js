// What a page in a notebook tells Python and asks of it; and the notebook's keys.

import { make } from "./element.js";
import { unfold } from "./content.js";

const SILENCE =
  "Python does not answer: it is busy, or its kernel has ended or was never started. The page still works, but what only Python " +
  "knows may be out of date. If this message stays, run the cell again.";

// A key pressed in the explorer is not the notebook's too, unless with Ctrl or Cmd. JupyterLab 4.0 reads keys before they reach
// their target, and leaves out elements with this attribute; other notebooks hear what the explorer lets through.
const isOurs = (event) => !event.ctrlKey && !event.metaKey;

export class Python {
  // `model` is that of the widget; `page` has `state()`, `take(state)`, which says whether that changed anything, `wants()` and
  // `receive(answer)`.
  constructor(model, root) {
    Object.assign(this, { model, root, page: null, view: Math.random().toString(36).slice(2), turn: 0, asked: new Map(), count: 0 });
    Object.assign(this, { due: false, asking: null, timers: [], heard: [] });
    this.notice = make("div", "silent", "", { role: "alert" });
    this.listen(model, "msg:custom", (content, buffers) => this.answered(content, buffers));
    this.listen(model, "change:state", () => this.adopt());
    this.keep = (event) => isOurs(event) && event.stopPropagation();
    this.claim = (event) => root.contains(event.target) && root.toggleAttribute("data-lm-suppress-shortcuts", isOurs(event));
    root.addEventListener("keydown", this.keep);
    window.addEventListener("keydown", this.claim, true);
  }

  listen(model, event, act) {
    model.on(event, act);
    this.heard.push(() => model.off(event, act));
  }

  // Take over what Python has changed; what this view has moved on from since, Python will hear.
  adopt() {
    const { view, turn } = this.model.get("state");
    if (!this.page || (view === this.view && turn < this.turn)) return;
    if (this.page.take(this.model.get("state")) && view !== this.view) this.report();
  }

  // Tell Python the state of the page, the latest when it has answered the one before.
  async report() {
    this.turn++;
    this.due = true;
    if (this.asking && !this.silent) return;
    const own = {};
    this.asking = own;
    while (this.due && this.asking === own) {
      this.due = false;
      const answer = await this.ask({ state: this.page.state(), wants: this.page.wants() });
      if (answer) this.page.receive(answer);
    }
    if (this.asking === own) this.asking = null;
  }

  ask(message) {
    const id = `${this.view} ${++this.count}`;
    this.timers.forEach(clearTimeout);
    this.timers = [setTimeout(() => this.say("working ..."), 2000), setTimeout(() => this.say(SILENCE, true), 6000)];
    return new Promise((resolve) => {
      this.asked.set(id, resolve);
      try {
        this.model.send({ kind: "state", ...message, id, view: this.view, turn: this.turn });
      } catch (reason) {
        console.warn(reason); // a kernel that is gone: no answer comes, and the notice says so
      }
    });
  }

  answered(content, buffers) {
    const resolve = this.asked.get(content.id);
    if (!resolve) return; // of another view
    this.asked.clear();
    this.timers.forEach(clearTimeout);
    this.say("");
    resolve(unfold(buffers[0]));
  }

  say(words, silent = false) {
    this.silent = silent;
    this.root.classList.toggle("protoclass-gone", silent);
    if (this.notice.textContent !== words) this.notice.textContent = words;
    if (words) this.root.before(this.notice);
    else this.notice.remove();
  }

  close() {
    this.heard.forEach((off) => off());
    this.timers.forEach(clearTimeout);
    this.root.removeEventListener("keydown", this.keep);
    window.removeEventListener("keydown", this.claim, true);
    this.notice.remove();
  }
}
