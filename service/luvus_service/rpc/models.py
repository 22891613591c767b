"""The bases of all wire models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ConfigDict


class Params(BaseModel):
    """Parameters whose unknown fields are refused; the envelope is held to the letter too."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)


class LenientParams(BaseModel):
    """Parameters of an older method: unknown fields are ignored, as existing clients rely on."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True, defer_build=True)


class Result(BaseModel):
    """The result of a method."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, serialize_by_alias=True, defer_build=True
    )


class EventData(BaseModel):
    """The data of an event."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, serialize_by_alias=True, defer_build=True
    )


class NoParams(Params):
    """No parameters."""


class NoParamsLenient(LenientParams):
    """No parameters; unknown fields are ignored."""


@dataclass(frozen=True, slots=True)
class Cli:
    """How the command line spells a field; goes into `Annotated[...]` beside the type.

    Without it a field is an option named after it (`--timeout-s`).
    """

    positional: bool = False
    rest: bool = False
    """A positional that takes all remaining words: joined by spaces for a string, or a list."""
    option: str | None = None
    """Another name of the option, such as "--timeout"."""
    negative: str | None = None
    """For a boolean that is true by default: the flag that makes it false, such as "--no-focus"."""
    env: str | None = None
    """The variable that fills the field when the word is left out, inside a pane."""
    values: tuple[tuple[str, Any], ...] = ()
    """Flags that stand for one value each, such as (("--down", "down"),)."""
    path: bool = False
    """A path, which the command line completes when it is not absolute: the caller's folder is not
    the server's."""
    hidden: bool = False
    """Not offered on the command line."""


@dataclass(frozen=True, slots=True)
class Spelling:
    """One way to say a method on the command line, for a method that has more than one."""

    words: str
    """The words, such as "workspace unpin"."""
    fixed: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Parameters that the words themselves give; they are not offered as arguments."""
    marks: Mapping[str, Cli] = field(default_factory=dict[str, Cli])
    """Fields that are spelled otherwise here than in the model, by their name on the wire."""
