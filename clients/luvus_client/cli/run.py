"""Runs a command that the protocol declares: parameters from words, one call, its result."""

from __future__ import annotations

from typing import cast

from luvus_client.cli import show
from luvus_client.cli.commands import WAIT_AGENT_STATUS, Command, load
from luvus_client.cli.context import Context
from luvus_client.cli.usage import EXIT_FAILED, EXIT_OK, UsageError
from luvus_client.cli.words import parameters, read_json

_LOSS = "resync_required"


def run(context: Context, command: Command, words: list[str]) -> int:
    """Run a command and return its exit code."""
    params = parameters(command, words, context.defaults())
    if command is WAIT_AGENT_STATUS:
        params = _statuses(params)
    return call(context, command.method, params, stream=command.stream)


def call(context: Context, method: str, params: dict[str, object], *, stream: bool = False) -> int:
    """Call a method, print what it answers and return the exit code."""
    caller = context.caller()
    if not stream:
        return show.result(caller.call(method, params))
    with caller.stream(method, params) as frames:
        show.line(frames.acknowledgement, indented=False)
        lost = False
        for frame in frames:
            show.line(frame, indented=False)
            lost = str(frame.get("event", "")).endswith(_LOSS)
    return EXIT_FAILED if lost else EXIT_OK


def call_by_name(context: Context, words: list[str]) -> int:
    """Run `luvus call METHOD [PARAMS|-|@FILE]`."""
    if not 1 <= len(words) <= 2 or words[0].startswith("-"):
        raise UsageError("usage: luvus call METHOD [JSON | - | @FILE]")
    try:
        params: object = read_json(words[1]) if len(words) == 2 else {}
    except (ValueError, OSError, RecursionError) as error:
        raise UsageError(f"the parameters cannot be read as JSON: {error}") from error
    if not isinstance(params, dict):
        raise UsageError("the parameters must be a JSON object")
    given = cast("dict[str, object]", params)
    return call(context, words[0], given, stream=_is_stream(words[0]))


def _is_stream(method: str) -> bool:
    return load().is_stream(method)


def _statuses(params: dict[str, object]) -> dict[str, object]:
    listed = cast("list[str]", params.pop("statuses"))
    statuses = [status for item in listed for status in item.split(",") if status]
    if len(statuses) == 1:
        return {**params, "status": statuses[0]}
    return {**params, "statuses": statuses}
