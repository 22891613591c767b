from __future__ import annotations

import pytest

from luvus_service.rpc.declare import event, family, family_spec, method
from luvus_service.rpc.models import EventData
from luvus_service.rpc.registry import Catalogue, Registry
from luvus_service.rpc.scopes import Access, Scope
from tests.support.toys import Number, Shown, Toys, ToyShown


@event("toy.shown")
class ShownAgain(EventData):
    """The same event from elsewhere."""


@family("toy", scope=Scope.WORKSPACE)
class SameMethod:
    """Declare a method that another family has."""

    @method("toy.see", access=Access.READ)
    async def see(self, params: Number) -> Shown:
        """See a number."""
        raise NotImplementedError


@family("other", scope=Scope.WORKSPACE, events=(ShownAgain,))
class SameEvent:
    """Declare an event that another family has."""


async def test_a_method_is_found_with_what_does_it_under_its_name_and_its_alias() -> None:
    toys = Toys()
    registry = Registry([toys])

    by_name, by_alias = registry.find("toy.show"), registry.find("toy.see")

    assert by_name is not None
    assert by_alias is not None
    assert by_name.handler == by_alias.handler == toys.show
    assert (by_name.spec.alias_of, by_alias.spec.alias_of) == (None, "toy.show")
    assert await by_name.handler(Number(number=3)) == Shown(number=3)


@pytest.mark.parametrize("name", ["", "toy", "toy.", "toy.Show", "toy.show ", "show"])
async def test_a_name_that_nobody_has_is_not_found(name: str) -> None:
    assert Registry([Toys()]).find(name) is None


async def test_the_catalogue_has_every_method_and_event_by_name() -> None:
    catalogue = Registry([Toys()]).catalogue

    assert catalogue.families == (family_spec(Toys),)
    assert list(catalogue.methods) == [spec.name for spec in family_spec(Toys).methods]
    assert catalogue.events["toy.shown"].data is ToyShown


@pytest.mark.parametrize(("other", "name"), [(SameMethod, "toy.see"), (SameEvent, "toy.shown")])
def test_a_name_in_two_families_stops_the_import(other: type, name: str) -> None:
    with pytest.raises(TypeError, match=f"{name} is declared by two families"):
        Catalogue([family_spec(Toys), family_spec(other)])


def test_an_object_of_no_family_cannot_be_registered() -> None:
    with pytest.raises(TypeError, match="object is no method family"):
        Registry([object()])
