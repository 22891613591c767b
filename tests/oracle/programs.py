"""Records real programs on a real pty at changing sizes and compares what xterm.js shows of them.

A step ends when the program has been silent for a while; its screen is compared then.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

from tests.oracle.screens import OURS, first_difference, made, rows_of, trimmed
from tests.support.person import Person

SIZES = ((80, 24), (120, 40), (61, 17))
SILENCE_S = 0.6
STEP_S = 5.0
TEXT = "日本語の行 🙂 wide\nÅe\u0301 combined\n한국어 中文 👍🏽 flag 🇩🇪\n" + "漢字" * 70 + "\nend\n"


class Program(NamedTuple):
    """What to run, and what to type at each of the sizes."""

    name: str
    argv: Sequence[str]
    keys: Sequence[str]


PROGRAMS = (
    Program("vim", ("vim", "-u", "NONE", "-N", "wide.txt"), ("Gohello\x1b", "gg", ":set nu\r")),
    Program("htop", ("htop", "-d", "100"), ("", "", "")),
    Program("less", ("less", "long.txt"), (" ", "G", "gg")),
    Program("git log", ("git", "-c", "core.pager=less -R", "log", "--color=always"), ("j", "", "")),
    Program("cat", ("sh", "-c", "cat wide.txt; cat"), ("", "typed\r", "")),
)


class Step(NamedTuple):
    """Output that came while the terminal had one size."""

    cols: int
    rows: int
    data: bytes


def record(program: Program, folder: Path) -> list[Step]:
    """Run a program through all sizes and return what it wrote at each."""
    env = {**os.environ, "HOME": str(folder), "LANG": "C.UTF-8", "HTOPRC": os.devnull}
    steps: list[Step] = []
    with Person(program.argv, env=env, cwd=folder, cols=SIZES[0][0], rows=SIZES[0][1]) as person:
        for (cols, rows), keys in zip(SIZES, program.keys, strict=True):
            start = len(person.received)
            person.resize(cols, rows)
            _until_silent(person)
            if keys:
                person.press(keys)
                _until_silent(person)
            steps.append(Step(cols, rows, bytes(person.received[start:])))
    return steps


def _until_silent(person: Person) -> None:
    deadline = monotonic() + STEP_S
    while monotonic() < deadline and person.take(SILENCE_S):
        pass


def theirs(steps: list[Step], modules: Path) -> list[dict[str, Any]]:
    """Return what xterm.js shows after each step."""
    said = [
        {"cols": s.cols, "rows": s.rows, "data": base64.b64encode(s.data).decode()} for s in steps
    ]
    script = Path(__file__).with_name("xterm.mjs")
    done = subprocess.run(
        ["node", str(script), str(modules)],
        input=json.dumps(said),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def compare(modules: Path) -> None:
    """Print how many screens of our emulators are equal to those of xterm.js, and the others."""
    counts = dict.fromkeys(OURS, 0)
    total = 0
    with tempfile.TemporaryDirectory(prefix="lv-oracle-", dir="/tmp") as name:
        folder = Path(name)
        prepare(folder)
        for program in PROGRAMS:
            steps = record(program, folder)
            expected = theirs(steps, modules)
            total += len(steps)
            for ours in OURS:
                counts[ours] += _compare(ours, program.name, steps, expected)
    for ours, same in counts.items():
        print(f"{ours}: {same} of {total} screens equal to xterm.js")


def _compare(ours: str, name: str, steps: list[Step], expected: list[dict[str, Any]]) -> int:
    emulator = made(ours, 80, 24)
    same = 0
    for step, other in zip(steps, expected, strict=True):
        emulator.resize(step.cols, step.rows)
        emulator.feed(step.data)
        what = first_difference(rows_of(emulator), trimmed(other["lines"], step.rows))
        cursor = emulator.cursor()
        if what is None and [cursor.x, cursor.y] != other["cursor"]:
            what = f"cursor: ours {[cursor.x, cursor.y]}, theirs {other['cursor']}"
        same += what is None
        if what is not None:
            print(f"  {ours}, {name} at {step.cols}x{step.rows}: {what}")
    emulator.close()
    return same


def prepare(folder: Path) -> None:
    """Make the files that the programs show."""
    (folder / "wide.txt").write_text(TEXT)
    (folder / "long.txt").write_text("".join(f"line {n} {'x' * (n % 90)}\n" for n in range(500)))
    for words in (["init", "-q"], ["add", "wide.txt"], ["commit", "-qm", "Add 日本語 and 🙂"]):
        identity = ["-c", "user.name=T", "-c", "user.email=t@example.invalid"]
        subprocess.run(["git", *identity, *words], cwd=folder, check=True, timeout=20)
