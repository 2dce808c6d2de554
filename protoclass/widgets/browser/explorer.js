// An explorer in a notebook: the page of a file, with Python behind it.

import { make } from "./element.js";
import { Page } from "./page.js";
import { Python } from "./python.js";
import { unfold } from "./content.js";
import { Validation } from "./validation.js";

function render({ model, el }) {
  const root = make("div", "page"), python = new Python(model, root);
  el.append(root);
  const sent = { ...unfold(model.get("content")), state: model.get("state") };
  python.page = new (sent.fit ? Page : Validation)(root, sent, python);
  python.report();
  return () => {
    python.page.close();
    python.close();
  };
}
export default { render };
