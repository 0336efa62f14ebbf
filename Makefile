# Every target sets up what it needs; `make demo` and `make test` are all a new checkout takes.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
VENV := .venv/pyvenv.cfg
BASE := .venv/.base
STAMP := .venv/.installed

# Where the environment forbids bytecode, each of the hundreds of processes of the suite would compile its imports again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test lint style types units format docs bench structure release venv clean

demo: $(BASE)           ## compile the digits network, run it, print the figures
	$(BIN)/python examples/digits/demo.py

test: style             ## everything that CI checks; types beside the tests
	@$(MAKE) --no-print-directory --jobs=2 types units

units: $(STAMP)
	$(BIN)/pytest -n auto --durations=10

lint: style types       ## style and types

style: $(STAMP)
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(STAMP)
	$(BIN)/pyright

format: $(STAMP)        ## mend what ruff can mend
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

docs: $(STAMP)          ## write the generated pages of docs/ again, and the site in build/site
	$(BIN)/python -m docs.generate
	$(BIN)/python docs/tour.py
	$(BIN)/python -m docs.commands
	$(BIN)/mkdocs build --strict

bench: $(STAMP)         ## measure compile time, and the speed of what is emitted (benchmarks/README.md)
	$(BIN)/python -m benchmarks.compile_time
	$(BIN)/python -m benchmarks.baseline

structure: $(STAMP)     ## count imports between packages, and files that additions touch
	PYTHONPATH=.:tests $(BIN)/python -m support.structure

release: $(STAMP)       ## prepare VERSION=x.y.z: changelog, tag, sdist and wheel, checked; publishes nothing
	@test -n "$(VERSION)" || { echo "make: say which: make release VERSION=0.1.0" >&2; exit 2; }
	@test -z "$$(git status --porcelain)" || { echo "make: the checkout has changes; commit them first" >&2; exit 2; }
	$(BIN)/towncrier build --yes --version $(VERSION)
	git commit --quiet --all --message "Release $(VERSION)"
	git tag --annotate v$(VERSION) --message "s2s $(VERSION)"
	rm -rf dist
	$(BIN)/python -m build --outdir dist
	$(BIN)/twine check --strict dist/*
	rm -rf build/release
	$(PYTHON) -m venv build/release
	build/release/bin/python -m pip --quiet install dist/*.whl
	cd build/release && bin/s2s compile ../../examples/digits/digits.onnx -o digits --target c && $(MAKE) -C digits test
	@echo "s2s $(VERSION) is ready in dist/. To publish it: git push origin v$(VERSION); $(BIN)/twine upload dist/*"

venv: $(STAMP)          ## the virtual environment in .venv

$(VENV):
	$(PYTHON) -m venv .venv || { echo "make: $(PYTHON) cannot make a virtual environment; on Debian: apt-get install python3-venv" >&2; rm -rf .venv; exit 1; }

$(BASE): $(VENV) pyproject.toml
	$(PIP) install --editable '.[verify]'
	@touch $@

# Of 14,000 modules the tests import a few thousand: Python compiles them when it does.
$(STAMP): $(VENV) pyproject.toml
	$(PIP) install --no-compile --editable '.[dev]'
	@touch $(BASE) $@

clean:                  ## remove the virtual environment and everything built
	rm -rf .venv build dist out *.egg-info .pytest_cache .ruff_cache .hypothesis
