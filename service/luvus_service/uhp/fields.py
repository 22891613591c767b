"""The wire's ids, positions and layout trees as types, shared by all families."""

from __future__ import annotations

from itertools import combinations
from typing import Annotated, Any, Literal, Self, TypeAlias, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    Field,
    GetJsonSchemaHandler,
    SkipValidation,
    ValidationInfo,
    WithJsonSchema,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError

from luvus_service.rpc.models import Cli, Result
from luvus_service.rpc.spelling import Spelled
from luvus_service.rpc.validation import WHOLE_SENTENCE
from luvus_service.uhp.domain.errors import DomainError
from luvus_service.uhp.domain.ids import (
    MAX_PANE_ID,
    MAX_POSITION,
    parse_pane_id,
    parse_tab_position,
    parse_workspace_index,
)
from luvus_service.uhp.domain.layout import Leaf, Tree

M = TypeVar("M", bound=BaseModel)

_DECIMAL = "^(0|[1-9][0-9]*)$"


def sentence(text: str) -> PydanticCustomError:
    """Return a validation error whose text is the whole message."""
    return PydanticCustomError(WHOLE_SENTENCE, "{text}", {"text": text})


def _pane(value: Any, info: ValidationInfo) -> int | None:
    return _read(parse_pane_id, value, info)


def _workspace(value: Any, info: ValidationInfo) -> int | None:
    return _read(parse_workspace_index, value, info)


def _tab(value: Any, info: ValidationInfo) -> int | None:
    return _read(parse_tab_position, value, info)


def _read(parse: Any, value: Any, info: ValidationInfo) -> int | None:
    # A field whose name is a word of Python's has an underscore here, and none on the wire.
    name = (info.field_name or "value").rstrip("_")
    if value is None:
        raise sentence(f"`{name}` must not be null")
    try:
        found: int | None = parse(value, name)
    except DomainError as error:
        raise sentence(error.message) from error
    return found


def _number(least: int, most: int) -> WithJsonSchema:
    integer = {"type": "integer", "minimum": least, "maximum": most}
    # One digit less than the largest: a pattern cannot compare, and a schema must not promise more
    # than what is read.
    text = {
        "type": "string",
        "pattern": _DECIMAL if least == 0 else "^[1-9][0-9]*$",
        "maxLength": len(str(most)) - 1,
    }
    return WithJsonSchema({"anyOf": [integer, text]})


ALIAS = Spelled(
    "^[a-z][a-z0-9_-]{0,31}$",
    "must begin with a to z and go on with at most 31 of a to z, 0 to 9 and `_-`",
)
"""What people may call a pane."""

PaneRef: TypeAlias = Annotated[int, BeforeValidator(_pane), _number(0, MAX_PANE_ID)]
WorkspaceRef: TypeAlias = Annotated[int, BeforeValidator(_workspace), _number(0, MAX_POSITION)]
TabRef: TypeAlias = Annotated[int, BeforeValidator(_tab), _number(1, MAX_POSITION)]

PaneArgument: TypeAlias = Annotated[
    PaneRef | None,
    Field(description="The pane; the focused one when left out."),
    Cli(positional=True, env="LUVUS_PANE_ID"),
]
PaneOption: TypeAlias = Annotated[
    PaneRef | None,
    Field(description="The pane; the focused one when left out."),
    Cli(option="--pane", env="LUVUS_PANE_ID"),
]
PaneId: TypeAlias = Annotated[str, Field(description="The pane's id.")]
WorkspaceIndex: TypeAlias = Annotated[
    str, Field(description="The workspace's 0-based position in the list.")
]
TabPosition: TypeAlias = Annotated[
    str, Field(description="The tab's 1-based position in its workspace.")
]
WorkspaceId: TypeAlias = Annotated[
    str,
    Field(description="The workspace's stable id, the same after moves and restarts."),
]
TabId: TypeAlias = Annotated[
    str, Field(description="The tab's stable id, the same after moves and restarts.")
]


TabOption: TypeAlias = Annotated[
    TabRef | None,
    Field(description="The tab's 1-based position; the active one when left out."),
    Cli(option="--tab"),
]
WorkspaceOption: TypeAlias = Annotated[
    WorkspaceRef | None,
    Field(description="The workspace's 0-based position; the active one when left out."),
    Cli(option="--workspace"),
]


class WorkspaceFields(BaseModel):
    """Names a workspace by position or by stable id."""

    workspace: Annotated[
        WorkspaceRef | None,
        Field(description="The workspace's 0-based position; the active one when left out."),
        Cli(positional=True),
    ] = None
    node: Annotated[
        WorkspaceRef | None,
        Field(description="The same as `workspace`, under its older name."),
        Cli(hidden=True),
    ] = None
    workspace_id: Annotated[
        str | None,
        Field(description="The workspace's stable id, instead of its position."),
    ] = None

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Say in the schema too that at most one of the names may be given."""
        schema = super().__get_pydantic_json_schema__(core_schema, handler)
        return _exclusive(handler.resolve_ref_schema(schema), "workspace", "node", "workspace_id")

    @model_validator(mode="after")
    def _one_workspace(self) -> Self:
        return _at_most_one(self, "workspace", "node", "workspace_id")

    def workspace_selector(self) -> tuple[int | None, str | None]:
        """Return position and id, at most one of them given."""
        position = self.workspace if self.workspace is not None else self.node
        return position, self.workspace_id


class TabFields(BaseModel):
    """Names a tab by position or by stable id."""

    tab: Annotated[
        TabRef | None,
        Field(description="The tab's 1-based position; the active one when left out."),
        Cli(positional=True),
    ] = None
    tab_id: Annotated[
        str | None, Field(description="The tab's stable id, instead of its position.")
    ] = None

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Say in the schema too that at most one of the names may be given."""
        schema = super().__get_pydantic_json_schema__(core_schema, handler)
        return _exclusive(handler.resolve_ref_schema(schema), "tab", "tab_id")

    @model_validator(mode="after")
    def _one_tab(self) -> Self:
        return _at_most_one(self, "tab", "tab_id")

    def tab_selector(self) -> tuple[int | None, str | None]:
        """Return position and id, at most one of them given."""
        return self.tab, self.tab_id


def _at_most_one(model: M, *names: str) -> M:
    given = [name for name in names if getattr(model, name) is not None]
    if len(given) > 1:
        raise sentence(f"give either `{given[0]}` or `{given[1]}`, not both")
    return model


def not_null(name: str) -> JsonSchemaValue:
    """Return what a schema says when a field must be given."""
    return {"required": [name], "properties": {name: {"not": {"type": "null"}}}}


def exactly_one(*names: str) -> JsonSchemaValue:
    """Return what a schema says when one of some fields must be given, and no second one."""
    return {"oneOf": [not_null(name) for name in names]}


def not_both(*names: str) -> JsonSchemaValue:
    """Return what a schema says when of some fields at most one may be given."""
    pairs = combinations(map(not_null, names), 2)
    return {"allOf": [{"not": {"allOf": list(pair)}} for pair in pairs]}


def together(first: str, second: str) -> JsonSchemaValue:
    """Return what a schema says when two fields must be given together or not at all."""
    one, other = not_null(first), not_null(second)
    return {"anyOf": [{"allOf": [one, other]}, {"not": {"anyOf": [one, other]}}]}


def needs_true(flag: str, *names: str) -> JsonSchemaValue:
    """Return what a schema says when some fields may only be given with a flag set."""
    on: JsonSchemaValue = {"required": [flag], "properties": {flag: {"const": True}}}
    return {"anyOf": [on, {"not": {"anyOf": [not_null(name) for name in names]}}]}


def one_of(*names: str, flag: str | None = None) -> dict[str, Any]:
    """Return what a schema says where exactly one of some fields must be given.

    Null counts as not given, and for a `flag` false does too.
    """
    choices: list[tuple[str, dict[str, Any]]] = [(n, {"not": {"type": "null"}}) for n in names]
    if flag is not None:
        choices.append((flag, {"const": True}))
    return {"oneOf": [{"required": [n], "properties": {n: given}} for n, given in choices]}


def _exclusive(schema: JsonSchemaValue, *names: str) -> JsonSchemaValue:
    pairs = [{"not": {"required": list(pair)}} for pair in combinations(names, 2)]
    schema["allOf"] = [*schema.get("allOf", []), *pairs]
    return schema


class LayoutLeaf(Result):
    """One pane of a layout; its id is an integer here."""

    Leaf: int = Field(ge=0, le=MAX_PANE_ID, description="The pane's id.")


class LayoutSplit(Result):
    """Two parts of a layout with a divider between them."""

    Split: LayoutParts


class LayoutParts(Result):
    """How a split is laid out."""

    axis: Literal[0, 1] = Field(description="0: side by side; 1: one above the other.")
    ratio: float = Field(ge=0, le=1, description="The part of the length that `a` has.")
    a: LayoutNode = Field(description="The left or the upper part.")
    b: LayoutNode = Field(description="The right or the lower part.")


LayoutNode: TypeAlias = LayoutLeaf | LayoutSplit

# The rules of the domain read a given tree: they know the depth limit, which has an error of its
# own, and name the place of a mistake.
GivenTree: TypeAlias = Annotated[
    SkipValidation[LayoutNode],
    Field(description='`{"Leaf": pane}`, or `{"Split": {axis, ratio, a, b}}`.'),
]

LayoutSplit.model_rebuild()
LayoutParts.model_rebuild()


def shown_tree(tree: Tree) -> LayoutNode:
    """Return a tree in its wire form."""
    if isinstance(tree, Leaf):
        return LayoutLeaf(Leaf=tree.pane)
    axis: Literal[0, 1] = 1 if tree.axis else 0
    parts = LayoutParts(axis=axis, ratio=tree.ratio, a=shown_tree(tree.a), b=shown_tree(tree.b))
    return LayoutSplit(Split=parts)
