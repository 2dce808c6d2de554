// Keys and silence: keys pressed in an explorer are its own, and the page says where Python does not answer.

const BOX = ".protoclass-explorer", GONE = "jupyter-widgets-disconnected", NEEDS = ".widget-button, .jupyter-widgets :is(select, input[type=text])";

// A key pressed in the explorer is not the notebook's too, unless with Ctrl or Cmd. JupyterLab 4.0 reads keys before they reach
// their target, and leaves out elements with this attribute; other notebooks hear what the explorer lets through.
const isOurs = (event) => !event.ctrlKey && !event.metaKey;
const keep = (event) => {
  if (isOurs(event)) event.stopPropagation();
};

// ipywidgets leave the handle of a slider without a name and its value a number of steps, and a list without a name.
export function nameControls(el) {
  const box = el.closest(BOX);
  for (const slider of box ? box.querySelectorAll(".widget-slider") : []) {
    const handle = slider.querySelector("[role=slider]"), label = slider.querySelector(".widget-label");
    const readout = slider.querySelector(".widget-readout");
    if (handle && label) handle.setAttribute("aria-label", label.textContent);
    if (handle && readout) handle.setAttribute("aria-valuetext", readout.textContent);
    if (readout && label) readout.setAttribute("aria-label", `${label.textContent}, value`);
  }
  for (const list of box ? box.querySelectorAll("select[size]") : []) list.setAttribute("aria-label", "prototypes");
}

// Say at the controls that need Python what the notice says; without words they say again what they did before.
function explain(box, words, titles) {
  for (const control of box.querySelectorAll(NEEDS)) {
    if (words && !titles.has(control)) titles.set(control, control.title);
    if (titles.has(control)) control.title = words || titles.get(control);
  }
  if (!words) titles.clear();
}

// Watch an explorer: ask Python at each touch, and say in words before `place` if no answer comes. Returns what ends that.
export function watch(model, el, place) {
  const notice = document.createElement("div");
  notice.className = "protoclass-silent";
  notice.setAttribute("role", "alert");
  const titles = new Map();
  let timers = [], waiting = false, box = null;
  function say(words, gone = false) {
    if (notice.textContent !== words) notice.textContent = words;
    if (words) place.before(notice);
    else notice.remove();
    if (box) box.classList.toggle("protoclass-gone", gone);
    if (box) explain(box, gone ? words : "", titles);
  }
  const isGone = () => box && box.classList.contains(GONE);
  function settle() {
    timers.forEach(clearTimeout);
    timers = [];
    waiting = false;
    if (isGone()) say(model.get("silence"), true);
    else say("");
  }
  function ask() {
    if (!waiting) {
      waiting = true;
      const patience = 1000 * model.get("patience");
      timers = [setTimeout(() => say("working ..."), 2000), setTimeout(() => say(model.get("silence"), true), patience)];
    }
    try {
      model.send({ kind: "ask" });
    } catch (reason) {
      console.warn(reason); // a kernel that is gone: no answer comes, and the notice says so
    }
  }
  const answered = (content) => content.kind === "answer" && settle();
  function find() {
    if (box || !(box = el.closest(BOX))) return box;
    box.addEventListener("keydown", keep);
    nameControls(el);
    connection.observe(box, { attributes: true, attributeFilter: ["class"] });
    named.observe(box, { childList: true, subtree: true, characterData: true });
    if (isGone()) settle();
    return box;
  }
  let was = false;
  const connection = new MutationObserver(() => {
    if (isGone() !== was) settle();
    was = isGone();
  });
  const named = new MutationObserver(() => nameControls(el));
  function touched(event) {
    if (!find() || !(event.target instanceof Element) || !box.contains(event.target)) return;
    if (event.type === "keydown") box.toggleAttribute("data-lm-suppress-shortcuts", isOurs(event));
    if (isGone()) settle();
    else if (!waiting || notice.textContent) ask();
  }
  const touches = ["pointerdown", "keydown", "change"];
  for (const touch of touches) window.addEventListener(touch, touched, true);
  model.on("msg:custom", answered);
  const looking = setInterval(() => find() && clearInterval(looking), 50); // the box is put on the page later
  return () => {
    model.off("msg:custom", answered);
    for (const touch of touches) window.removeEventListener(touch, touched, true);
    timers.forEach(clearTimeout);
    clearInterval(looking);
    connection.disconnect();
    named.disconnect();
  };
}
