"""An explorer on a page of its own, with Python behind it and no notebook around it."""

import json
from base64 import b64encode

from protoclass.widgets.base import join

PAGE = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>An explorer</title><style>STYLE</style>
<style>:root { color-scheme: light dark; } body { margin: 8px; background: Canvas; color: CanvasText; }</style></head>
<body><main id="here"></main></body></html>"""
BEHIND = {}  # what answers each page
MOUNT = """async ([script, values, answers]) => {
  const bytes = (text) => new DataView(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);
  class Model {
    constructor(values) { Object.assign(this, { values, heard: [], sent: [], back: 0, answers }); }
    get(name) { return this.values[name]; }
    set(name, value) {
      const moved = JSON.stringify(this.values[name]) !== JSON.stringify(value);
      this.values[name] = value;
      if (moved) this.tell(`change:${name}`);
    }
    on(event, act) { this.heard.push([event, act]); }
    off(event, act) { this.heard = this.heard.filter(([one, other]) => one !== event || other !== act); }
    tell(event, ...content) { for (const [one, act] of [...this.heard]) if (one === event) act(...content); }
    async send(message) {
      this.sent.push(message);
      if (!this.answers) return;
      const { state, content, answer } = await window.python(message);
      if (content) {
        this.values.state = state;
        this.values.content = bytes(content);
        this.tell("change:content");
      } else this.set("state", state);
      this.tell("msg:custom", { kind: "answer", id: message.id }, [bytes(answer)]);
      await null; // the page takes it, and may go on asking
      this.back++;
    }
  }
  const model = new Model({ ...values, content: bytes(values.content) });
  const { default: widget } = await import(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
  Object.assign(window, { model, close: widget.render({ model, el: document.getElementById("here") }) });
}"""


def text(data):
    return b64encode(data).decode()


def mount(page, explorer, answers=True):
    """Put an explorer on a page; what the page sends reaches Python, and Python's answer, state and content the page."""

    def answer(message):
        before = explorer.content
        told = explorer.answer(message)
        new = None if explorer.content == before else text(explorer.content)
        return {"state": explorer.state, "content": new, "answer": text(join(told))}

    page.goto("about:blank")  # a saved page that was there forbids scripts beside its own
    page.set_content(PAGE.replace("STYLE", explorer._css))
    if page not in BEHIND:
        page.expose_function("python", lambda message: BEHIND[page](message))
    BEHIND[page] = answer
    values = {"state": explorer.state, "content": text(explorer.content)}
    page.evaluate(MOUNT, [explorer._esm, json.loads(json.dumps(values)), answers])


def follow(page, explorer):
    """Tell the page what Python has changed since."""
    page.evaluate("state => model.set('state', state)", explorer.state)


def settle(page, explorer=None):
    """Wait until the page has drawn and, where it has an explorer behind it, Python has answered."""
    if explorer is not None:
        page.wait_for_function("() => model.sent.length === model.back")
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))))")
