"""Runs the command line as its users do: a program of its own, with words and an environment."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

CLIENTS = Path(__file__).resolve().parents[3] / "clients"
RUNNER = """
import sys
from luvus_client.cli import commands, main
commands.COMMANDS_FILE = commands.PROTOCOL_FILE = sys.argv.pop(1)
sys.exit(main.main())
"""


class Run(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.out.count("\n") == 1, self.out
        return json.loads(self.out)

    @property
    def error(self) -> Any:
        assert self.out == ""
        return json.loads(self.err)["error"]


Luvus = Callable[..., Run]
