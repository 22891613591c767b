#!/usr/bin/env bash
# Makes .venv hold exactly requirements/dev.txt and this checkout; does nothing when it does already.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=${VENV:-.venv}

usable() { # PYTHON: whether it runs and is new enough
  "$1" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

pick_python() {
  local candidate
  for candidate in ${PYTHON:-} python3 python3.13 python3.12 python3.11; do
    if usable "$candidate"; then
      echo "$candidate"
      return
    fi
  done
  echo "Luvus needs Python 3.11 or newer with its venv module (Debian: apt-get install python3-venv);" \
    "none of python3, python3.13, python3.12, python3.11 will do. Set PYTHON=/path/to/python." >&2
  return 1
}

fingerprint() { # of everything that decides what is in the environment
  "$venv/bin/python" - "$PWD" <<'PYTHON'
import hashlib, pathlib, sys
digest = hashlib.sha256((sys.version + sys.argv[1]).encode())
for name in ("pyproject.toml", "requirements/dev.txt", "scripts/setup.sh"):
    digest.update(pathlib.Path(name).read_bytes())
print(digest.hexdigest())
PYTHON
}

if ! usable "$venv/bin/python"; then
  python=$(pick_python)
  echo "set-up: $venv with $("$python" --version)"
  "$python" -m venv --clear "$venv"
fi

stamp=$venv/.luvus-stamp
wanted=$(fingerprint)
if [[ -f $stamp && $(<"$stamp") == "$wanted" ]]; then
  exit 0
fi

echo "set-up: installing requirements/dev.txt into $venv"
rm -f "$stamp"
pip=("$venv/bin/python" -m pip --disable-pip-version-check --quiet)
"${pip[@]}" install --require-hashes -r requirements/dev.txt
"${pip[@]}" install --no-deps --no-build-isolation -e .
echo "$wanted" >"$stamp"
