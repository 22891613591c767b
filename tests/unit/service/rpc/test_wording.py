from __future__ import annotations

import pytest

from luvus_service.rpc.wording import predicate


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("Input should be greater than 0", "must be greater than 0"),
        ("String should have at most 3 characters", "must have at most 3 characters"),
        (
            "List should have at most 2 items after validation, not 3",
            "must have at most 2 items, not 3",
        ),
        ("Invalid JSON: EOF", "invalid JSON: EOF"),
        ("The input should be new", "the input should be new"),
        ("", "is not valid"),
    ],
)
def test_a_sentence_loses_its_subject(message: str, said: str) -> None:
    assert predicate(message) == said
