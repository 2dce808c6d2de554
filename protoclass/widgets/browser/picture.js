// A picture of Python's that can be clicked.

import { watch } from "./answer.js";
import { stillPicture, tellRatio } from "./still.js";

function render({ model, el }) {
  const { image, close } = stillPicture(model);
  image.classList.add("protoclass-clickable");
  image.addEventListener("click", (event) => {
    const box = image.getBoundingClientRect();
    const x = (event.clientX - box.left) / box.width;
    const y = (event.clientY - box.top) / box.height;
    model.send({ kind: "click", x, y });
  });
  el.append(image);
  const stop = watch(model, el, image);
  tellRatio(model);
  return () => {
    stop();
    close();
  };
}
export default { render };
