# Everything a newcomer needs: `make demo` and `make test` do all set-up themselves.
PYTHON   ?= python3
VENV     ?= .venv
GRID     ?= paper
JOBS     ?= 2
SWEEP    ?= baseline
TORCH    ?= torch torchvision
RUN      ?= $(SWEEP)-$(shell printf '%s' '$(MODEL)' | tr -c 'A-Za-z0-9.+-' '-')
BIN      := $(VENV)/bin
LFT      := $(BIN)/lft
DEMO     := results/runs/demo-observer results/runs/demo-simulated
AGENTS   := random constant:RIGHT\|FORWARD\|CLOCKWISE copy nearest expert
.DEFAULT_GOAL := help
.PHONY: help setup demo demo-agents test test-hf render sweep report notebooks bench check docs clean

help:  ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 12

setup: $(VENV)/.plain  ## the virtual environment, with system packages where that is possible

demo: $(VENV)/.plain  ## the main job on a small grid: clips, sweeps, scores, frontiers, figures, page
	$(LFT) render --grid demo --jobs $(JOBS)
	$(LFT) verify results/clips/demo --jobs $(JOBS)
	$(LFT) sweep demo --model observer --run demo-observer
	$(LFT) sweep demo --model 'simulated:miss=0.1,false=0.05,jitter_s=0.1,round_s=0.1,misadd=0.05,evidence=1?name=simulated' --run demo-simulated
	$(LFT) score results/runs/demo-observer
	$(LFT) score results/runs/demo-simulated
	$(LFT) report $(DEMO) --out results/report

demo-agents: $(VENV)/.agents  ## the agents suite on light environments, with agents that need no network: scores, page
	@for agent in $(AGENTS); do \
	  run="results/runs/demo-agents-$${agent%%:*}"; rm -rf "$$run"; \
	  $(LFT) sweep icl_demo_agents --model "$$agent" --run "$$run" && $(LFT) score "$$run" || exit 1; \
	done
	$(LFT) report $(foreach agent,$(AGENTS),results/runs/demo-agents-$(firstword $(subst :, ,$(agent)))) --out results/report-agents

test: $(VENV)/.dev  ## the tests
	$(BIN)/python -m pytest -n $(JOBS) -m "not hf"

test-hf: $(VENV)/.hf $(VENV)/.lmms  ## the tests that need torch and transformers
	LFT_LMMS_EVAL='$(abspath $(VENV)/lmms-eval)' $(BIN)/python -m pytest tests/hf -m hf

render: $(VENV)/.plain  ## the clips of a grid: make render GRID=paper JOBS=2
	$(LFT) render --grid $(GRID) --jobs $(JOBS)

sweep: $(VENV)/.plain  ## a sweep, scored: make sweep MODEL=observer [SWEEP=baseline] [SAMPLING=fps:1] [PROMPT=direct]
	@test -n '$(MODEL)' || { echo 'make sweep: MODEL is missing; try make sweep MODEL=observer (see: $(LFT) models)' >&2; exit 2; }
	$(LFT) sweep $(SWEEP) --model '$(MODEL)' --run '$(RUN)' \
	  $(if $(SAMPLING),--sampling '$(SAMPLING)') $(if $(PROMPT),--prompt '$(PROMPT)') $(if $(LABELS),--labels '$(LABELS)') $(ARGS)
	$(LFT) score 'results/runs/$(RUN)'

report: $(VENV)/.plain  ## tables, figures and page: make report RUNS="results/runs/a results/runs/b"
	@test -n '$(RUNS)' || { echo 'make report: RUNS is missing; try make report RUNS="results/runs/NAME ..."' >&2; exit 2; }
	$(LFT) report $(RUNS)

notebooks: $(VENV)/.dev $(if $(word 2,$(wildcard $(DEMO))),,demo)  ## run the notebooks on the demo; HTML under results/notebooks
	$(BIN)/python notebooks/run.py

bench: $(VENV)/.dev  ## the benchmarks, as ratios; JSON under results/bench
	@for script in benchmarks/[a-z]*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

docs: $(VENV)/.dev  ## the documentation as pages that open without a server, in site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo 'next: open $(abspath site/index.html) in a browser'

check: $(VENV)/.dev  ## lint and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

clean:  ## remove what was installed and built; results stay
	rm -rf $(VENV) dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/.plain: pyproject.toml setup.sh
	sh setup.sh '$(PYTHON)' '$(VENV)' .
	touch $@

$(VENV)/.dev: $(VENV)/.plain agents.txt
	sh setup.sh '$(PYTHON)' '$(VENV)' '.[dev]'
	touch $@

$(VENV)/.agents: $(VENV)/.plain agents.txt
	sh setup.sh '$(PYTHON)' '$(VENV)' '.[agents]'
	touch $@

$(VENV)/.lmms: tests/hf/lmms_eval.txt $(VENV)/.plain
	rm -rf $(VENV)/lmms-eval
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --target $(VENV)/lmms-eval -r $<
	touch $@

$(VENV)/.hf: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(TORCH)
	sh setup.sh '$(PYTHON)' '$(VENV)' '.[hf,serve,dev]'
	touch $@
