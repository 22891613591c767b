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


@pytest.mark.parametrize(
    ("typed", "method", "params"),
    [
        ("workspace pin 1", "workspace.pin", {"workspace": "1", "pinned": True}),
        ("workspace unpin 1", "workspace.pin", {"workspace": "1", "pinned": False}),
        ("tab move 3 1", "tab.move", {"tab": "3", "to": "1"}),
        ("mission open", "mission.open", {}),
        ("mission open 2", "mission.open", {"workspace": "2"}),
        ("pane name build", "pane.rename", {"name": "build"}),
        ("pane name --clear --pane 7", "pane.rename", {"name": "", "pane": "7"}),
        ("workspace open /work", "workspace.open", {"path": "/work"}),
        ("tab move left", "tab.move", {"direction": "left"}),
        ("tab move right --tab 2", "tab.move", {"direction": "right", "tab": "2"}),
        ("tab swap 1 3", "tab.swap", {"tab": "1", "with": "3"}),
        ("pane move --new-tab", "pane.move", {"new_tab": True}),
        ("pane move 7 --tab 2", "pane.move", {"pane": "7", "tab": "2"}),
        ("pane resize right --cells 5", "pane.resize", {"direction": "right", "cells": 5}),
        ("pane zoom --off", "pane.zoom", {"enabled": False}),
        (
            "workspace move-block --to 0 3 1",
            "workspace.move_block",
            {"workspaces": ["3", "1"], "to": "0"},
        ),
    ],
)
def test_words_that_arrange_mean_the_method_and_its_parameters(
    typed: str, method: str, params: dict[str, object]
) -> None:
    command, rest = READ.find(typed.split())

    assert command.method == method
    assert words.parameters(command, rest, {}) == params
