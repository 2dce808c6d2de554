"""A widget of an explorer on a page of its own, with Python behind it and no notebook around it."""

import base64
import json

PAGE = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>An explorer</title><style>STYLE</style>
<style>:root { color-scheme: light dark; } body { margin: 8px; background: Canvas; color: CanvasText; }</style></head>
<body><main class="protoclass-explorer"><div id="here"></div></main></body></html>"""
BEHIND = {}  # what answers each page
MOUNT = """async ([script, state, png, controls, answers]) => {
  class Model {
    constructor(values) { Object.assign(this, { values, heard: [], sent: [] }); }
    get(name) { return this.values[name]; }
    set(changes, value) {
      const all = typeof changes === "string" ? { [changes]: value } : changes;
      for (const [name, now] of Object.entries(all)) {
        const moved = JSON.stringify(this.values[name]) !== JSON.stringify(now);
        this.values[name] = now;
        if (moved) this.tell(`change:${name}`);
      }
    }
    on(event, act) { this.heard.push([event, act]); }
    off(event, act) { this.heard = this.heard.filter(([one, other]) => one !== event || other !== act); }
    tell(event, ...content) { for (const [one, act] of [...this.heard]) if (one === event) act(...content); }
    save_changes() {}
    async send(content) {
      this.sent.push(content);
      if (!answers) return;
      const { shown, indices } = await window.python(content);
      for (const [name, index] of Object.entries(indices)) models[name].set("index", index);
      this.set("shown", shown);
      this.tell("msg:custom", { kind: "answer" });
    }
  }
  const bytes = (text) => new DataView(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);
  const fill = (value) => {
    if (value === null || typeof value !== "object") return value;
    if (value.base64 !== undefined) return bytes(value.base64);
    for (const name of Object.keys(value)) value[name] = fill(value[name]);
    return value;
  };
  const models = Object.fromEntries(controls.map(([name, index]) => [name, new Model({ index })]));
  const model = new Model({ ...fill(state), png: bytes(png), controls: Object.fromEntries(controls.map(([name]) => [name, name])) });
  model.widget_manager = { get_model: async (id) => models[id] };
  const { default: widget } = await import(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
  Object.assign(window, { model, models, close: widget.render({ model, el: document.getElementById("here") }) });
}"""


def mount(page, explorer, answers=True, **menus):
    """Put the picture of an explorer on a page; what the page sends reaches Python, and Python's state the page.

    The page knows its sliders, and `menus` by name.
    """

    def encode(value):
        return {"base64": base64.b64encode(value).decode()} if isinstance(value, (bytes, memoryview)) else str(value)

    picture = explorer.picture

    def answer(content):
        picture._handle_custom_msg(content, [])
        return {"shown": picture.shown, "indices": dict(read())}

    def read():
        return [[name, getattr(control, "index", None)] for name, control in {**explorer.sliders, **menus}.items()]

    page.goto("about:blank")  # a saved page that was there forbids scripts beside its own
    page.set_content(PAGE.replace("STYLE", picture._css))
    if page not in BEHIND:
        page.expose_function("python", lambda content: BEHIND[page](content))
    BEHIND[page] = answer
    skipped = ("png", "controls", "layout", "tooltip", "tabbable")
    values = {name: getattr(picture, name) for name in picture.keys if name not in skipped and not name.startswith("_")}
    state = json.loads(json.dumps(values, default=encode))
    png = base64.b64encode(picture.png).decode()
    page.evaluate(MOUNT, [picture._esm, state, png, read(), answers])
