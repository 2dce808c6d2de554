# make run, make test: everything on a machine with Python >= 3.11 and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# each worker, and each process that a test starts, would compile the same files again
unexport PYTHONDONTWRITEBYTECODE
# not in notebooks, which show their figures
run test bench bench-scale papers: export MPLBACKEND := Agg

.PHONY: run test test-all test-long fuzz lint coverage mutants faults matrix dist bench bench-scale cold papers vignettes links pictures shots lab clean

run: $(VENV)/installed
	$(BIN)/python -m protoclass "species ~ ." data/iris.csv --out figures

# in few minutes, without what tests/conftest.py leaves for later: browsers, workers, faults, many random cases
SELECT ?= not long and not later
# the workers take all cores: threads of BLAS would wait for one another, and burn four times the CPU meanwhile
test coverage: export OPENBLAS_NUM_THREADS := 1
test: $(VENV)/tested lint
	$(BIN)/python -m pytest --numprocesses auto --dist loadfile --no-loadscope-reorder -m "$(SELECT)"

test-all:
	$(MAKE) test SELECT="not long"

# what takes long beside what it adds to `make test`: after changes of what it tests, and before a release
test-long: export MPLBACKEND := Agg
test-long: $(VENV)/tested
	$(BIN)/python -m pytest -m long tests

# random frames, formulas, methods and metrics: so many examples of each property, drawn anew
EXAMPLES ?= 10000
fuzz: export PROTOCLASS_FUZZ := $(EXAMPLES)
fuzz: export MPLBACKEND := Agg
fuzz: $(VENV)/tested
	$(BIN)/python -m pytest tests/fuzz

lint: $(VENV)/tested
	$(BIN)/ruff check protoclass tests benchmarks data docs .ci
	$(BIN)/mypy protoclass tests/typed/script.py

# lines and branches of protoclass/ that the tests run, kernels as Python included: half an hour
coverage: export MPLBACKEND := Agg
coverage: $(VENV)/tested
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest --numprocesses auto --dist loadfile
	$(BIN)/python tests/mutants/measure.py --coverage .coverage.kernels
	$(BIN)/coverage combine
	$(BIN)/coverage report --fail-under=95

# mutation testing: SAMPLE changes drawn from FILES, and the tests that fail on them
SAMPLE ?= 300
mutants: $(VENV)/tested
	$(BIN)/python tests/mutants/mutate.py --sample $(SAMPLE) --files $(or $(FILES),core/)

# Ctrl-C at random moments: MOMENTS of each work
MOMENTS ?= 100
faults: export OPENBLAS_NUM_THREADS := 1
faults: $(VENV)/tested
	$(BIN)/python tests/faults/interrupts.py --moments $(MOMENTS)

# the oldest and the newest versions of all dependencies, on each Python that is there. JOBS=minimum takes one, TESTS=tests all
# tests, and PYTHONS="python3.12 /opt/python3.13" names Pythons
matrix: $(VENV)/installed
	$(BIN)/python .ci/matrix.py $(JOBS) $(if $(TESTS),--tests "$(TESTS)")

# builds sdist and wheel into dist, and tests the wheel in a new environment outside the checkout
dist: $(VENV)/tested
	$(BIN)/python .ci/dist.py $(OPTIONS)

# OPTIONS, such as make bench OPTIONS="--large --write": --help of the scripts lists them
bench: $(VENV)/installed
	$(BIN)/python benchmarks/bench.py $(OPTIONS)

# growth with the number of rows, about an hour, into benchmarks/SCALE.md
bench-scale: $(VENV)/installed
	$(BIN)/python benchmarks/scale.py --write $(OPTIONS)

# CPU seconds of a first fit, with nothing compiled, and of the next process
cold: $(VENV)/installed
	$(BIN)/python benchmarks/cold.py

# every figure and table of the papers, into benchmarks/papers/RESULTS.md
papers: $(VENV)/installed
	$(BIN)/python benchmarks/papers/run.py

# runs every vignette and builds the site in build/site
vignettes: $(VENV)/documented
	$(BIN)/python docs/build.py

# links of the built site that lead elsewhere
links: $(VENV)/documented
	$(BIN)/python docs/links.py

# pictures of all kinds on all data sets, in two styles and three sizes, into build/pictures
pictures: export MPLBACKEND := Agg
pictures: $(VENV)/tested
	$(BIN)/python tests/plots/pictures.py --out build/pictures $(OPTIONS)

# screenshot of the explorer for docs/tour.md, taken in Chromium
shots: $(VENV)/tested
	$(BIN)/python docs/shots.py

# JupyterLab on the vignettes; a double click opens their text as a notebook
lab: $(VENV)/noted
	$(BIN)/jupyter lab --LabApp.default_url=/lab/tree/vignettes

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/tested: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable ".[test]"
	touch $@ $(VENV)/installed

$(VENV)/documented: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable ".[docs]"
	touch $@ $(VENV)/installed

$(VENV)/noted: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable ".[notebook]"
	$(BIN)/jupytext-config --settings-file $(VENV)/etc/jupyter/labconfig/default_setting_overrides.json set-default-viewer markdown myst
	touch $@ $(VENV)/installed

clean:
	rm -rf $(VENV) figures build dist
