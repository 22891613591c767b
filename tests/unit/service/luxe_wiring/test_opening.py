from __future__ import annotations

import pytest

from luvus_service.luxe.domain.values import ModelRef
from luvus_service.luxe_wiring.configuration import Configuration
from luvus_service.luxe_wiring.opening import chosen_model
from luvus_service.luxe_wiring.words import StartFault
from tests.support.scripted_provider import ScriptedProvider


@pytest.mark.parametrize(
    ("named", "found"),
    [
        (None, (None, None)),
        ("script/one", (ModelRef("script", "one"), None)),
        ("script/two:high", (ModelRef("script", "two"), "high")),
        ("tw", (ModelRef("script", "two"), None)),
        ("one:low", (ModelRef("script", "one"), "low")),
    ],
)
def test_a_model_is_found_by_its_name_or_a_part(
    named: str | None, found: tuple[ModelRef | None, str | None]
) -> None:
    assert chosen_model([ScriptedProvider()], named, Configuration()) == found


@pytest.mark.parametrize(
    ("named", "sentence"),
    [
        ("nosuch/one", "no provider 'nosuch'; configured are: script"),
        ("script/nosuch", "no model script/nosuch"),
        ("o", "fits several models: script/one, script/two"),
        ("zzz", "fits no model"),
        ("/one", "use provider/model"),
    ],
)
def test_a_model_that_cannot_be_meant_is_a_fault(named: str, sentence: str) -> None:
    with pytest.raises(StartFault, match=sentence):
        chosen_model([ScriptedProvider()], named, Configuration())


def test_a_configured_model_that_is_gone_does_not_keep_a_session_from_starting() -> None:
    found = chosen_model([ScriptedProvider()], None, Configuration(model="gone/one"))

    assert found == (None, None)
