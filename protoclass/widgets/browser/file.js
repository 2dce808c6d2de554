// Explorers in a file: all that they show is in it.

import { make } from "./element.js";
import { Page } from "./page.js";
import { unfold } from "./content.js";
import { Validation } from "./validation.js";

async function read(text) {
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return unfold(new DataView(await new Response(stream).arrayBuffer()));
}

// A page that shows this one in a frame says which theme its reader chose: "light", "dark", or "auto" for that of the system.
addEventListener("message", ({ source, data }) => {
  if (source === window.parent && data && ["light", "dark", "auto"].includes(data.theme)) document.documentElement.dataset.theme = data.theme;
});

for (const root of document.querySelectorAll(".protoclass-page")) {
  const text = root.querySelector(".protoclass-data").textContent;
  read(text).then((sent) => {
    if (document.title === "protoclass") document.title = (sent.fit || sent).formula; // not that of a report
    return new (sent.fit ? Page : Validation)(root, sent);
  }).catch((reason) => {
    root.append(make("p", "problem", `This browser cannot show the explorer: ${reason}`, { role: "alert" }));
  });
}
