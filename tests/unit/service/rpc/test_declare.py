from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from luvus_service.rpc.call import Call, Stream
from luvus_service.rpc.declare import (
    EventSpec,
    Example,
    FamilySpec,
    MethodSpec,
    event,
    family,
    family_spec,
    method,
    stream,
)
from luvus_service.rpc.errors import InvalidParams, InvalidRequest, LimitExceeded
from luvus_service.rpc.models import EventData, NoParams, NoParamsLenient, Result
from luvus_service.rpc.scopes import Access, Scope
from tests.support.toys import Nothing, Number, OldNumber, Shown, ToyFrame, Toys, ToyShown

READ = Access.READ


def declared(handler: Any, **options: Any) -> FamilySpec:
    """Declare a family `toy` with one handler."""
    cls = type("Declared", (), {"__doc__": "Play.", "handler": handler})
    return family_spec(family("toy", scope=Scope.WORKSPACE, **options)(cls))


async def show(self: Any, params: Number) -> Shown:
    """Show a number."""
    raise NotImplementedError


async def silent(self: Any, params: Number) -> Shown:
    raise NotImplementedError


async def untyped(self: Any, params) -> Shown:  # type: ignore[no-untyped-def] # noqa: ANN001
    """Take anything."""
    raise NotImplementedError


async def mapping(self: Any, params: dict[str, Any]) -> Shown:
    """Take a mapping."""
    raise NotImplementedError


async def result_in(self: Any, params: Shown) -> Shown:
    """Take a result."""
    raise NotImplementedError


async def none_out(self: Any, params: Number) -> None:
    """Return nothing."""


async def unsaid(self: Any, params: Number):  # type: ignore[no-untyped-def] # noqa: ANN201
    """Return something."""


async def params_out(self: Any, params: Number) -> Number:
    """Return parameters."""
    raise NotImplementedError


async def second(self: Any, params: Number, call: int) -> Shown:
    """Take a number besides."""
    raise NotImplementedError


async def third(self: Any, params: Number, call: Call, more: int) -> Shown:
    """Take two things besides."""
    raise NotImplementedError


async def no_params(self: Any) -> Shown:
    """Take nothing."""
    raise NotImplementedError


def at_once(self: Any, params: Number) -> Shown:
    """Return at once."""
    raise NotImplementedError


async def watch(self: Any, params: Number, stream: Stream) -> None:
    """Watch."""


async def half_stream(self: Any, params: Number) -> None:
    """Watch without a stream."""


async def wrong_stream(self: Any, params: Number, stream: Call) -> None:
    """Watch with a call."""


def as_method(name: str = "toy.show", **options: Any) -> Callable[[Any], Any]:
    """Return the decorator of a method that reads."""
    return method(name, access=READ, **options)


def as_stream(acknowledges: Any = Shown) -> Callable[[Any], Any]:
    """Return the decorator of a stream."""
    return stream("toy.watch", frames=(ToyFrame,), acknowledges=acknowledges)


@pytest.mark.parametrize(
    ("decorate", "handler", "sentence"),
    [
        (as_method(), silent, "toy.show has no docstring; it is the text of its reference page"),
        (as_method(), untyped, "toy.show: the parameters must be a model, not None"),
        (
            as_method(),
            mapping,
            "toy.show: the parameters must be a model, not dict[str, typing.Any]",
        ),
        (as_method(), result_in, "toy.show: the parameters must be a model, not " + repr(Shown)),
        (as_method(), none_out, "toy.show: the result must be a model, not " + repr(type(None))),
        (as_method(), unsaid, "toy.show: the result must be a model, not None"),
        (as_method(), params_out, "toy.show: the result must be a model, not " + repr(Number)),
        (as_method(), second, "toy.show: the second parameter is `call: Call`"),
        (as_method(), watch, "toy.show: the second parameter is `call: Call`"),
        (
            as_method(),
            third,
            "toy.show takes params, and one thing more at most, not ['params', 'call', 'more']",
        ),
        (as_method(), no_params, "toy.show takes params, and one thing more at most, not []"),
        (as_method(), at_once, "toy.show must be a coroutine function"),
        (as_method("other.show"), show, "other.show is declared in family toy"),
        (as_method("toys.show"), show, "toys.show is declared in family toy"),
        (as_method("toyshow"), show, "toyshow is declared in family toy"),
        (
            as_method(aliases=("toy.see", "toy.show")),
            show,
            "family toy: ['toy.show'] declared twice",
        ),
        (as_method(aliases=("toy.see",) * 2), show, "family toy: ['toy.see'] declared twice"),
        (as_stream(), half_stream, "toy.watch: a stream takes params and `stream: Stream`"),
        (as_stream(), wrong_stream, "toy.watch: a stream takes params and `stream: Stream`"),
        (
            as_stream(Number),
            watch,
            "toy.watch: the result must be a model, not " + repr(Number),
        ),
    ],
)
def test_a_wrong_declaration_stops_the_import(
    decorate: Callable[[Any], Any], handler: Any, sentence: str
) -> None:
    marked = decorate(handler)

    with pytest.raises(TypeError) as refused:
        declared(marked)

    assert str(refused.value) == sentence


def test_two_handlers_of_one_name_stop_the_import() -> None:
    with pytest.raises(TypeError, match=r"family toy: \['toy.show'\] declared twice"):

        @family("toy", scope=Scope.WORKSPACE)
        class Twice:
            """Play twice."""

            one = as_method()(show)
            other = as_method()(show)


def test_an_example_of_an_unknown_method_stops_the_import() -> None:
    with pytest.raises(TypeError, match=r"family toy: example of unknown method toy\.hide"):
        declared(as_method()(show), examples=(Example("toy.hide", {}, {}),))


def test_an_example_of_an_alias_is_kept() -> None:
    example = Example("toy.see", {"number": 1}, {"type": "shown", "number": 1}, "Seen.")

    spec = declared(as_method(aliases=("toy.see",))(show), examples=(example,))

    assert spec.examples == (example,)


def test_a_family_without_a_docstring_stops_the_import() -> None:
    with pytest.raises(TypeError, match="toy has no docstring"):
        family("toy", scope=Scope.WORKSPACE)(type("Silent", (), {}))


def test_an_event_without_a_docstring_stops_the_import() -> None:
    class Silent(EventData):
        pass

    Silent.__doc__ = None
    with pytest.raises(TypeError, match=r"toy\.silent has no docstring"):
        event("toy.silent")(Silent)


def test_a_model_that_is_no_event_stops_the_import() -> None:
    class Unmarked(EventData):
        """Not declared as an event."""

    with pytest.raises(TypeError, match="Unmarked is no event"):
        declared(as_method()(show), events=(Unmarked,))


@pytest.mark.parametrize("cls", [object, Number, Call])
def test_what_is_no_family_has_no_family_spec(cls: type) -> None:
    with pytest.raises(TypeError, match=f"{cls.__qualname__} is no method family"):
        family_spec(cls)


def test_a_method_is_described_as_it_was_declared() -> None:
    marked = method(
        "toy.show_all",
        access=Access.WRITE,
        errors=(LimitExceeded,),
        scope=Scope.ADMIN,
        revision=False,
        idempotent=True,
        aliases=("toy.see",),
        invalid=InvalidParams,
    )(show)

    spec, alias = declared(marked).methods

    assert spec == MethodSpec(
        name="toy.show_all",
        summary="Show a number.",
        description="",
        params=Number,
        result=Shown,
        scope=Scope.ADMIN,
        access=Access.WRITE,
        errors=(LimitExceeded,),
        attribute="handler",
        takes_call=False,
        stream=False,
        frames=(),
        revision=False,
        idempotent=True,
        lenient=False,
        invalid=InvalidParams,
        alias_of=None,
        command=("toy", "show-all"),
        spellings=(),
    )
    assert (alias.name, alias.alias_of, alias.command) == ("toy.see", "toy.show_all", ())
    assert (alias.attribute, alias.scope) == (spec.attribute, spec.scope)


def test_a_stream_is_described_as_it_was_declared() -> None:
    (spec,) = declared(as_stream()(watch)).methods

    assert spec == MethodSpec(
        name="toy.watch",
        summary="Watch.",
        description="",
        params=Number,
        result=Shown,
        scope=Scope.WORKSPACE,
        access=Access.READ,
        errors=(),
        attribute="handler",
        takes_call=False,
        stream=True,
        frames=(ToyFrame,),
        revision=False,
        idempotent=False,
        lenient=False,
        invalid=InvalidRequest,
        command=("toy", "watch"),
    )


def test_methods_are_found_in_the_order_in_which_they_are_written() -> None:
    spec = family_spec(Toys)

    assert (spec.name, spec.title, spec.description) == (
        "toy",
        "toy",
        "Show numbers.\n\nEvery sort of method once.",
    )
    assert [(m.name, m.access, m.idempotent, m.takes_call, m.lenient) for m in spec.methods] == [
        ("toy.show", Access.READ, True, False, False),
        ("toy.see", Access.READ, True, False, False),
        ("toy.old", Access.READ, True, False, True),
        ("toy.add", Access.WRITE, False, False, False),
        ("toy.clear", Access.WRITE, False, False, False),
        ("toy.later", Access.WRITE, False, False, False),
        ("toy.wait", Access.READ, True, True, False),
        ("toy.refuse", Access.READ, True, True, True),
        ("toy.stray", Access.READ, True, False, False),
        ("toy.break", Access.READ, True, False, False),
        ("toy.watch", Access.READ, False, False, False),
    ]
    assert spec.events == (EventSpec("toy.shown", ToyShown, "A number was shown."),)


def test_a_family_may_have_a_method_of_its_own_name_and_a_title() -> None:
    spec = declared(as_method("toy", command="")(show), title="Toys")

    assert (spec.title, spec.methods[0].name, spec.methods[0].command) == ("Toys", "toy", ())


@pytest.mark.parametrize(
    ("command", "words"),
    [(None, ("toy", "show")), ("", ()), ("show me all", ("show", "me", "all"))],
)
def test_the_command_is_the_name_unless_it_is_spelled(
    command: str | None, words: tuple[str, ...]
) -> None:
    assert declared(as_method(command=command)(show)).methods[0].command == words


@pytest.mark.parametrize("params", [Number, OldNumber, NoParams, NoParamsLenient])
def test_every_sort_of_parameters_is_a_model(params: type) -> None:
    async def handler(self: Any, given: Any) -> Result:
        """Take these."""
        return Nothing()

    handler.__annotations__ = {"given": params, "return": Nothing}

    assert declared(as_method()(handler)).methods[0].params is params
