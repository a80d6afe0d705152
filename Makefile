# make run: the app on this machine alone.  make test: everything that must hold.  Both do all the set-up.
# make coverage: the tests once more, with which lines they reach.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin

.PHONY: run test lint coverage clean

run: $(VENV)/app.stamp
	$(BIN)/streamlit run tutor_app.py

test: lint
	$(BIN)/python -m pytest

# Takes half as long again.
coverage: $(VENV)/dev.stamp
	$(BIN)/python -m pytest --cov --cov-report=term:skip-covered

lint: $(VENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tutor lint

$(VENV)/app.stamp: requirements.txt constraints.txt
	$(PYTHON) -m venv $(VENV)
	@echo "Installing torch, Streamlit and what they need into $(VENV). This takes some minutes, once."
	$(BIN)/pip install --quiet -r requirements.txt
	touch $@

$(VENV)/dev.stamp: requirements.txt requirements-server.txt requirements-dev.txt constraints.txt
	$(PYTHON) -m venv $(VENV)
	@echo "Installing torch, Streamlit and the tools for testing into $(VENV). This takes some minutes, once."
	$(BIN)/pip install --quiet -r requirements-dev.txt
	touch $(VENV)/app.stamp $@

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .coverage
