from __future__ import annotations

from dataclasses import replace

import pytest

from luvus_service.luxe.domain.ports import ImageGiven, MessageGiven, TextGiven
from luvus_service.luxe.domain.records import Compacted, Entry
from luvus_service.luxe.domain.values import ImagePart, Message, Part, TextPart
from luvus_service.luxe.engine.context import Lens, Seen, kept_tokens, reserve
from tests.support.scripted_provider import MODEL

AT = "2026-01-31T09:08:07.123Z"


def entry(name: str, *parts: Part) -> Entry:
    return Entry(Message(name, "user", parts, AT))


def test_an_entry_is_measured_once() -> None:
    lens = Lens()
    entries = [entry("a", TextPart("one")), entry("b", TextPart("twelve"))]

    first = lens.seen(entries, None, lambda _: None, images=True)
    again = lens.seen(entries, None, lambda _: None, images=True)

    assert first == Seen(
        (MessageGiven("user", (TextGiven("one"),)), MessageGiven("user", (TextGiven("twelve"),))), 9
    )
    assert all(a is b for a, b in zip(first.messages, again.messages, strict=True))


def test_a_picture_is_fetched_each_time_and_left_out_for_a_model_without_eyes() -> None:
    lens = Lens()
    fetched: list[str] = []

    def fetch(sha256: str) -> bytes:
        fetched.append(sha256)
        return b"data"

    entries = [entry("a", ImagePart("image/png", 4, "hash"))]

    seeing = [lens.seen(entries, None, fetch, images=True).messages[0].parts for _ in range(2)]
    blind = lens.seen(entries, None, fetch, images=False).messages[0].parts

    assert seeing == [(ImageGiven("image/png", b"data"),)] * 2
    assert len(fetched) == 2
    assert isinstance(blind[0], TextGiven)


def test_a_summary_stands_before_what_is_kept() -> None:
    compacted = Compacted("SUMMARY", "b", 100, 10, AT)
    entries = [entry("a", TextPart("one")), entry("b", TextPart("two"))]

    seen = Lens().seen(entries, compacted, lambda _: None, images=True)

    texts = [message.parts[0].text for message in seen.messages]  # type: ignore[union-attr]
    assert texts == ["Summary of the conversation so far:\n\nSUMMARY", "two"]


@pytest.mark.parametrize(
    ("window", "output", "reserved", "kept"),
    [
        (200_000, 8_000, 16_384, 20_000),
        (200_000, 64_000, 64_000, 20_000),
        (128_000, 128_000, 64_000, 20_000),
        (32_768, 4_096, 16_384, 8_192),
        (32_000, 4_096, 16_000, 8_000),
        (8_192, 8_192, 4_096, 2_048),
        (4_096, 1_024, 2_048, 1_024),
    ],
)
def test_a_small_window_is_never_reserved_whole(
    window: int, output: int, reserved: int, kept: int
) -> None:
    model = replace(MODEL, context_window=window, max_output_tokens=output)

    assert (reserve(model), kept_tokens(model)) == (reserved, kept)
