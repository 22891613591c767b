"""The commands that the generated protocol declares, and how words find them."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

# Paths are texts here, because pathlib takes longer to import than most commands run.
GENERATED = __file__.rpartition("/")[0] + "/../generated"
COMMANDS_FILE = f"{GENERATED}/commands.json"
"""What the commands need of the protocol, which as a whole takes much longer to read."""
PROTOCOL_FILE = f"{GENERATED}/protocol.json"

# The spellings that people and scripts use beside a method's own.
OTHER_WORDS = {
    ("events",): "events.subscribe",
    ("ping",): "ping",
    ("uhp", "capabilities"): "uhp.capabilities",
    ("uhp", "events"): "events.subscribe",
    ("uhp", "snapshot"): "session.snapshot",
}


class Argument(NamedTuple):
    """One parameter of a method as words."""

    field: str
    kind: str
    """`positional`, `rest`, `option`, `flag`, `negative` or `value_flags`."""
    type: str
    """`string`, `path`, `integer`, `number`, `boolean` or `json`."""
    names: tuple[str, ...] = ()
    metavar: str = ""
    env: str | None = None
    required: bool = False
    repeat: bool = False
    choices: tuple[Any, ...] = ()
    values: tuple[tuple[str, Any], ...] = ()
    help: str = ""
    default: Any = None

    @property
    def words(self) -> tuple[str, ...]:
        """Every option word that belongs to this argument."""
        return (*self.names, *(flag for flag, _ in self.values))


class Command(NamedTuple):
    """A command: its words, the method it calls, and what help says about it."""

    words: tuple[str, ...]
    method: str
    arguments: tuple[Argument, ...]
    summary: str = ""
    description: str = ""
    stream: bool = False
    examples: tuple[dict[str, Any], ...] = ()
    fixed: dict[str, Any] = {}  # noqa: RUF012 - a NamedTuple's default, which nobody changes
    """Parameters that the words themselves give."""

    @property
    def name(self) -> str:
        """The words as they are typed."""
        return " ".join(self.words)

    @property
    def positionals(self) -> tuple[Argument, ...]:
        """The arguments that are words without a name, in order."""
        return tuple(a for a in self.arguments if a.kind in ("positional", "rest"))

    @property
    def options(self) -> tuple[Argument, ...]:
        """The arguments that an option word names, or gives a value to."""
        plain = ("positional", "rest")
        return tuple(a for a in self.arguments if a.kind not in plain or a.values)


WAIT_AGENT_STATUS = Command(
    ("wait", "agent-status"),
    "agent.wait",
    (
        Argument("pane", "positional", "string", (), "PANE", "LUVUS_PANE_ID", required=True),
        Argument(
            "statuses",
            "option",
            "string",
            ("--status",),
            "STATUS",
            required=True,
            repeat=True,
            choices=("idle", "working", "blocked", "done"),
            help="A status to wait for; repeat it or separate several by commas.",
        ),
        Argument("timeout_s", "option", "number", ("--timeout",), "S", help="Seconds to wait."),
    ),
    "Wait until an agent has one of these statuses.",
)
WAIT_OUTPUT = Command(
    ("wait", "output"),
    "wait.output",
    (
        Argument("pane", "positional", "string", (), "PANE", "LUVUS_PANE_ID", required=True),
        Argument(
            "match",
            "option",
            "string",
            ("--match",),
            "TEXT",
            required=True,
            help="Text to wait for.",
        ),
        Argument("timeout_s", "option", "number", ("--timeout",), "S", help="Seconds to wait."),
    ),
    "Wait until a pane shows a text.",
)


class Commands:
    """All commands of a protocol, found by their words."""

    def __init__(self, protocol: dict[str, Any]) -> None:
        self._methods: dict[str, Any] = protocol.get("methods", {})
        self._words: dict[tuple[str, ...], str] = {}
        self._ways: dict[tuple[str, ...], dict[str, Any]] = {}
        for name, method in self._methods.items():
            for way in _ways(method):
                self._words.setdefault(tuple(way["words"]), name)
                self._ways.setdefault(tuple(way["words"]), way)
        for words, name in OTHER_WORDS.items():
            if name in self._methods:
                self._words.setdefault(words, name)
        self._fixed = {c.words: c for c in (WAIT_AGENT_STATUS,) if c.method in self._methods}
        if WAIT_OUTPUT.method in self._methods and WAIT_OUTPUT.words not in self._words:
            self._fixed[WAIT_OUTPUT.words] = WAIT_OUTPUT

    def find(self, words: list[str]) -> tuple[Command, list[str]] | None:
        """Return the command with the most words at the start of these, and the words left."""
        for count in range(len(words), 0, -1):
            command = self.exact(tuple(words[:count]))
            if command is not None:
                return command, words[count:]
        return None

    def exact(self, words: tuple[str, ...]) -> Command | None:
        """Return the command of exactly these words."""
        fixed = self._fixed.get(words)
        if fixed is not None:
            return fixed
        method = self._words.get(words)
        return None if method is None else self._command(words, method)

    def below(self, prefix: tuple[str, ...]) -> list[Command]:
        """Return the commands that begin with these words, in order."""
        known = sorted({*self._words, *self._fixed})
        found = (self.exact(words) for words in known if words[: len(prefix)] == prefix)
        return [command for command in found if command is not None]

    def is_stream(self, method: str) -> bool:
        """Return whether a method opens a stream."""
        return bool(self._methods.get(method, {}).get("stream"))

    def method_names(self) -> list[str]:
        """Return the wire names of all methods."""
        return sorted(self._methods)

    def _command(self, words: tuple[str, ...], name: str) -> Command:
        method = self._methods[name]
        declared: dict[str, Any] = self._ways.get(words) or method.get("command") or {}
        return Command(
            words,
            name,
            tuple(_argument(raw) for raw in declared.get("arguments", ())),
            method.get("summary", ""),
            method.get("description", ""),
            bool(method.get("stream")),
            tuple(method.get("examples", ())),
            dict(declared.get("fixed") or {}),
        )


def _ways(method: dict[str, Any]) -> list[dict[str, Any]]:
    command = method.get("command")
    return [] if command is None else [command, *command.get("others", ())]


def _argument(raw: dict[str, Any]) -> Argument:
    return Argument(
        field=raw["field"],
        kind=raw["kind"],
        type=raw["type"],
        names=tuple(raw.get("names") or ()),
        metavar=raw.get("metavar") or raw["field"].upper(),
        env=raw.get("env"),
        required=bool(raw.get("required")),
        repeat=bool(raw.get("repeat")),
        choices=tuple(raw.get("choices") or ()),
        values=tuple((flag, value) for flag, value in raw.get("values") or ()),
        help=raw.get("help") or "",
        default=raw.get("default"),
    )


def load(path: str | None = None) -> Commands:
    """Read the commands that were generated with this client; without them there are none."""
    try:
        with open(path or COMMANDS_FILE, "rb") as file:  # noqa: PTH123 - see above
            return Commands(json.load(file))
    except FileNotFoundError:
        return Commands({})
