# make run, make test: everything on a machine with Python >= 3.11 and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export MPLBACKEND := Agg

.PHONY: run test lint bench clean

run: $(VENV)/installed
	$(BIN)/python -m protoclass "species ~ ." data/iris.csv --out figures

test: $(VENV)/tested lint
	$(BIN)/python -m pytest

lint: $(VENV)/tested
	$(BIN)/ruff check protoclass tests benchmarks data
	$(BIN)/mypy protoclass/core

bench: $(VENV)/installed
	$(BIN)/python benchmarks/bench.py

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/tested: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable ".[test]"
	touch $@ $(VENV)/installed

clean:
	rm -rf $(VENV) figures build dist
