"""The code of CONTRIBUTING.md runs as it stands."""

import importlib.util
import re
import sys
from pathlib import Path

TEXT = (Path(__file__).resolve().parent.parent / "CONTRIBUTING.md").read_text()


def test_the_examples_run_and_keep_the_contracts(tmp_path, monkeypatch):
    """As one module, since rules are pickled by the names of their classes."""
    code = "\n".join(re.findall(r"```python\n(.*?)```", TEXT, re.S))
    assert code.count("check_model(") >= 2
    assert code.count("check_metric(") >= 1
    path = tmp_path / "contributing_examples.py"
    path.write_text(code)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, path.stem, module)
    spec.loader.exec_module(module)
