"""A small catalogue with one of everything that the generators have to express."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import Field

from luvus_service.rpc.call import Stream
from luvus_service.rpc.declare import Example, event, family, family_spec, method, stream
from luvus_service.rpc.errors import Kind, RpcError
from luvus_service.rpc.models import Cli, EventData, LenientParams, NoParams, Params, Result
from luvus_service.rpc.registry import Catalogue
from luvus_service.rpc.scopes import Access, Scope
from tests.unit.service.codegen import other_sample


class SampleMissing(RpcError):
    """No box has this id; list them to see which are there."""

    code = "sample_missing"
    kind = Kind.NOT_FOUND


class Side(StrEnum):
    """Where a box stands."""

    LEFT = "left"
    RIGHT = "right"


class Row(Result):
    """A box."""

    box: str
    side: Side
    note: Annotated[str | None, Field(exclude_if=lambda value: value is None)] = None
    children: tuple[Row, ...] = ()


class BoxSplit(Params):
    """How to split a box."""

    box: Annotated[
        int | str | None,
        Cli(positional=True, env="LUVUS_BOX_ID"),
        Field(description="The box; the focused one when left out."),
    ] = None
    direction: Annotated[
        Literal["right", "down"],
        Cli(values=(("--down", "down"),)),
        Field(description="Where the new half goes."),
    ] = "right"
    focus: Annotated[
        bool, Cli(negative="--no-focus"), Field(description="Whether the new half gets the focus.")
    ] = True
    ratio: Annotated[float, Field(description="Share of the old half.", ge=0.1, le=0.9)] = 0.5


class BoxSplitResult(Result):
    """The new half."""

    type: Literal["ok"] = "ok"
    box: str


class BoxMove(Params):
    """Where to move a box."""

    source: Annotated[str, Field(alias="from", description="The box to move.")]
    to: Annotated[Side, Cli(option="--side"), Field(description="Where it goes.")]
    tags: Annotated[
        list[str], Field(description="Labels to set.", max_length=4, default_factory=list)
    ]
    meta: Annotated[dict[str, Any], Field(description="Anything.", default_factory=dict)]
    loud: Annotated[bool, Field(description="Whether to tell.")] = False
    secret: Annotated[int, Cli(hidden=True), Field(description="Not for people.")] = 0


class BoxMoved(Result):
    """Where the box is now."""

    source: Annotated[str, Field(alias="from")]
    row: Row
    other: other_sample.Row


class BoxType(LenientParams):
    """What to type."""

    box: Annotated[str, Cli(positional=True), Field(description="The box.")]
    text: Annotated[str, Cli(rest=True), Field(description="The text.", min_length=1)]


class BoxList(Result):
    """The boxes."""

    rows: list[Row]


class Watch(Params):
    """Where to start."""

    after_sequence: Annotated[int | None, Field(description="The last sequence seen.")] = None


class Watching(Result):
    """The acknowledgement."""

    sequence: int


class Frame(Result):
    """An event."""

    event: str
    sequence: int
    data: dict[str, Any]


@event("box.created")
class BoxCreated(EventData):
    """A box was made."""

    box: str


@family(
    "box",
    scope=Scope.WORKSPACE,
    title="Boxes",
    events=(BoxCreated,),
    examples=(
        Example(
            "box.split",
            {"box": "7", "direction": "down", "focus": False},
            {"type": "ok", "box": "8", "revision": 3},
            "Split a box downwards.",
        ),
    ),
)
class Boxes:
    """Make, move and list boxes.

    A box holds boxes.
    """

    @method("box.split", access=Access.WRITE, errors=(SampleMissing,), aliases=("box.halve",))
    async def split(self, params: BoxSplit) -> BoxSplitResult:
        """Split a box."""
        if params.box == "0":
            raise SampleMissing("no box 0")
        return BoxSplitResult(box="8")

    @method("box.move", access=Access.WRITE, errors=(SampleMissing,))
    async def move(self, params: BoxMove) -> BoxMoved:
        """Move a box.

        Its children come along.
        """
        row = Row(box=params.source, side=params.to, note=params.tags[0] if params.tags else None)
        return BoxMoved.model_validate(
            {"from": params.source, "row": row, "other": other_sample.Row(lid=1)}
        )

    @method("box.list", access=Access.READ)
    async def list(self, params: NoParams) -> BoxList:
        """List the boxes."""
        return BoxList(rows=[Row(box="1", side=Side.LEFT)])

    @method("box.note.type", access=Access.WRITE, command="box type")
    async def type(self, params: BoxType) -> BoxSplitResult:
        """Type into a box."""
        return BoxSplitResult(box=params.box)

    @method("box", access=Access.READ, revision=False, command="")
    async def whole(self, params: NoParams) -> BoxSplitResult:
        """Return the outermost box."""
        return BoxSplitResult(box="1")

    @stream("box.watch", frames=(Frame,), acknowledges=Watching)
    async def watch(self, params: Watch, stream: Stream) -> None:
        """Follow the boxes."""
        await stream.acknowledge(Watching(sequence=params.after_sequence or 0))


CATALOGUE = Catalogue([family_spec(Boxes), family_spec(other_sample.Lids)])
