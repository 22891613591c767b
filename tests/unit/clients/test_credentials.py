from __future__ import annotations

from pathlib import Path

import pytest

from luvus_client.credentials import check_token, token_from_file, token_from_variable
from luvus_client.errors import BadCredential


def test_a_token_is_read_from_a_private_file(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.touch(0o600)
    file.write_text("luv_tok_ab\n")

    assert token_from_file(file) == "luv_tok_ab"


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644])
def test_a_token_file_that_others_may_read_is_refused(tmp_path: Path, mode: int) -> None:
    file = tmp_path / "token"
    file.write_text("luv_tok_ab")
    file.chmod(mode)

    with pytest.raises(BadCredential, match="chmod 600"):
        token_from_file(file)


def test_a_missing_file_a_link_and_a_folder_are_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "token")
    for path in (tmp_path / "token", tmp_path / "link", tmp_path):
        with pytest.raises(BadCredential):
            token_from_file(path)


def test_a_token_is_read_from_a_named_variable() -> None:
    assert token_from_variable("T", {"T": "abc"}) == "abc"
    with pytest.raises(BadCredential, match="variable T"):
        token_from_variable("T", {})


@pytest.mark.parametrize("token", ["", "a b", "é", "x" * 257, "a\n"])
def test_what_a_request_cannot_carry_is_no_token(token: str) -> None:
    with pytest.raises(BadCredential):
        check_token(token)
