"""The words that the reference pages show are read by the command line as the same parameters."""

from __future__ import annotations

import json

import pytest

from luvus_service.codegen.commands import spell
from luvus_service.codegen.protocol import commands, protocol
from luvus_service.rpc.declare import Example
from luvus_service.uhp.catalogue import catalogue

declared = pytest.importorskip("luvus_client.cli.commands")
words = pytest.importorskip("luvus_client.cli.words")

PRODUCT = catalogue()
READ = declared.Commands(json.loads(json.dumps(commands(protocol(PRODUCT)))))


@pytest.mark.parametrize(
    "example",
    [
        example
        for group in PRODUCT.families
        for example in group.examples
        if spell(PRODUCT.methods[example.method], example.params) is not None
    ],
    ids=lambda example: str(example.method),
)
def test_the_words_of_an_example_mean_its_parameters(example: Example) -> None:
    spec = PRODUCT.methods[example.method]
    typed = spell(spec, example.params)

    assert typed is not None
    command, rest = READ.find(typed[1:])
    read = words.parameters(command, rest, {})
    assert command.method == spec.name
    assert spec.params.model_validate_json(json.dumps(read)) == spec.params.model_validate_json(
        json.dumps(example.params)
    )
