#!/usr/bin/env bash
# Starts the service, opens the folder that `make run` was called for, and says how to reach it.
set -euo pipefail

bin=$(cd "$(dirname "$0")/.." && cd "${VENV:-.venv}/bin" && pwd)
folder=${FOLDER:-$PWD}
socket=${LUVUS_HOME:-$HOME/.luvus}/luvus.sock

"$bin/luvus" server start
"$bin/luvus" workspace open "$folder"

cat <<TEXT

Luvus is running. It keeps running, with every terminal, until \`luvus server stop\`.

  $bin/luvus web        # Mission Control in your browser
  $bin/luvus --help
  echo '{"id":"1","method":"ping","params":{}}' | nc -U -q 1 $socket
  curl --unix-socket ${socket%/*}/http.sock -d '{}' http://luvus/uhp/v1/ping
TEXT
