#!/usr/bin/env bash
# Brings the programs that tests drive. Root on a machine with apt-get gets them installed; anyone
# else is told what is missing, and the tests that need it are skipped (in CI they fail).
set -euo pipefail

# program=Debian package
wanted=(git=git tmux=tmux vim=vim htop=htop nc=netcat-openbsd curl=curl jq=jq strace=strace)
wanted+=(asciinema=asciinema chromium=chromium)

missing=()
for entry in "${wanted[@]}"; do
  command -v "${entry%%=*}" >/dev/null 2>&1 || missing+=("${entry#*=}")
done
if [[ ${#missing[@]} -eq 0 ]]; then
  exit 0
fi

if [[ $(id -u) -eq 0 ]] && command -v apt-get >/dev/null 2>&1; then
  echo "system packages: installing ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
else
  echo "system packages: ${missing[*]} not installed; tests that need them are skipped"
fi
