"""How the terminal namespace writes identities, texts and folders."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import AfterValidator, Field, WithJsonSchema

from luvus_service.rpc.models import Cli, Params
from luvus_service.rpc.spelling import HEX, Spelled
from luvus_service.uhp.domain.locators import Locator as Located
from luvus_service.uhp.domain.ports import RootProcess as Root
from luvus_service.uhp.engine.limits import TERMINAL
from luvus_service.uhp.fields import sentence

_CONTROL = frozenset(map(chr, (*range(0x20), 0x7F, *range(0x80, 0xA0))))


def _bytes_at_most(limit: int, name: str) -> AfterValidator:
    def check(text: str) -> str:
        size = len(text.encode())
        if size > limit:
            raise sentence(f"`{name}` has {size} bytes; at most {limit} are allowed")
        return text

    return AfterValidator(check)


def _printable(name: str) -> AfterValidator:
    # A label is drawn in terminals, where control characters would be obeyed.
    def check(text: str) -> str:
        if not _CONTROL.isdisjoint(text):
            raise sentence(f"`{name}` must not have control characters")
        return text

    return AfterValidator(check)


def _schema(limit: int, *, plain: str, other: str) -> WithJsonSchema:
    # A schema counts characters and the limit is in bytes: it promises the limit for ASCII, and
    # for other texts what fits even if every character takes four bytes.
    return WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "maxLength": limit, "pattern": plain},
                {"type": "string", "maxLength": limit // 4, "pattern": other},
            ]
        }
    )


_WITHOUT_CONTROL = r"^[^\x00-\x1f\x7f-\x9f]*$"

Hex: TypeAlias = Annotated[str, HEX]
PaneRoute: TypeAlias = Annotated[
    str,
    Spelled(
        "^[1-9][0-9]{0,9}$", "must be a pane's id as a string of digits, with no zero in front"
    ),
]

Text: TypeAlias = Annotated[
    str,
    Field(
        min_length=1,
        description="1 to 262144 bytes of UTF-8.",
        json_schema_extra={"maxLength": TERMINAL["input_bytes"]},
    ),
]
Title: TypeAlias = Annotated[
    str,
    _bytes_at_most(TERMINAL["title_bytes"], "title"),
    _printable("title"),
    _schema(TERMINAL["title_bytes"], plain=r"^[ -~]*$", other=_WITHOUT_CONTROL),
]
Label: TypeAlias = Annotated[
    str,
    _bytes_at_most(TERMINAL["title_bytes"], "label"),
    _printable("label"),
    _schema(TERMINAL["title_bytes"], plain=r"^[ -~]*$", other=_WITHOUT_CONTROL),
]
Body: TypeAlias = Annotated[
    str,
    _bytes_at_most(TERMINAL["notification_body_bytes"], "body"),
    _schema(TERMINAL["notification_body_bytes"], plain=r"^[\x00-\x7f]*$", other="^"),
]
Folder: TypeAlias = Annotated[
    str,
    _bytes_at_most(TERMINAL["cwd_bytes"], "cwd"),
    _schema(TERMINAL["cwd_bytes"], plain=r"^/[\x01-\x7f]*$", other=r"^/[^\x00]*$"),
]
Argument: TypeAlias = Annotated[
    str,
    _bytes_at_most(TERMINAL["command_arg_bytes"], "command"),
    _schema(TERMINAL["command_arg_bytes"], plain=r"^[\x01-\x7f]*$", other=r"^[^\x00]*$"),
]


class ExpectedRoot(Params):
    """What the terminal's first process must be: a guard against reused process ids."""

    pid: int = Field(ge=1, le=4_294_967_295, description="Its process id.")
    start_marker: str | None = Field(
        default=None,
        max_length=256,
        description="Its start marker; null or left out is not compared.",
    )


class TerminalLocator(Params):
    """A terminal by its identity: nothing falls back to the focused pane."""

    server_generation: Annotated[
        Hex, Field(description="The server that the other two are from."), Cli(positional=True)
    ]
    terminal_id: Annotated[
        Hex, Field(description="The terminal, the same as long as it lives."), Cli(positional=True)
    ]
    pane_id: Annotated[
        PaneRoute, Field(description="The pane where it is expected."), Cli(positional=True)
    ]
    expected_root: ExpectedRoot | None = Field(
        default=None, description="What its first process must be."
    )

    def located(self) -> Located:
        """Return the locator as the engine takes it."""
        root = self.expected_root
        expected = None if root is None else Root(root.pid, root.start_marker)
        return Located(self.server_generation, self.terminal_id, int(self.pane_id), expected)
