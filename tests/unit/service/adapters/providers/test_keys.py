"""Credentials: where they come from, who may read them, where they never go."""

from __future__ import annotations

from pathlib import Path

import pytest

from luvus_service.adapters.providers.keys import (
    HIDDEN,
    KEY_BYTES,
    KeyFault,
    KeySource,
    Secret,
    hidden,
)


def private(path: Path, text: str, mode: int = 0o600) -> Path:
    path.write_text(text)
    path.chmod(mode)
    return path


def test_a_variable_comes_before_the_file(tmp_path: Path) -> None:
    file = private(tmp_path / "key", "from-file\n")

    both = KeySource({"A": " from-env "}, ("A",), file=file)
    alone = KeySource({"A": ""}, ("A",), file=file)

    assert both.read() == Secret("from-env")
    assert alone.read() == Secret("from-file")
    assert (both.missing(), alone.missing()) == (None, None)


def test_a_bearer_variable_says_how_it_is_sent() -> None:
    assert KeySource({"T": "t"}, ("A",), ("T",)).read() == Secret("t", bearer=True)


def test_what_is_missing_is_named_by_its_first_variable(tmp_path: Path) -> None:
    source = KeySource({}, ("A", "B"), file=tmp_path / "none")

    assert source.missing() == "A"
    assert source.read() is None
    assert KeySource({}, ("A",), required=False).missing() is None


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o660, 0o610])
def test_a_file_that_others_have_a_say_in_is_refused(tmp_path: Path, mode: int) -> None:
    source = KeySource({}, file=private(tmp_path / "key", "k", mode))

    with pytest.raises(KeyFault, match="chmod 600"):
        source.read()


def test_what_is_no_regular_file_is_refused_without_waiting(tmp_path: Path) -> None:
    import os

    os.mkfifo(tmp_path / "pipe", 0o600)
    (tmp_path / "folder").mkdir(0o700)

    for name in ("pipe", "folder"):
        with pytest.raises(KeyFault, match=name):
            KeySource({}, file=tmp_path / name).read()


@pytest.mark.parametrize(
    "text", ["", "two words", "two\nlines", "ä", "x\x00", "y" * (KEY_BYTES + 1)]
)
def test_what_is_no_key_is_refused_and_not_repeated(tmp_path: Path, text: str) -> None:
    with pytest.raises(KeyFault) as fault:
        KeySource({}, file=private(tmp_path / "key", text)).read()

    assert not text or text not in str(fault.value)


def test_a_key_is_never_shown_by_what_holds_it() -> None:
    source = KeySource({"A": "sk-very-secret"}, ("A",))

    assert "very" not in repr(source)
    assert "very" not in repr(source.read())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bad key my-own-key here", f"bad key {HIDDEN} here"),
        (
            "Incorrect API key provided: sk-proj-abcdef123456789.",
            f"Incorrect API key provided: {HIDDEN}.",
        ),
        ("Incorrect API key provided: sk-abc*******wxyz", f"Incorrect API key provided: {HIDDEN}"),
        ("header Bearer abcdefghijk was", f"header {HIDDEN} was"),
        ("the model risk-assessment-model-x is fine", "the model risk-assessment-model-x is fine"),
    ],
)
def test_keys_and_what_looks_like_them_are_hidden(text: str, expected: str) -> None:
    assert hidden(text, ["my-own-key", ""]) == expected
