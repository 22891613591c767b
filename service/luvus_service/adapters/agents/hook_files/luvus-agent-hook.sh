#!/bin/sh
# luvus-managed: tells Luvus which session is in this pane. Outside of Luvus it does nothing.
# Usage: luvus-agent-hook.sh AGENT EVENT, with the hook's JSON on standard input.
[ -n "$LUVUS_PANE_ID" ] && [ -x "$LUVUS_BIN_PATH" ] || exit 0
agent=$1
event=$2
input=$(head -c 65536 | tr '\n' ' ')
field() {
  printf '%s' "$input" |
    sed -n "s/.*\"$1\"[[:space:]]*:[[:space:]]*\"\\([^\"\\\\]*\\)\".*/\\1/p"
}
session=$(field session_id)
[ -n "$session" ] || session=$(field sessionId)
message=$(field message | cut -c 1-400)
# In the background: a hook must not hold up its agent.
{
  [ -z "$session" ] ||
    "$LUVUS_BIN_PATH" pane report-session --agent "$agent" --session-id "$session"
  [ "$event" = SessionStart ] ||
    "$LUVUS_BIN_PATH" pane report-event --agent "$agent" --kind "$event" --message "$message"
} </dev/null >/dev/null 2>&1 &
exit 0
