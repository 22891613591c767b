"""A wheel holds the four packages with all their files and nothing else."""

from __future__ import annotations

from scripts.wheel_contents import PACKAGES, complaints

WHOLE = [
    *(f"{package}/py.typed" for package in PACKAGES),
    "luvus_web/static/index.html",
    "luvus-1.0.dist-info/METADATA",
]


def test_a_whole_wheel_is_silent() -> None:
    assert list(complaints(WHOLE, ["luvus_web/py.typed"])) == []


def test_a_wheel_without_the_built_pages_is_not_whole() -> None:
    packed = [name for name in WHOLE if "static" not in name]

    assert list(complaints(packed, [])) == [
        "luvus_web/static/index.html is missing: the dashboard would have no pages."
    ]


def test_files_too_many_and_files_too_few_are_named() -> None:
    packed = [*WHOLE[1:], "service/a.py", "luvus_web/a.pyc"]

    assert list(complaints(packed, ["luvus_client/protocol.json"])) == [
        "service at the top of the wheel may overwrite another project's files.",
        "luvus_service/py.typed is missing: type checkers would ignore the annotations.",
        "luvus_client/protocol.json is tracked by git and missing from the wheel.",
        "luvus_web/a.pyc is in the wheel by accident.",
    ]
