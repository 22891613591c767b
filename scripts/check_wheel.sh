#!/usr/bin/env bash
# Builds the wheel, looks into it, installs it into an empty environment and starts what it brings.
set -euo pipefail
cd "$(dirname "$0")/.."

bin=$PWD/${VENV:-.venv}/bin
[[ ${VENV:-} != /* ]] || bin=$VENV/bin
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$bin/python" -m build --wheel --no-isolation --outdir "$work" . >"$work/build.log" 2>&1 || {
  cat "$work/build.log" >&2
  exit 1
}
wheel=("$work"/luvus-*.whl)
"$bin/python" -m scripts.wheel_contents "${wheel[0]}"

"$bin/python" -m venv "$work/env"
"$work/env/bin/python" -m pip --disable-pip-version-check --quiet install \
  --require-hashes -r requirements/run.txt
"$work/env/bin/python" -m pip --disable-pip-version-check --quiet install --no-deps "${wheel[0]}"
"$work/env/bin/python" -m pip --disable-pip-version-check check >/dev/null

# From another folder and with nothing inherited: only what was installed may be found.
cd "$work"
clean=(env -u PYTHONPATH PATH="$work/env/bin:/usr/bin:/bin" HOME="$work" LUVUS_HOME="$work/home")
"${clean[@]}" python -I -c 'import luvus_bridge, luvus_client, luvus_service, luvus_web'

has() { # MODULE: whether the wheel brings it
  "${clean[@]}" python -I -c "import importlib.util as u, sys; sys.exit(u.find_spec('$1') is None)" 2>/dev/null
}

try() { # COMMAND...: must succeed and say something
  local said
  said=$("${clean[@]}" "$@" 2>&1) || { echo "wheel: '$*' failed: $said" >&2; return 1; }
  [[ -n $said ]] || { echo "wheel: '$*' printed nothing" >&2; return 1; }
  echo "wheel: $* works"
}

if has luvus_client.cli.main; then
  try luvus --version
  try luvus --help
fi
if has luvus_client.luxe_cli; then
  try luxe --help
fi
if has luvus_client.cli.main && has luvus_service.codegen; then
  try luvus uhp schema
fi
