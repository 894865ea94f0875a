# Everything a newcomer needs: `make demo` and `make test` do all set-up themselves.
PYTHON  ?= python3
VENV    ?= .venv
BIN     := $(VENV)/bin
LFT     := $(BIN)/lft
GRID    ?= paper
JOBS    ?= 2
SWEEP   ?= baseline
.DEFAULT_GOAL := help
.PHONY: help setup demo test render sweep report notebooks bench check clean

help:  ## this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 14
