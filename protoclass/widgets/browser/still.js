// The picture that Python drew.

export function stillPicture(model) {
  const image = document.createElement("img");
  image.className = "protoclass-picture";
  image.draggable = false;
  let url = "";
  function show() {
    const old = url;
    url = URL.createObjectURL(new Blob([model.get("png")], { type: "image/png" }));
    image.src = url;
    if (old) URL.revokeObjectURL(old);
  }
  function tell() {
    image.alt = model.get("alt");
    image.style.width = `${model.get("width")}px`;
  }
  model.on("change:png", show);
  model.on("change:alt", tell);
  model.on("change:width", tell);
  tell();
  show();
  function close() {
    model.off("change:png", show);
    model.off("change:alt", tell);
    model.off("change:width", tell);
    URL.revokeObjectURL(url);
  }
  return { image, close };
}

// Python draws as many dots as the screen has.
export function tellRatio(model) {
  model.set("ratio", window.devicePixelRatio);
  model.save_changes();
}
