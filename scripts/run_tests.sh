#!/usr/bin/env bash
# Runs every kind of test, then holds the coverage floor, and closes with the totals on one line.
# All runs take place even when one fails, so that one run shows everything that is wrong.
set -uo pipefail
cd "$(dirname "$0")/.."

bin=${VENV:-.venv}/bin
workers=${TEST_WORKERS:-2}
# Tests with real processes wait more than they compute.
waiting=$((workers * 2))
reports=.reports
status=0
rm -rf "$reports"
mkdir -p "$reports"
export COVERAGE_FILE=$PWD/$reports/.coverage
# Servers that tests start are measured too; see tests/support/live.
export MEASURE_SERVERS=$PWD/pyproject.toml
export HYPOTHESIS_PROFILE=${HYPOTHESIS_PROFILE:-ci}

run() { # NAME, then pytest's arguments; folders that do not exist are left out
  local name=$1 code=0 present=() argument
  shift
  for argument in "$@"; do
    [[ $argument == tests/* && ! -d $argument ]] || present+=("$argument")
  done
  [[ " ${present[*]} " == *" tests/"* ]] || return 0
  echo "== tests: $name"
  "$bin/pytest" -q "${present[@]}" --cov --cov-append --cov-report= --cov-fail-under=0 \
    --junitxml="$reports/$name.xml" || code=$?
  # 5 means that a folder holds no test yet.
  [[ $code -eq 0 || $code -eq 5 ]] || status=1
}

run unit tests/unit tests/contract -n "$workers"
run integration tests/integration -n "$waiting" --dist loadfile --reruns 1
# Built once, so that no two of the workers do it.
"$bin/python" -m scripts.build_pages || status=1
# They try the page; what their servers run was measured before.
unset MEASURE_SERVERS
run browser tests/browser -n "$waiting" --dist loadfile --reruns 1

"$bin/coverage" combine --append --quiet "$reports" 2>/dev/null
"$bin/coverage" report --skip-empty >"$reports/coverage.txt" || status=1
tail -n 3 "$reports/coverage.txt"
echo "(by file: $reports/coverage.txt)"
shopt -s nullglob
"$bin/python" scripts/test_totals.py "$reports"/*.xml || status=1
exit "$status"
