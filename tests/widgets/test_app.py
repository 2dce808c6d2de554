"""The explorers as a page: what it is made of, who may see it, and that nothing of it stays."""

import http.client
import json
import os
import pickle
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from importlib.util import find_spec
from pathlib import Path

import pandas as pd
import pytest
from ipywidgets import Button

import protoclass as pc
from protoclass.__main__ import main
from protoclass.widgets import app as pages
from protoclass.widgets.app import CELL, DOOR, KEPT, NOTEBOOK, App, app, free, packed, page, write

EVIL = 'x");open("evil","w").write("")#'  # code, if it were ever pasted into the notebook
IRIS = Path(__file__).resolve().parents[2] / "data" / "iris.csv"
DEADLINE = 120.0  # seconds for what takes a few

KERNEL = "/api/kernels/00000000-0000-0000-0000-000000000000"
SOCKET = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "AA=="}

needs_voila = pytest.mark.skipif(find_spec("voila") is None, reason="voila is not installed")


def city_block(a, b):
    """A function that another process can import."""
    return float(abs(a - b).sum())


def ask(address, path, **headers):
    """Status, headers and text that a server at (host, port) answers with."""
    door = http.client.HTTPConnection(*address, timeout=DEADLINE)
    door.request("GET", path, headers=headers)
    answer = door.getresponse()
    text = answer.read().decode()
    door.close()
    return answer.status, answer.headers, text


def address(url):
    host, port = url.removeprefix("http://").split("/")[0].split(":")
    return host, int(port)


def until(true):
    """Wait for something to become true."""
    end = time.monotonic() + DEADLINE
    while not true():
        assert time.monotonic() < end, "it did not come true"
        time.sleep(0.05)


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """A page of data whose names are code and markup, and its folder."""
    data = pc.load_data("iris").rename(columns={"sepal_width": EVIL, "petal_width": "<img src=x onerror=alert(1)>"})
    home = tmp_path_factory.mktemp("temp")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pages.tempfile, "tempdir", str(home))
        with app(f"species ~ . - `{EVIL}` + `{EVIL}`", data, eps=1.0, open_browser=False) as shown:
            yield shown, next(home.glob("protoclass-*"))


@needs_voila
def test_the_page_is_for_those_with_its_token(opened):
    shown, _ = opened
    at, token = address(shown.url), shown.url.split("token=")[1]
    assert len(token) >= 40
    for path in ("/", "/?token=", f"/?token={token[:-1]}", f"/?token={token.swapcase()}", f"/{NOTEBOOK}"):
        status, headers, text = ask(at, path)
        assert status == 302
        assert headers["Location"].startswith("/login")
        assert "protoclass" not in text
    assert ask(at, KERNEL)[0] == 403
    assert ask(at, f"{KERNEL}/channels", **SOCKET)[0] == 403
    assert ask(at, f"{KERNEL}/channels?token={token}", **SOCKET)[0] == 404  # let in, and no such kernel


@needs_voila
def test_other_names_and_other_sites_are_refused_whatever_they_carry(opened):
    """A name that was rebound to this machine is in Host, the site whose script asks in Origin; both may carry the token."""
    shown, _ = opened
    (name, port), query = address(shown.url), shown.url.split("?")[1]
    page, channel, static = f"/?{query}", f"{KERNEL}/channels?{query}", "/voila/static/voila.js"
    own, cookie = f"{name}:{port}", ask((name, port), f"/?{query}")[1]["Set-Cookie"].split(";")[0]
    assert cookie
    for host in ("evil.example", f"evil.example:{port}", f"localhost.evil.example:{port}", f"127.0.0.1.evil.example:{port}",
                 f"127.0.0.1:{port + 1}", "127.0.0.1", f"0.0.0.0:{port}", f"[::1]:{port}", ""):  # fmt: skip
        for path, headers in ((page, {}), (static, {}), ("/login", {}), (channel, SOCKET), (page, {"Cookie": cookie})):
            assert ask((name, port), path, Host=host, **headers)[0] in (400, 403), host
        origin = f"http://{host}"  # of a page that was loaded under the name that is rebound
        assert ask((name, port), channel, Host=host, Origin=origin, **SOCKET)[0] in (400, 403)
    for origin in ("http://evil.example", f"http://evil.example:{port}", f"http://127.0.0.1:{port + 1}", f"https://{own}", "null",
                   f"http://localhost:{port}", f"http://{own}.evil.example"):  # fmt: skip
        for headers in (SOCKET, SOCKET | {"Cookie": cookie}):
            assert ask((name, port), channel, Origin=origin, **headers)[0] == 403, origin
        assert ask((name, port), page, Origin=origin)[0] == 403
    assert ask((name, port), channel, Origin=f"http://{own}", **SOCKET)[0] == 404  # let in, and no such kernel
    assert ask((name, port), static, Origin=f"http://{own}")[0] == 200
    assert ask((name, port), "/login", Host=f"localhost:{port}", Origin=f"http://localhost:{port}")[0] == 200
    assert ask((name, port), static, Host=f"LOCALHOST:{port}")[0] == 200


@needs_voila
def test_a_request_without_a_host_is_refused(opened):
    at = address(opened[0].url)
    with socket.create_connection(at, timeout=DEADLINE) as door:
        door.sendall(b"GET /login HTTP/1.0\r\n\r\n")
        assert door.makefile("rb").readline().split()[1] in (b"400", b"403")


@needs_voila
def test_the_page_shows_the_explorer_and_runs_none_of_the_names(opened):
    shown, folder = opened
    status, headers, text = ask(address(shown.url), shown.url[shown.url.index("/?") :])
    assert status == 200
    assert "application/vnd.jupyter.widget-view+json" in text
    assert "Traceback" not in text
    assert not (folder / "evil").exists()
    assert "default-src 'self'" in headers["Content-Security-Policy"]
    assert "://" not in headers["Content-Security-Policy"].replace(f"ws://127.0.0.1:{address(shown.url)[1]}", "")


@needs_voila
@pytest.mark.parametrize("name", [KEPT, NOTEBOOK, "voila.json", DOOR, "paths.json"])
def test_no_file_of_the_folder_is_given_out(opened, name):
    shown, folder = opened
    assert (folder / name).exists()
    assert ask(address(shown.url), f"/voila/files/{name}?{shown.url.split('?')[1]}")[0] == 403


@needs_voila
def test_the_folder_is_private(opened):
    _, folder = opened
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@needs_voila
@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no second loopback address")
def test_only_the_loopback_address_listens(opened):
    shown, _ = opened
    port = address(shown.url)[1]
    socket.create_connection(("127.0.0.1", port), timeout=5).close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", port), timeout=5)


@needs_voila
def test_a_port_that_is_taken_is_named(opened):
    shown, _ = opened
    port = address(shown.url)[1]
    with pytest.raises(pc.OptionError, match=rf"port={port}: .*name another"):
        app("species ~ .", pc.load_data("iris"), eps=1.0, port=port)


@needs_voila
def test_closing_leaves_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(pages.tempfile, "tempdir", str(tmp_path))
    gone = []
    monkeypatch.setattr(
        pages.webbrowser, "open", lambda uri: gone.append((uri, Path(uri.removeprefix("file://")).read_text()))
    )
    shown = app("species ~ .", str(IRIS), "knn", k=3)
    said = capsys.readouterr().out
    assert f"Explore it at {shown.url}\n" in said
    assert "open this address in yours" in said  # as webbrowser.open gave nothing
    (uri, door), token = gone[0], shown.url.split("token=")[1]
    assert token not in uri  # all users of a machine can read the command line of a browser
    assert f'content="0; url={shown.url}"' in door
    assert repr(shown) == f"App at {shown.url}"
    server = shown._server
    shown.close()
    assert server.returncode == 0
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ConnectionRefusedError):
        ask(address(shown.url), "/login")
    shown.close()
    shown.wait()
    assert repr(shown) == "App, closed"


def answers(place):
    with socket.socket() as one:
        return one.connect_ex(place) == 0


@needs_voila
@pytest.mark.parametrize("end", [pytest.param("interrupt", marks=pytest.mark.long), "kill"])
@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.usefixtures("interruptible")
def test_the_shell_command_ends_with_its_process(end, tmp_path, request):
    temp = tmp_path / "temp"
    temp.mkdir()
    words = [sys.executable, "-m", "protoclass", "explore", "species ~ .", str(IRIS), "--eps", "1.0", "--no-browser"]
    environment = {**os.environ, "TMPDIR": str(temp), "PYTHONPATH": str(Path(pc.__file__).parent.parent)}
    command = subprocess.Popen(words, stdout=subprocess.PIPE, env=environment, text=True, cwd=tmp_path)
    request.addfinalizer(command.kill)
    lines = [command.stdout.readline() for _ in range(2)]
    assert lines[1] == "Ctrl-C ends it.\n"
    url = lines[0].split()[-1]
    folders = list(temp.glob("protoclass-*"))
    assert len(folders) == 1
    assert ask(address(url), "/")[0] == 302
    command.send_signal(signal.SIGINT if end == "interrupt" else signal.SIGKILL)
    assert command.wait(DEADLINE) == (0 if end == "interrupt" else -signal.SIGKILL)
    command.stdout.close()
    until(lambda: not folders[0].exists())
    until(lambda: not answers(address(url)))


@needs_voila
def test_a_server_that_does_not_start_says_why(tmp_path, monkeypatch):
    server, temp = tmp_path / "server.py", tmp_path / "temp"
    temp.mkdir()
    server.write_text("print('no such luck')\nraise SystemExit(3)\n")
    monkeypatch.setattr(pages, "SERVER", server)
    monkeypatch.setattr(pages.tempfile, "tempdir", str(temp))
    with pytest.raises(pc.ProtoclassError, match=r"voila did not start on port \d+; it wrote:\nno such luck"):
        app("species ~ .", pc.load_data("iris"), eps=1.0, open_browser=False)
    assert list(temp.iterdir()) == []


@needs_voila
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"open_browser": "no"}, "open_browser='no': allowed are True, False"),
        ({"shape": (8, 8)}, "64 pixels, and there are 4 predictors"),
        ({"espilon": 1.0}, "espilon"),
        ({"data": "absent.csv"}, "'absent.csv' is not a CSV file that can be read: No such file"),
        ({"dissimilarity": lambda a, b: float(abs(a - b).sum())}, r"cannot hand .*<lambda> to the page"),
    ],
)
def test_what_cannot_be_shown_is_said_before_a_server_starts(arguments, message, iris, monkeypatch):
    monkeypatch.setattr(App, "_start", lambda self: pytest.fail("a server was started"))
    with pytest.raises((pc.OptionError, pc.FileError), match=message):
        app(**{"formula": "species ~ .", "data": iris, "eps": 1.0, "open_browser": False} | arguments)


@pytest.mark.parametrize("name", ["voila", "ipykernel"])
def test_without_voila_the_extra_is_named(name, iris, monkeypatch):
    monkeypatch.setattr(pages, "find_spec", lambda asked: None if asked == name else True)
    with pytest.raises(pc.OptionError, match=rf'{name}, which is not installed: pip install "protoclass-stats\[app\]"'):
        app("species ~ .", iris)


@pytest.mark.parametrize("port", [0, -1, 2.5, "80", True, 70_000])
def test_a_port_is_a_number_of_one(port):
    with pytest.raises(pc.OptionError, match="port="):
        free(port)


def test_a_free_port_is_free():
    port = free(None)
    assert free(port) == port
    with socket.create_server(("127.0.0.1", port)), pytest.raises(pc.OptionError, match=f"port={port}"):
        free(port)


def test_a_file_that_is_no_table_is_named(tmp_path):
    path = tmp_path / "empty.csv"
    path.write_text("")
    with pytest.raises(pc.FileError, match=r"empty\.csv' is not a CSV file that can be read"):
        pages.read(path)


def test_what_the_page_can_import_is_handed_on(iris):
    fit = pc.fit("species ~ .", iris.iloc[::5], eps=2.0, dissimilarity=city_block)
    again, shape = pickle.loads(packed((fit, (2, 2))))
    assert shape == (2, 2)
    pd.testing.assert_series_equal(again.predict(iris), fit.predict(iris))


def test_what_only_this_session_knows_is_not(monkeypatch):
    def within(a, b):
        return 0.0

    monkeypatch.setattr(city_block, "__module__", "__main__")
    for value, name in ((within, "within"), (lambda a: a, "<lambda>"), (city_block, "city_block")):
        with pytest.raises(pc.OptionError, match=f"cannot hand .*{name} to the page.* write it into a module"):
            packed({"dissimilarity": value})
    with pytest.raises(pc.OptionError, match=r"cannot hand the fit to the page.*lock"):
        packed(threading.Lock())


def test_the_notebook_says_the_same_whatever_is_shown(tmp_path):
    write(tmp_path, 8866, "secret", "http://127.0.0.1:8866/?token=secret", b"kept")
    notebook = json.loads((tmp_path / NOTEBOOK).read_text())
    assert [cell["source"] for cell in notebook["cells"]] == [CELL]
    compile(CELL, "cell", "exec")
    assert (tmp_path / KEPT).read_bytes() == b"kept"
    told = json.loads((tmp_path / "voila.json").read_text())["Voila"]
    assert (told["ip"], told["port"], told["port_retries"], told["token"]) == ("127.0.0.1", 8866, 0, "secret")
    assert "secret" not in (tmp_path / NOTEBOOK).read_text()


def test_the_page_has_both_explorers_of_one_radius_and_use_this_joins_them(iris, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fit = pc.fit("species ~ . - `<b>`", iris.assign(**{"<b>": 1.0}), eps=[0.5, 1.0, 2.0])
    Path(KEPT).write_bytes(packed((fit, None)))
    title, prototypes, _, curve = page().children
    assert "&lt;b&gt;" in title.value
    assert "<b>" not in title.value
    assert prototypes.eps == curve.eps == 1.0
    curve.eps = 2.0
    assert prototypes.eps == 2.0
    prototypes.eps = 0.5
    assert curve.eps == 0.5
    curve.eps = 2.0
    button = next(each for box in curve.children for each in getattr(box, "children", ()) if isinstance(each, Button))
    button.click()
    assert prototypes.fit is curve.fit
    assert prototypes.eps == curve.eps == 2.0
    assert prototypes.alert == curve.alert == ""


def test_a_fit_that_was_not_validated_has_no_curve(iris, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path(KEPT).write_bytes(packed((pc.fit("species ~ .", iris, eps=1.0), None)))
    assert len(page().children) == 2


def test_the_shell_hands_its_words_on(monkeypatch, capsys):
    told = {}

    def stand_in(formula, data, **arguments):
        told.update(formula=formula, data=data, **arguments)
        raise pc.OptionError("that will do")

    monkeypatch.setattr(pages, "app", stand_in)
    words = [
        "species ~ .",
        "iris.csv",
        "--method",
        "pvm",
        "--eps",
        "0.5,1",
        "--cv",
        "none",
        "--shape",
        "2,2",
        "--port",
        "8866",
    ]
    assert main(["explore", *words, "--no-browser"]) == 2
    assert capsys.readouterr().err == "protoclass: that will do\n"
    fitted = {
        "method": "pvm",
        "dissimilarity": "auto",
        "cv": None,
        "choose": "1se",
        "na": "drop",
        "seed": 0,
        "eps": [0.5, 1],
    }
    shown = {"shape": (2, 2), "port": 8866, "open_browser": False}
    assert told == {"formula": "species ~ .", "data": "iris.csv"} | fitted | shown
    main(["explore", "species ~ .", "iris.csv"])
    assert (told["open_browser"], told["port"], told["cv"]) == (True, None, "auto")


def test_the_shell_fits_without_the_word(capsys):
    assert main(["species ~ .", str(IRIS), "--eps", "1.0"]) == 0
    assert "species ~ ." in capsys.readouterr().out
