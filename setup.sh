#!/bin/sh
# Creates the virtual environment and installs LFT into it: setup.sh PYTHON VENV REQUIREMENT
# Manim builds against Pango, so its development files are installed first where that is possible without asking.
set -eu
python=$1 venv=$2 requirement=$3

fail() { echo "setup: $1" >&2; exit 2; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
  fail "$python is not Python 3.11 or newer; try make PYTHON=/path/to/python3.11"

if ! pkg-config --exists pangocairo 2>/dev/null; then
  debian="apt-get install -y libpango1.0-dev pkg-config gcc"
  if command -v apt-get >/dev/null && { [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; }; then
    echo "setup: installing Pango's development files"
    as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive $debian -qq --no-install-recommends >/dev/null
  elif command -v apt-get >/dev/null; then
    fail "Pango's development files are missing; run: sudo $debian"
  elif command -v brew >/dev/null; then
    brew install pango pkg-config
  else
    fail "Pango's development files are missing; install pango, cairo and pkg-config with your system's packages"
  fi
fi

[ -x "$venv/bin/python" ] || "$python" -m venv "$venv" ||
  fail "cannot make a virtual environment; on Debian and Ubuntu run: sudo apt-get install -y python3-venv"
echo "setup: installing into $venv, which takes some minutes the first time"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --editable "$requirement"

case $requirement in *agents* | *dev*)
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --requirement agents.txt ||
    echo "setup: Flappy Bird and Procgen have no packages for this machine; the other environments are there" >&2
  ;;
esac
