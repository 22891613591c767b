"""The `bash` tool: one shell command, judged word by word before it runs."""

from __future__ import annotations

import asyncio
import codecs
import shutil
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from luvus_service.adapters.tools.arguments import (
    Arguments,
    Prepared,
    boolean,
    failed,
    integer,
    schema,
    string,
)
from luvus_service.adapters.tools.capture import Capture
from luvus_service.adapters.tools.child import Child, Ending
from luvus_service.adapters.tools.command_units import units_of
from luvus_service.adapters.tools.environment import child_environment
from luvus_service.adapters.tools.jobs import Jobs, JobsFull
from luvus_service.luxe.domain.permission_units import CommandUnit, Unit
from luvus_service.luxe.domain.ports import ShellParser
from luvus_service.luxe.domain.tool_ports import (
    InputRefused,
    Outcome,
    PreparedCall,
    Preview,
    Progress,
    Workbench,
)
from luvus_service.luxe.domain.values import Input, Mode, ToolKind, ToolStatus

TIMEOUT_S = 120
TIMEOUT_MAX_S = 600
COMMAND_BYTES = 64 * 1024
OPAQUE_WORDS = 10_000
"""Of a text that cannot be split: denies are tried on every run of its words."""
TITLE_CHARS = 200

_DESCRIPTION = f"""Run a shell command in bash and return its output (stdout and stderr together).

Runs in the project folder with no input and no terminal. At most {TIMEOUT_S} s unless `timeout` \
says otherwise. The end of a long output is returned, all of it is in a file. Processes that the \
command leaves running are ended; use `background` for servers. Prefer the other tools for \
reading, searching and editing files."""

PARAMETERS = schema(
    ("command",),
    command=string("The command, as typed in bash."),
    timeout=integer(f"Seconds, {TIMEOUT_S} if not given.", 1, TIMEOUT_MAX_S),
    cwd=string("Folder to run in; the project folder if not given."),
    description=string("What it does, in five to ten words, for the person who is asked."),
    background=boolean("Do not wait: return an id for bash_output and bash_kill."),
)


@dataclass(frozen=True, slots=True)
class _Command:
    text: str
    cwd: str
    timeout: int
    background: bool


class BashTool:
    """Runs shell commands."""

    name = "bash"
    description = _DESCRIPTION
    parameters: Mapping[str, Any] = PARAMETERS
    kind: ToolKind = "execute"
    reads_only = False
    modes: frozenset[Mode] = frozenset({"build", "plan"})

    def __init__(self, parser: ShellParser, jobs: Jobs, secrets: Collection[str] = ()) -> None:
        """`secrets` are variables that no child may see."""
        self._parser = parser
        self._jobs = jobs
        self._secrets = secrets

    async def prepare(self, given: Input, bench: Workbench) -> PreparedCall:
        """Read the arguments and cut the command into its units."""
        arguments = Arguments(given)
        text = arguments.text("command", "cmd", "script", limit=COMMAND_BYTES)
        if not text.strip() or "\0" in text:
            raise InputRefused("`command` is empty or holds a NUL")
        command = _Command(
            text,
            "",
            arguments.number("timeout", default=TIMEOUT_S, most=TIMEOUT_MAX_S),
            arguments.flag("background", "run_in_background"),
        )
        written = arguments.optional_path("cwd", "workdir", "working_directory")
        where = bench.paths.locate(written or ".", "read")
        units: list[Unit] = await asyncio.to_thread(
            units_of, text, self._parser, bench.paths, where.resolved
        )
        if written is not None:
            units.insert(0, where)
        if any(_unjudgeable(unit) for unit in units):
            raise InputRefused(
                "this command cannot be split and is too long to be judged: write it into a"
                " script file and run that"
            )
        if not await asyncio.to_thread(Path(where.resolved).is_dir):
            raise InputRefused(f"there is no folder {written or where.resolved}")
        preview = Preview(
            title=" ".join(text.split())[:TITLE_CHARS],
            units=tuple(units),
            command=text,
            cwd=where.resolved,
            description=arguments.optional_text("description"),
        )
        frozen = _Command(text, where.resolved, command.timeout, command.background)

        async def work(progress: Progress) -> Outcome:
            return await self._run(frozen, bench, progress)

        return Prepared(preview, work)

    async def _run(self, command: _Command, bench: Workbench, progress: Progress) -> Outcome:
        words = (*_shell(), "-c", command.text)
        env = child_environment(bench.environment, self._secrets)
        capture = Capture(bench.spill_folder, bench.call_id)
        try:
            child = await Child.start(words, cwd=command.cwd, env=env)
        except OSError as fault:
            return failed(f"bash cannot be started in {command.cwd}: {fault.strerror}")
        if command.background:
            try:
                job = self._jobs.add(child, capture, command.text, bench.clock.time())
            except JobsFull as full:
                await child.dispose()
                return failed(str(full))
            return Outcome(f"Running in the background as {job}; see bash_output and bash_kill.")
        decoder = codecs.getincrementaldecoder("utf-8")("replace")

        def take(data: bytes) -> bool:
            capture.add(data)
            progress(decoder.decode(data))
            return not capture.full

        try:
            ending = await child.finish(take, timeout=command.timeout)
        finally:
            captured = capture.finish()
        return _outcome(ending, captured.text, captured.path, captured.truncated, command.timeout)


def _outcome(ending: Ending, text: str, path: str | None, truncated: bool, timeout: int) -> Outcome:
    notes: list[str] = []
    if ending.how == "timed_out":
        notes.append(f"[ended after {timeout} s; give a longer `timeout` or use `background`]")
    elif ending.how == "flooded":
        notes.append("[ended: it printed more than can be kept]")
    elif ending.code:
        notes.append(f"[exit code {ending.code}]")
    if ending.left_over:
        notes.append(f"[{ending.left_over} processes were left running and have been ended]")
    if not text and not notes:
        notes.append("[no output]")
    if text and not text.endswith("\n") and notes:
        text += "\n"
    status: ToolStatus = "completed"
    if ending.how == "timed_out":
        status = "timed_out"
    elif ending.how == "flooded" or ending.code:
        status = "failed"
    return Outcome(
        text + "\n".join(notes),
        status,
        truncated=truncated,
        output_path=path,
        exit_code=ending.code if ending.how == "exited" else None,
        reason=notes[0].strip("[]") if status != "completed" else None,
    )


def _unjudgeable(unit: Unit) -> bool:
    if not isinstance(unit, CommandUnit) or not unit.opaque:
        return False
    return len(unit.text.split()) > OPAQUE_WORDS


def _shell() -> tuple[str, ...]:
    bash = shutil.which("bash")
    return (bash, "--noprofile", "--norc") if bash else ("/bin/sh",)
