// The hand toggle of the theme reaches the explorers in frames, which may be read from disk and then know nothing of this page.

const frames = () => document.querySelectorAll("iframe.explorer");
const send = (frame) => frame.contentWindow.postMessage({ theme: document.body.dataset.theme || "auto" }, "*");

addEventListener("DOMContentLoaded", () => {
  for (const frame of frames()) {
    frame.addEventListener("load", () => send(frame));
    send(frame); // where it is loaded already
  }
  new MutationObserver(() => frames().forEach(send)).observe(document.body, { attributes: true, attributeFilter: ["data-theme"] });
});
