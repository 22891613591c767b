"""Finds the command inside a command: `sudo`, `env`, `xargs`, `find -exec`, `bash -c` and others.

Knows the options of wrappers, not what may be run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from luvus_service.adapters.tools.command_tables import SHELLS, base_name

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Wrapped:
    """What a wrapper runs; `words` empty and `text` None when it runs nothing."""

    words: tuple[str, ...] = ()
    text: str | None = None
    """A shell text to be parsed."""
    doubtful: bool = False
    """It runs something that cannot be seen, or elsewhere than here."""
    open_ended: bool = False
    """More arguments come from elsewhere: from the input, or from the files found."""


@dataclass(frozen=True, slots=True)
class _Shape:
    values: frozenset[str] = frozenset()
    """Options that take the next word."""
    flags: frozenset[str] = frozenset()
    operands: int = 0
    """Words of its own before the command."""
    assignments: bool = False
    open_ended: bool = False
    elsewhere: bool = False


def _shape(
    values: str = "",
    flags: str = "",
    operands: int = 0,
    *,
    assignments: bool = False,
    open_ended: bool = False,
    elsewhere: bool = False,
) -> _Shape:
    return _Shape(
        frozenset(values.split()),
        frozenset(flags.split()),
        operands,
        assignments,
        open_ended,
        elsewhere,
    )


_SHAPES = {
    "sudo": _shape(
        "-u -g -h -p -C -T -r -t -D -R -U --user --group --host --prompt --chdir",
        "-A -b -E -H -i -k -K -n -P -S -s --preserve-env --login --non-interactive",
        assignments=True,
    ),
    "doas": _shape("-u -C -a", "-n -s -L"),
    "env": _shape(
        "-u --unset -C --chdir",
        "-i --ignore-environment -0 --null -v --debug -",
        assignments=True,
    ),
    "nice": _shape("-n --adjustment"),
    "nohup": _shape(),
    "timeout": _shape("-k -s --kill-after --signal", "--foreground --preserve-status -v", 1),
    "time": _shape("-f -o --format --output", "-p -v -a"),
    "stdbuf": _shape("-i -o -e --input --output --error"),
    "ionice": _shape("-c -n -p -P -u --class --classdata", "-t"),
    "setsid": _shape("", "-c -f -w --ctty --fork --wait"),
    "command": _shape("", "-p"),
    "builtin": _shape(),
    "exec": _shape("-a", "-c -l"),
    "busybox": _shape(),
    "chroot": _shape("--userspec --groups", "", 1),
    "taskset": _shape("-c --cpu-list", "-a", 1),
    "strace": _shape("-o -e -p -s -E -u", "-f -ff -c -tt -t -T -v -y"),
    "xargs": _shape(
        "-I -n -P -L -d -s -E -a --max-args --max-procs --delimiter --arg-file --replace",
        "-0 -r -t -p -x --null --no-run-if-empty --verbose -i -l",
        open_ended=True,
    ),
    "npx": _shape("-p --package", "-y --yes --no-install -q"),
    "bunx": _shape("", "--bun"),
    "uvx": _shape("--from --with --python -p", "-q"),
    "docker": _shape(),
    "flock": _shape("-w -E --timeout", "-n -x -s -u -e", 1),
}
_SHAPES["podman"] = _SHAPES["docker"]
_CONTAINER_RUNS = frozenset({"exec", "run"})
_TEXT_RUNNERS = frozenset({"watch", "ssh", "su", "script", "runuser"})
WRAPPERS = frozenset(_SHAPES) | _TEXT_RUNNERS | {"find", "pipx"} | SHELLS


def unwrapped(words: Sequence[str]) -> Iterator[Wrapped]:
    """Yield what a command runs beside itself; nothing when it is no wrapper."""
    name = base_name(words[0])
    special = _SPECIAL.get(name)
    if special is not None:
        yield from special(words)
    elif name in SHELLS:
        yield from _shell(words)
    elif name in _SHAPES:
        yield _plain(words[1:], _SHAPES[name])


def _plain(rest: Sequence[str], shape: _Shape) -> Wrapped:
    doubtful = shape.elsewhere
    index = 0
    while index < len(rest) and rest[index].startswith("-") and len(rest[index]) > 1:
        word = rest[index]
        index += 1
        if word == "--":
            break
        if word in shape.values:
            index += 1
        elif "=" not in word and word not in shape.flags and not _attached(word, shape):
            doubtful = True
    if shape.flags and rest[index : index + 1] == ["-"]:
        index += 1
    while shape.assignments and index < len(rest) and _ASSIGNMENT.fullmatch(rest[index]):
        index += 1
    return Wrapped(
        tuple(rest[index + shape.operands :]), None, doubtful, open_ended=shape.open_ended
    )


def _attached(word: str, shape: _Shape) -> bool:
    """Say whether it is a short option with its value in the same word, or bundled flags."""
    if word.startswith("--"):
        return False
    if word[:2] in shape.values or re.fullmatch(r"-\d+", word):
        return True
    return all(f"-{letter}" in shape.flags for letter in word[1:])


def _find(words: Sequence[str]) -> Iterator[Wrapped]:
    index = 1
    while index < len(words):
        if words[index] in {"-exec", "-execdir", "-ok", "-okdir"}:
            end = index + 1
            while end < len(words) and words[end] not in {";", "+"}:
                end += 1
            yield Wrapped(tuple(words[index + 1 : end]), open_ended=True)
            index = end
        index += 1


def _shell(words: Sequence[str]) -> Iterator[Wrapped]:
    for index, word in enumerate(words[1:], 1):
        if word == "--" or not word.startswith(("-", "+")):
            return
        if word in {"-o", "+o", "-O", "+O", "--rcfile", "--init-file"}:
            yield Wrapped(doubtful=True)
            return
        if not word.startswith("--") and "c" in word[1:]:
            text = words[index + 1] if index + 1 < len(words) else None
            yield Wrapped(text=text) if text is not None else Wrapped(doubtful=True)
            return


def _ssh(words: Sequence[str]) -> Iterator[Wrapped]:
    yield Wrapped(doubtful=True)


def _watch(words: Sequence[str]) -> Iterator[Wrapped]:
    found = _plain(words[1:], _shape("-n --interval", "-d -t -b -e -g -c -x"))
    yield Wrapped(text=" ".join(found.words), doubtful=found.doubtful)


def _su(words: Sequence[str]) -> Iterator[Wrapped]:
    texts = [words[i + 1] for i, word in enumerate(words[:-1]) if word in {"-c", "--command"}]
    for text in texts:
        yield Wrapped(text=text)
    if not texts:
        yield Wrapped(doubtful=True)


def _env(words: Sequence[str]) -> Iterator[Wrapped]:
    for index, word in enumerate(words):
        if word in {"-S", "--split-string"} and index + 1 < len(words):
            yield Wrapped(text=" ".join(words[index + 1 :]))
            return
        if word.startswith(("-S", "--split-string=")):
            yield Wrapped(doubtful=True)
            return
    yield _plain(words[1:], _SHAPES["env"])


def _command(words: Sequence[str]) -> Iterator[Wrapped]:
    if words[1:2] and words[1] in {"-v", "-V"}:
        return
    yield _plain(words[1:], _SHAPES["command"])


def _container(words: Sequence[str]) -> Iterator[Wrapped]:
    for index, word in enumerate(words[1:], 1):
        if word in _CONTAINER_RUNS:
            # The options of containers are many: what cannot be told apart is judged as a whole.
            yield Wrapped(tuple(_after_image(words[index + 1 :])), doubtful=True)
            return


def _after_image(rest: Sequence[str]) -> Sequence[str]:
    index = 0
    while index < len(rest) and rest[index].startswith("-"):
        index += 1
    return rest[index + 1 :]


def _pipx(words: Sequence[str]) -> Iterator[Wrapped]:
    if words[1:2] == ("run",):
        yield _plain(words[2:], _shape("--spec --python", "--no-cache"))


_SPECIAL: dict[str, Callable[[Sequence[str]], Iterator[Wrapped]]] = {
    "find": _find,
    "ssh": _ssh,
    "watch": _watch,
    "su": _su,
    "runuser": _su,
    "script": _su,
    "env": _env,
    "command": _command,
    "docker": _container,
    "podman": _container,
    "pipx": _pipx,
}
