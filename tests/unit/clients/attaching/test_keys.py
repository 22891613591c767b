from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from luvus_client.attaching.keys import ESCAPE_S, HELD_BYTES, REST_S, KeyFilter, Typed

ANSWERS = (
    b"\x1b[?62;22c",
    b"\x1b[>1;10;0c",
    b"\x1b[=0c",
    b"\x1b[0n",
    b"\x1b[12;40R",
    b"\x1b[?1;1;1R",
    b"\x1b[?997;1n",
    b"\x1b[?2026;2$y",
    b"\x1b[4;1$y",
    b"\x1b[?0u",
    b"\x1b[8;24;80t",
    b"\x1b[48;24;80;480;640t",
    b"\x1b[>4;2m",
    b"\x1b[?1;0;256S",
    b"\x1b[2;1;1;128;128;1;0x",
    b"\x1b]11;rgb:1c1c/1c1c/1c1c\x1b\\",
    b"\x1b]4;1;rgb:ffff/0000/0000\x07",
    b"\x1b]52;c;aGVsbG8=\x1b\\",
    b"\x1bP1$r0m\x1b\\",
    b"\x1bP1+r544e=787465726d\x1b\\",
    b"\x1bP>|XTerm(380)\x1b\\",
    b"\x1bP!|00000000\x1b\\",
    b"\x1b_Gi=1;OK\x1b\\",
)
KEYS = (
    b"a",
    b"\r",
    b"\x03",
    "ü".encode(),
    b"\xff\x80",
    b"\x1b[A",
    b"\x1bOP",
    b"\x1b[1;5R",
    b"\x1b[15;2~",
    b"\x1b[I",
    b"\x1b[<0;10;20M",
    b"\x1b[<0;10;20m",
    b"\x1b[97;5u",
    b"\x1b[27;5;97~",
    b"\x1ba",
    b"\x1b\x1b[A",
)
KITTY = (b"\x1b[92;5u", b"\x1b[92;5:1u", b"\x1b[92:124;69u", b"\x1b[27;5;92~")

parts = st.lists(st.sampled_from([(a, False) for a in ANSWERS] + [(k, True) for k in KEYS]))


def fed_in_pieces(keys: KeyFilter, data: bytes, cuts: list[int]) -> bytes:
    places = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    out = b""
    for start, end in pairwise(places):
        typed = keys.feed(data[start:end])
        assert not typed.detach
        out += typed.keys
    return out


@given(parts, st.lists(st.integers(0, 400)))
def test_answers_are_taken_out_wherever_they_are_split(
    chosen: list[tuple[bytes, bool]], cuts: list[int]
) -> None:
    data = b"".join(part for part, _ in chosen)

    passed = fed_in_pieces(keys := KeyFilter(), data, cuts) + keys.give_up()

    assert passed == b"".join(part for part, key in chosen if key)


@given(st.binary(), st.lists(st.integers(0, 100)))
def test_text_without_escapes_passes_byte_for_byte(data: bytes, cuts: list[int]) -> None:
    text = data.replace(b"\x1b", b"").replace(b"\x1c", b"")

    assert fed_in_pieces(KeyFilter(), text, cuts) == text


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_of_single_bytes_never_reaches_the_program(answer: bytes) -> None:
    keys = KeyFilter()

    assert b"".join(keys.feed(bytes([byte])).keys for byte in answer) == b""
    assert keys.patience_s is None


@pytest.mark.parametrize("key", [b"\x1c", *KITTY])
def test_the_detach_key_ends_the_input_and_drops_what_follows(key: bytes) -> None:
    assert KeyFilter().feed(b"abc" + key + b"rm -rf") == Typed(b"abc", detach=True)


@pytest.mark.parametrize(
    "key", [b"\x1b[92;5:3u", b"\x1b[92;7u", b"\x1b[92u", b"\x1b[27;7;92~", b"\x1d", b"\\"]
)
def test_what_only_resembles_the_detach_key_is_a_key(key: bytes) -> None:
    keys = KeyFilter()

    assert keys.feed(key) == Typed(key, detach=False)


def test_the_detach_key_can_be_another_one() -> None:
    keys = KeyFilter(0x01)

    assert keys.feed(b"\x1c") == Typed(b"\x1c", detach=False)
    assert keys.feed(b"\x1b[97;5u") == Typed(b"", detach=True)


@given(st.binary(), st.lists(st.integers(0, 100)))
def test_a_paste_passes_whole_whatever_is_in_it(data: bytes, cuts: list[int]) -> None:
    paste = b"\x1b[200~" + data.replace(b"\x1b[201~", b"") + b"\x1b[201~"
    if paste.count(b"\x1b[201~") > 1:
        return
    keys = KeyFilter()

    assert fed_in_pieces(keys, paste, cuts) == paste
    assert keys.feed(b"\x1c").detach


def test_a_lone_escape_is_held_for_a_moment_only() -> None:
    keys = KeyFilter()

    assert keys.feed(b"\x1b") == Typed(b"", detach=False)
    assert keys.patience_s == ESCAPE_S
    assert keys.give_up() == b"\x1b"
    assert keys.patience_s is None


def test_the_rest_of_an_answer_is_waited_for_and_its_beginning_dropped() -> None:
    keys = KeyFilter()

    assert keys.feed(b"\x1b]11;rgb:") == Typed(b"", detach=False)
    assert keys.patience_s == REST_S
    assert keys.give_up() == b""


def test_a_paste_that_never_ends_lets_the_detach_key_work_again() -> None:
    keys = KeyFilter()
    assert keys.feed(b"\x1b[200~text\x1c") == Typed(b"\x1b[200~text\x1c", detach=False)
    assert keys.patience_s == REST_S

    assert keys.give_up() == b""
    assert keys.feed(b"\x1c").detach


def test_a_sequence_over_the_limit_is_passed_on() -> None:
    keys = KeyFilter()
    long = b"\x1b]52;c;" + b"A" * HELD_BYTES

    assert keys.feed(long) == Typed(long, detach=False)
