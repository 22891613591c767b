"""Each rule is seen failing once."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import Field

from luvus_service.rpc.declare import Example, event, family, family_spec, method
from luvus_service.rpc.errors import RpcError
from luvus_service.rpc.models import Cli, EventData, Params, Result
from luvus_service.rpc.registry import Catalogue
from luvus_service.rpc.scopes import Access, Scope
from tests.contract.declarations import (
    RULES,
    commands,
    descriptions,
    errors,
    examples,
    names,
    schemas,
    summaries,
)
from tests.unit.service.codegen.sample import CATALOGUE


class BadCode(RpcError):
    """no sentence"""

    code = "Bad-Code"


class Input(Params):
    """What goes in."""

    words: Annotated[list[str], Cli(rest=True)]
    more: Annotated[str, Cli(positional=True), Field(description="More.")]
    Size: Annotated[int, Field(description="How much.", ge=5)] = 1
    one: Annotated[bool, Cli(option="--x"), Field(description="One.")] = False
    two: Annotated[bool, Cli(option="--x"), Field(description="Two.")] = False


class Output(Result):
    """What comes out."""

    count: int


@event("bad.happened")
class Happened(EventData):
    """no sentence"""


@family(
    "bad",
    scope=Scope.ADMIN,
    events=(Happened,),
    examples=(Example("bad.do_it", {"words": "a"}, {"count": "1", "revision": 2}),),
)
class Bad:
    """Do everything wrong."""

    @method("bad.do_it", access=Access.READ, errors=(BadCode,), revision=False, command="Do it")
    async def do_it(self, params: Input) -> Output:
        """do it in a way that takes more than eighty characters to say and is no sentence either"""
        raise NotImplementedError

    @method("bad.do.it", access=Access.READ, command="Do it")
    async def again(self, params: Input) -> Output:
        """Do it."""
        raise NotImplementedError


BAD = Catalogue([family_spec(Bad)])


@pytest.mark.parametrize(
    ("rule", "faults"),
    [
        (
            summaries,
            [
                "bad.do_it: the summary has 86 characters",
                "bad.do_it: the summary 'do it in a way that takes more than eighty characters to "
                "say and is no sentence either' is no sentence",
                "bad.happened: the summary 'no sentence' is no sentence",
            ],
        ),
        (
            descriptions,
            [
                "bad.do_it: the parameter words has no description",
                "bad.do.it: the parameter words has no description",
            ],
        ),
        (
            names,
            [
                "bad.do.it and bad.do_it have the same name in Python",
                "Input: Size is no field name",
            ],
        ),
        (
            errors,
            [
                "BadCode: 'Bad-Code' is no error code",
                "BadCode: the summary 'no sentence' is no sentence",
            ],
        ),
        (schemas, ["Input.Size: the default 1 does not fit"]),
        (
            examples,
            [
                "bad.do_it: the example's result has a revision, the method's has none",
                "bad.do_it: the example's params: Input should be a valid array at ('words',)",
                "bad.do_it: the example's params: 'a' is not of type 'array' at $.words",
                "bad.do_it: the example's params: 'more' is a required property at $",
                "bad.do_it: the example's result: '1' is not of type 'integer' at $.count",
            ],
        ),
        (
            commands,
            [
                "bad.do_it: 'Do' is no command word",
                "bad.do_it: '--Size' is no option",
                "bad.do_it: --x is the option of two parameters",
                "bad.do.it and bad.do_it are the same command",
                "bad.do.it: 'Do' is no command word",
                "bad.do.it: '--Size' is no option",
                "bad.do.it: --x is the option of two parameters",
            ],
        ),
    ],
)
def test_a_bad_declaration_is_found(rule: Any, faults: list[str]) -> None:
    assert list(rule(BAD)) == faults


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: str(rule.__name__))
def test_a_good_declaration_has_no_faults(rule: Any) -> None:
    assert list(rule(CATALOGUE)) == []
