#!/bin/sh
# luvus-managed: tells Luvus which session is in this pane. Outside of Luvus it does nothing.
# Usage: luvus-agent-hook.sh AGENT EVENT, with the hook's JSON on standard input.
[ -n "$LUVUS_PANE_ID" ] && [ -x "$LUVUS_BIN_PATH" ] || exit 0
agent=$1
event=$2
input=$(head -c 65536 | tr '\000-\037' ' ')
field() {
  printf '%s' "$input" |
    sed -n "s/.*\"$1\"[[:space:]]*:[[:space:]]*\"\\([^\"\\\\]*\\)\".*/\\1/p"
}
session=$(field session_id)
[ -n "$session" ] || session=$(field sessionId)
message=$(field message | cut -c 1-400)
tell() {
  printf '{"id":"hook","method":"%s","params":{"pane":"%s","agent":"%s",%s}}\n' \
    "$1" "$LUVUS_PANE_ID" "$agent" "$2" | "$LUVUS_BIN_PATH" uhp proxy
}
# In the background: a hook must not hold up its agent.
{
  [ -z "$session" ] || tell pane.report_session "\"session_id\":\"$session\""
  [ "$event" = SessionStart ] ||
    tell pane.report_event "\"kind\":\"$event\",\"message\":\"$message\""
} </dev/null >/dev/null 2>&1 &
exit 0
