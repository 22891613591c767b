from __future__ import annotations

import pytest

from luvus_service.codegen.commands import Argument, arguments, spell, ways
from luvus_service.uhp.catalogue import catalogue
from tests.unit.service.codegen.sample import CATALOGUE

PRODUCT = catalogue()
GUARD = Argument(
    field="if_revision",
    kind="option",
    type="integer",
    names=("--if-revision",),
    metavar="N",
    help="Run only if the state is still at this revision.",
)


def test_marks_decide_how_a_field_is_spelled() -> None:
    assert arguments(CATALOGUE.methods["box.split"]) == (
        Argument(
            field="box",
            kind="positional",
            type="string",
            metavar="BOX",
            env="LUVUS_BOX_ID",
            help="The box; the focused one when left out.",
        ),
        Argument(
            field="direction",
            kind="value_flags",
            type="string",
            values=(("--down", "down"),),
            help="Where the new half goes.",
            default="right",
        ),
        Argument(
            field="focus",
            kind="negative",
            type="boolean",
            names=("--no-focus",),
            help="Whether the new half gets the focus.",
            default=True,
        ),
        Argument(
            field="ratio",
            kind="option",
            type="number",
            names=("--ratio",),
            metavar="X",
            help="Share of the old half.",
            default=0.5,
        ),
        GUARD,
    )


def test_an_unmarked_field_is_an_option_made_of_its_wire_name_and_type() -> None:
    assert arguments(CATALOGUE.methods["box.move"]) == (
        Argument(
            field="from",
            kind="option",
            type="string",
            names=("--from",),
            metavar="FROM",
            required=True,
            help="The box to move.",
        ),
        Argument(
            field="to",
            kind="option",
            type="string",
            names=("--side",),
            metavar="TO",
            required=True,
            choices=("left", "right"),
            help="Where it goes.",
        ),
        Argument(
            field="tags",
            kind="option",
            type="string",
            names=("--tags",),
            metavar="TAGS",
            repeat=True,
            help="Labels to set.",
        ),
        Argument(
            field="meta",
            kind="option",
            type="json",
            names=("--meta",),
            metavar="JSON",
            help="Anything.",
        ),
        Argument(
            field="loud",
            kind="flag",
            type="boolean",
            names=("--loud",),
            help="Whether to tell.",
            default=False,
        ),
        GUARD,
    )


def test_the_rest_of_the_words_come_after_the_positionals() -> None:
    kinds = [argument.kind for argument in arguments(CATALOGUE.methods["box.note.type"])]

    assert kinds == ["positional", "rest", "option"]


def test_a_read_takes_no_guard() -> None:
    assert arguments(CATALOGUE.methods["box.list"]) == ()


@pytest.mark.parametrize(
    ("method", "params", "words"),
    [
        ("box.split", {}, "luvus box split"),
        ("box.split", {"box": 7, "direction": "down"}, "luvus box split 7 --down"),
        ("box.split", {"direction": "right", "focus": True}, "luvus box split"),
        ("box.split", {"focus": False, "ratio": 0.25}, "luvus box split --no-focus --ratio 0.25"),
        (
            "box.move",
            {"from": "1", "to": "left", "tags": ["a", "b"], "loud": True},
            "luvus box move --from 1 --side left --tags a --tags b --loud",
        ),
        ("box.move", {"meta": {"a": 1}}, 'luvus box move --meta {"a": 1}'),
        ("box.note.type", {"text": "ls", "box": "1"}, "luvus box type 1 ls"),
    ],
)
def test_parameters_are_spelled_as_the_words_that_make_them(
    method: str, params: dict[str, object], words: str
) -> None:
    spelled = spell(CATALOGUE.methods[method], params)

    assert spelled is not None
    assert " ".join(spelled) == words


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("box", {}),
        ("box.move", {"secret": 1}),
        ("box.split", {"direction": "left"}),
        ("box.split", {"focus": "no"}),
    ],
)
def test_parameters_that_no_words_can_make_have_no_spelling(
    method: str, params: dict[str, object]
) -> None:
    assert spell(CATALOGUE.methods[method], params) is None


def test_a_method_with_several_spellings_gives_each_its_words_and_arguments() -> None:
    way = {w.words: w for w in ways(PRODUCT.methods["tab.move"])}

    assert [(words, dict(w.fixed)) for words, w in way.items()] == [
        (("tab", "move"), {}),
        (("tab", "move", "left"), {"direction": "left"}),
        (("tab", "move", "right"), {"direction": "right"}),
    ]
    spelled = [
        [(a.field, a.kind, a.names) for a in w.arguments if a.field in {"tab", "to", "direction"}]
        for w in way.values()
    ]
    assert spelled == [
        [("tab", "positional", ()), ("to", "positional", ())],
        [("tab", "option", ("--tab",))],
        [("tab", "option", ("--tab",))],
    ]


@pytest.mark.parametrize(
    ("method", "params", "words"),
    [
        ("workspace.pin", {"workspace": 1, "pinned": True}, "workspace pin 1"),
        ("workspace.pin", {"workspace": 1, "pinned": False}, "workspace unpin 1"),
        ("tab.move", {"tab": 3, "to": 1}, "tab move 3 1"),
        ("tab.move", {"direction": "left"}, "tab move left"),
        ("tab.move", {"direction": "right", "tab": 2}, "tab move right --tab 2"),
        ("tab.swap", {"tab": 1, "with": 3}, "tab swap 1 3"),
        ("pane.move", {"pane": 7, "new_tab": True}, "pane move 7 --new-tab"),
        ("pane.move", {"tab": 2}, "pane move --tab 2"),
    ],
)
def test_the_words_are_those_of_the_spelling_that_fits(
    method: str, params: dict[str, object], words: str
) -> None:
    assert spell(PRODUCT.methods[method], params) == ["luvus", *words.split()]
