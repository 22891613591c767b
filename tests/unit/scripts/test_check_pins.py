"""Pins are read from compiled files and compared with the ranges written by hand."""

from __future__ import annotations

from scripts.check_pins import complaints, pins

COMPILED = """\
a-name==1.2 \\
    --hash=sha256:00
    # via b
colour==0.4 ; os_name == 'nt' \\
    --hash=sha256:11
"""


def test_pins_are_read_without_hashes_and_markers() -> None:
    assert pins(COMPILED) == {"a-name": "1.2", "colour": "0.4"}


def test_requirements_that_the_pins_meet_are_silent() -> None:
    assert list(complaints("run.txt", ["A_Name>=1", "colour[extra]==0.4"], pins(COMPILED))) == []


def test_a_missing_and_an_unfit_pin_are_named() -> None:
    assert list(complaints("run.txt", ["a-name>=2", "other"], pins(COMPILED))) == [
        "run.txt pins a-name 1.2, not a-name>=2: run `make lock`.",
        "run.txt does not pin other: run `make lock`.",
    ]
