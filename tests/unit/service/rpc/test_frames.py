from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import pytest
from pydantic import Field

from luvus_service.rpc.frames import Actions, ActionSpec, action, frame_schema, group, group_spec
from luvus_service.rpc.refusals import Refused


@dataclass(frozen=True, slots=True)
class Said:
    """Something was said.

    Aloud.
    """

    text: str

    frame: ClassVar = "said"


@dataclass(frozen=True, slots=True)
class Words:
    """What to say."""

    text: str


@group("talk", events=(Said,))
class Talk:
    """Talk about things."""

    @action("talk_say", needs="idle", changes=True)
    async def say(self, content: Words) -> None:
        """Say something.

        Slowly.
        """

    @action("talk_hush", writes_github=True)
    def hush(self) -> None:
        """Say nothing."""

    @action("talk_maybe", needs="turn")
    def maybe(self, content: Annotated[Words | None, Field(description="x")] = None) -> None:
        """Say something or not."""

    @action("talk_or", needs="turn")
    def either(self, content: Words | None) -> None:
        """Say something or nothing."""


def declared(handler: Any, *, doc: str | None = "Talk.", events: Any = ()) -> type:
    """Declare a group with one handler."""
    return group("talk", events=events)(type("Declared", (), {"__doc__": doc, "handler": handler}))


def silent(self: Any) -> None:
    pass


def two(self: Any, content: Words, more: int) -> None:
    """Take two."""


def untyped(self: Any, content) -> None:  # type: ignore[no-untyped-def] # noqa: ANN001
    """Take anything."""


def fine(self: Any) -> None:
    """Do it."""


class NoEvent:
    """Not a dataclass."""

    frame = "no"


@dataclass
class NoFrame:
    """No kind."""


@dataclass
class Mute:
    frame: ClassVar = "mute"


Mute.__doc__ = None


@pytest.mark.parametrize(
    ("handler", "options", "sentence"),
    [
        (silent, {}, "talk_it has no docstring; it is the text of its reference page"),
        (two, {}, "talk_it: an action takes its content and nothing else"),
        (untyped, {}, "talk_it: the content needs a type"),
        (fine, {"doc": None}, "talk has no docstring; it is the text of its reference page"),
        (fine, {"events": (NoEvent,)}, f"{NoEvent!r} is no event: a dataclass with a `frame`"),
        (fine, {"events": (NoFrame,)}, f"{NoFrame!r} is no event: a dataclass with a `frame`"),
        (
            fine,
            {"events": (Mute,)},
            f"{Mute!r} has no docstring; it is the text of its reference page",
        ),
    ],
)
def test_a_wrong_declaration_of_a_frame_stops_the_import(
    handler: Any, options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(TypeError) as refused:
        declared(action("talk_it")(handler), **options)

    assert str(refused.value) == sentence


def test_what_is_no_group_has_no_spec() -> None:
    with pytest.raises(TypeError, match="object is no group of frames"):
        group_spec(object)


def test_a_group_is_described_as_it_was_declared() -> None:
    spec = group_spec(Talk)

    assert (spec.name, spec.summary, spec.events) == ("talk", "Talk about things.", (Said,))
    assert spec.actions[0] == ActionSpec(
        kind="talk_say",
        summary="Say something.",
        description="Slowly.",
        needs="idle",
        writes_github=False,
        changes=True,
        attribute="say",
        waits=True,
        content=Words,
    )
    assert [(a.kind, a.needs, a.writes_github, a.waits) for a in spec.actions[1:]] == [
        ("talk_hush", "anything", True, False),
        ("talk_maybe", "turn", False, False),
        ("talk_or", "turn", False, False),
    ]


def test_an_action_is_found_by_its_kind_with_what_does_it() -> None:
    talk = Talk()
    actions = Actions([talk])

    found = actions.find("talk_say")

    assert (found.spec, found.handler) == (group_spec(Talk).actions[0], talk.say)
    assert found.adapter is not None
    assert found.adapter.validate_python({"text": "x"}) == Words("x")
    assert actions.find("talk_hush").adapter is None
    assert actions.kinds() == ("talk_hush", "talk_maybe", "talk_or", "talk_say")


def test_an_unknown_action_is_refused_with_its_name_cut() -> None:
    with pytest.raises(Refused) as refused:
        Actions([Talk()]).find("x" * 200)

    error = refused.value
    assert (error.code, error.reason, error.kind) == (
        "unknown_action",
        f"unknown action `{'x' * 128}`",
        "x" * 128,
    )


def test_an_action_of_two_groups_stops_the_start() -> None:
    with pytest.raises(TypeError, match="talk_say is declared twice"):
        Actions([Talk(), Talk()])


def test_the_schema_has_every_frame_of_both_directions() -> None:
    schema = frame_schema([Talk])

    assert (list(schema["actions"]), list(schema["events"])) == (
        ["talk_hush", "talk_maybe", "talk_or", "talk_say"],
        ["said"],
    )
    assert schema["actions"]["talk_hush"] == {
        "description": "Say nothing.",
        "type": "object",
        "properties": {"kind": {"const": "talk_hush"}},
        "required": ["kind"],
    }
    required = {kind: frame["required"] for kind, frame in schema["actions"].items()}
    assert required["talk_say"] == ["kind", "content"]
    assert required["talk_or"] == ["kind"]
    assert schema["events"]["said"]["description"] == "Something was said."
    assert schema["events"]["said"]["required"] == ["kind", "content"]
