"""Parameters of the terminal methods."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, field_validator, model_validator

from luvus_service.rpc.models import Cli, Params
from luvus_service.uhp.domain.locators import Locator as Located
from luvus_service.uhp.engine.backend_create import Wanted
from luvus_service.uhp.engine.backend_stream import View
from luvus_service.uhp.engine.keys import Key
from luvus_service.uhp.engine.limits import TERMINAL
from luvus_service.uhp.families.terminal.fields import (
    Argument,
    Body,
    Folder,
    Label,
    TerminalLocator,
    Text,
    Title,
)
from luvus_service.uhp.fields import sentence

COMMAND_BYTES = TERMINAL["command_bytes"]


class TerminalCapture(TerminalLocator):
    """What to read of a terminal."""

    model_config = ConfigDict(
        json_schema_extra={
            "not": {
                "properties": {"mode": {"const": "detection"}, "ansi": {"const": True}},
                "required": ["mode", "ansi"],
            }
        }
    )

    mode: Literal["visible", "recent_unwrapped", "detection"] = Field(
        description="The screen; the newest lines with soft wraps joined; or the last rows, in "
        "which agents are recognised."
    )
    lines: int = Field(ge=1, le=TERMINAL["capture_lines"], description="At most so many lines.")
    ansi: bool = Field(description="Keep colours and styles; not with `detection`.")

    @model_validator(mode="after")
    def _plain_detection(self) -> TerminalCapture:
        if self.mode == "detection" and self.ansi:
            raise sentence("`ansi` must be false with mode `detection`")
        return self


class TerminalObserve(TerminalLocator):
    """What a stream shows."""

    mode: Literal["visible", "recent_unwrapped"] = Field(
        default="visible", description="The screen, or the newest lines with soft wraps joined."
    )
    lines: int = Field(
        default=80, ge=1, le=TERMINAL["observe_lines"], description="At most so many lines."
    )
    ansi: bool = Field(default=True, description="Keep colours and styles.")
    cursor: bool = Field(default=False, description="Say with each frame where the cursor is.")

    def view(self) -> View:
        """Return it as the engine takes it."""
        return View(self.mode, self.lines, self.ansi, self.cursor)


class TerminalWaitChange(TerminalLocator):
    """How long to wait for output after a revision."""

    after_revision: int = Field(ge=0, description="The revision known already.")
    timeout_ms: int = Field(
        ge=1, le=TERMINAL["wait_timeout_ms"], description="Milliseconds to wait."
    )


class TerminalWaitOutput(TerminalWaitChange):
    """Which text to wait for."""

    match: str = Field(min_length=1, max_length=4096, description="Literal text.")


class TerminalInput(TerminalLocator):
    """A text for a terminal."""

    text: Annotated[Text, Cli(positional=True)]


class TerminalKey(TerminalLocator):
    """A key for a terminal."""

    key: Annotated[Key, Field(description="The key's name."), Cli(positional=True)]


class TerminalTitle(TerminalLocator):
    """A terminal's label."""

    title: Annotated[
        Title, Field(description="At most 256 bytes; an empty one clears."), Cli(positional=True)
    ]


class TerminalNotify(TerminalLocator):
    """A notification about a terminal."""

    title: Title = Field(description="At most 256 bytes.")
    body: Body = Field(description="At most 8192 bytes.")


class PlaceInWorkspace(Params):
    """In the workspace of the folder, which is opened when it is not."""

    kind: Literal["workspace"]


class PlaceBeside(Params):
    """Beside another terminal."""

    kind: Literal["sibling"]
    of_terminal: TerminalLocator = Field(description="The terminal whose pane is split.")


class TerminalCreate(Params):
    """The terminal to create."""

    cwd: Folder = Field(description="Absolute path of the folder to start in.")
    placement: Annotated[PlaceInWorkspace | PlaceBeside, Field(discriminator="kind")] = Field(
        description="Where its pane goes."
    )
    focus: bool = Field(description="Whether its pane gets the focus.")
    command: tuple[Argument, ...] | None = Field(
        default=None,
        min_length=1,
        max_length=TERMINAL["command_args"],
        description="The program and its arguments; the user's shell when null or left out.",
    )
    label: Label | None = Field(default=None, description="At most 256 bytes.")
    restore: bool = Field(
        default=True, description="Whether the next server's layout has a pane in its place."
    )

    @field_validator("cwd")
    @classmethod
    def _absolute(cls, cwd: str) -> str:
        if not cwd.startswith("/") or "\0" in cwd:
            raise sentence(f"`cwd` must be an absolute path, not {cwd[:200]!r}")
        return cwd

    @field_validator("command")
    @classmethod
    def _runnable(cls, command: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if command is None:
            return None
        if any("\0" in argument for argument in command):
            raise sentence("`command` must not have NUL characters")
        if sum(len(argument.encode()) for argument in command) > COMMAND_BYTES:
            raise sentence(f"`command` has at most {COMMAND_BYTES} bytes altogether")
        return command

    def wanted(self) -> Wanted:
        """Return it as the engine takes it."""
        return Wanted(self.cwd, self._beside(), self.focus, self.command, self.label, self.restore)

    def _beside(self) -> Located | None:
        if isinstance(self.placement, PlaceBeside):
            return self.placement.of_terminal.located()
        return None
