"""The film of a fit: its frames against the rules that they show, the file that is written, and what is refused."""

import html
import re
from base64 import b64decode

import matplotlib.style
import numpy as np
import pytest
from PIL import Image

import protoclass as pc
from protoclass.plots import film as drawing
from protoclass.views.film import list_frames


@pytest.fixture(scope="module")
def fit(iris):
    return pc.fit("species ~ .", iris, eps=[0.5, 0.7, 1.0, 1.5, 2.0], cv=3)


def test_frames_are_the_fits_at_the_radii_of_the_grid(fit):
    listed = list_frames(fit, 40)
    assert listed.table["eps"].tolist() == [0.5, 0.7, 1.0, 1.5, 2.0]
    for row in listed.table.itertuples():
        alone = fit.update(eps=row.eps, cv=None)
        assert row.prototypes == len(alone.prototypes)
        assert row.training_error == pytest.approx(alone.training_error())
    assert listed.table["held_out"].tolist() == fit.validation.table["error"].tolist()
    some = list_frames(fit, 3)
    assert (len(some.fits), some.possible) == (3, 5)
    assert {fit.parameters()["eps"], 2.0} <= set(some.table["eps"])


def test_without_radii_the_steps_are_the_frames(iris):
    fit = pc.fit("species ~ .", iris, "scm", kind="disjunction", penalty=2.0, stop=3)
    table = list_frames(fit, 40).table
    assert table["size"].tolist() == [1, 2, 3]
    assert table["training_error"].iloc[-1] == fit.training_error()
    with pytest.raises(pc.NotAvailable, match=r"no radii to grow and no steps to take; methods that have: .*pvm"):
        list_frames(pc.fit("species ~ .", iris, "knn", k=3), 40)


@pytest.mark.parametrize(("style", "paper"), [("default", 255), pytest.param("dark_background", 0, marks=pytest.mark.long)])
def test_the_file_has_the_frames_it_says(fit, tmp_path, monkeypatch, style, paper):
    titles = []
    draw = drawing.plain_text
    monkeypatch.setattr(drawing, "plain_text", lambda figure: titles.append(figure.axes[0].get_title()) or draw(figure))
    path = tmp_path / "iris.gif"
    with matplotlib.style.context(style):
        film = fit.film(path, frames=2)
    with Image.open(path) as picture:
        assert (picture.n_frames, picture.size) == (film.frames, film.pixels) == (2, (640, 720))
        first, last = (np.asarray(picture.convert("RGB")) for k in range(2) if picture.seek(k) is None)
    assert (first[0, 0] == paper).all()
    assert (first != last).any()
    for title, eps in zip(titles, (list_frames(fit, 2).table["eps"]), strict=True):
        assert title.startswith(f"eps = {eps:.3g}\n{len(fit.update(eps=eps, cv=None).prototypes)} prototypes")
    assert repr(film).endswith(f"2 frames of 5, evenly taken, 640 x 720 pixels, {path.stat().st_size / 1e6:.2g} MB")
    with pytest.raises(pc.OptionError, match="overwrite=True"):
        fit.film(path, frames=2)
    assert [file.name for file in tmp_path.iterdir()] == ["iris.gif"]
    shown = film._repr_html_()
    assert b64decode(re.search(r"data:image/gif;base64,([^\"]+)", shown)[1]) == path.read_bytes()
    assert shown.count("<") == 1
    path.write_bytes(b"another")
    assert film._repr_html_() == f"<p>{html.escape(repr(film))}</p>"


def test_what_is_no_film_is_refused_and_an_interrupt_leaves_no_file(fit, tmp_path, monkeypatch):
    wrong = [({"path": "iris.png"}, "ends in .gif"), ({"path": 3}, "ends in .gif"), ({"overwrite": 1}, "overwrite=1")]
    for call, words in [*wrong, ({"frames": 1}, "frames=1"), ({"frames": 101}, "at most 100")]:
        with pytest.raises(pc.OptionError, match=words):
            fit.film(**{"path": tmp_path / "iris.gif", **call})
    with pytest.raises(pc.FileError, match="no such folder"):
        fit.film(tmp_path / "nowhere" / "iris.gif", frames=2)

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(drawing, "draw_plane", stop)
    with pytest.raises(KeyboardInterrupt):
        fit.film(tmp_path / "iris.gif", frames=2)
    assert not list(tmp_path.iterdir())
