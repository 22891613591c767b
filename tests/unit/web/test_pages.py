"""The built files: what is sent, kept and refused."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from luvus_web.pages import FILE_BYTES, FILES, Pages
from tests.support.asked import Exchange, request

SCRIPT = b"console.log(1);" * 100


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of pages with one of each kind."""
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets/app-1a2b.js").write_bytes(SCRIPT)
    (tmp_path / "assets/font-3c.woff2").write_bytes(b"w" * 2000)
    (tmp_path / "index.html").write_bytes(b"<p>short</p>")
    (tmp_path / ".built-from").write_bytes(b"x")
    return tmp_path


async def show(pages: Pages, name: str, method: str = "GET", **headers: str) -> Exchange:
    """Ask for a file."""
    given = {key.replace("_", "-"): value for key, value in headers.items()}
    exchange = request(method, f"/{name}", given)

    async def app(scope: object, receive: object, send: object) -> None:
        await pages.show(name, exchange.scope, exchange.given.get, send)  # type: ignore[arg-type]

    await exchange.run(app)
    return exchange


async def test_a_script_is_packed_named_as_one_and_kept_for_ever(folder: Path) -> None:
    shown = await show(Pages(folder), "assets/app-1a2b.js", accept_encoding="br, gzip")

    assert shown.status == 200
    assert gzip.decompress(shown.body) == SCRIPT
    assert shown.headers["content-type"] == "text/javascript; charset=utf-8"
    assert shown.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert shown.headers["vary"] == "accept-encoding"


async def test_a_page_is_asked_for_again_and_answered_shortly_when_nothing_changed(
    folder: Path,
) -> None:
    pages = Pages(folder)
    first = await show(pages, "index.html")

    again = await show(pages, "index.html", if_none_match=first.headers["etag"])

    assert (first.status, first.body) == (200, b"<p>short</p>")
    assert first.headers["cache-control"] == "no-cache"
    assert (again.status, again.body) == (304, b"")


async def test_whoever_cannot_unpack_gets_the_file_itself(folder: Path) -> None:
    shown = await show(Pages(folder), "assets/app-1a2b.js")

    assert shown.body == SCRIPT
    assert "content-encoding" not in shown.headers


async def test_a_head_is_answered_without_the_file(folder: Path) -> None:
    shown = await show(Pages(folder), "assets/font-3c.woff2", "HEAD")

    assert (shown.status, shown.body) == (200, b"")
    assert shown.headers["content-type"] == "font/woff2"


@pytest.mark.parametrize("name", ["", "../app.py", ".built-from", "assets", "assets/", "nothing"])
async def test_what_is_not_among_the_files_does_not_exist(folder: Path, name: str) -> None:
    pages = Pages(folder)

    assert name not in pages
    assert (await show(pages, name)).status == 404


def test_files_beyond_the_limits_are_left_out(folder: Path) -> None:
    for number in range(FILES):
        (folder / f"a{number:03}.html").write_bytes(b"x")
    (folder / "a000.html").write_bytes(b"x" * (FILE_BYTES + 1))

    pages = Pages(folder)

    assert "a000.html" not in pages
    assert "a001.html" in pages
    assert "index.html" not in pages


def test_a_folder_that_is_not_there_has_no_files(tmp_path: Path) -> None:
    assert "index.html" not in Pages(tmp_path / "nothing")
