from __future__ import annotations

from typing import Annotated

import pytest
from pydantic import Field

from luvus_service.rpc.declare import FamilySpec, family, family_spec, method
from luvus_service.rpc.models import Cli, Params, Result, Spelling
from luvus_service.rpc.scopes import Access, Scope

LIGHTS = (
    Spelling("lamp on", {"lit": True}),
    Spelling("lamp off", {"lit": False}, {"lamp": Cli(option="--lamp")}),
)


class LampParams(Params):
    """Which lamp."""

    lamp: Annotated[int, Field(description="Its number."), Cli(positional=True)] = 0
    lit: Annotated[bool, Field(description="Whether it is lit.")]


class LampResult(Result):
    """Nothing more."""


def lamp(*spellings: Spelling) -> FamilySpec:
    """Declare a method with these spellings."""

    @family("lamp", scope=Scope.WORKSPACE)
    class LampMethods:
        """Switch lamps."""

        @method("lamp.set", access=Access.WRITE, spellings=spellings, aliases=("lamp.put",))
        async def set(self, params: LampParams) -> LampResult:
            """Switch a lamp."""
            return LampResult()

    return family_spec(LampMethods)


def test_the_first_of_several_spellings_is_the_command() -> None:
    spec, alias = lamp(*LIGHTS).methods

    assert (spec.command, spec.spellings) == (("lamp", "on"), LIGHTS)
    assert (alias.command, alias.spellings) == ((), ())


def test_a_method_without_spellings_has_the_words_of_its_name() -> None:
    spec = lamp().methods[0]

    assert (spec.command, spec.spellings) == (("lamp", "set"), ())


@pytest.mark.parametrize(
    "spelling",
    [Spelling("lamp on", {"lid": True}), Spelling("lamp on", {}, {"lid": Cli(hidden=True)})],
)
def test_a_spelling_of_a_field_that_is_not_there_stops_the_import(spelling: Spelling) -> None:
    with pytest.raises(TypeError, match=r"spells unknown \['lid'\]"):
        lamp(spelling)
