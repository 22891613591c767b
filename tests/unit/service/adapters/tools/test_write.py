"""The read, write and edit tools on real files."""

from __future__ import annotations

import base64
import os
from pathlib import Path

import pytest

from luvus_service.adapters.tools.edit import EditTool
from luvus_service.adapters.tools.read import ReadTool
from luvus_service.adapters.tools.write import WriteTool
from luvus_service.luxe.domain.tool_ports import InputRefused
from luvus_service.luxe.domain.values import Image
from tests.support.tool_bench import Said, ToolBench, bench_in

READ, WRITE, EDIT = ReadTool(), WriteTool(), EditTool()
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
)


@pytest.fixture
def bench(tmp_path: Path) -> ToolBench:
    return bench_in(tmp_path)


async def test_a_file_is_read_with_its_line_numbers(bench: ToolBench) -> None:
    (bench.folder / "f.txt").write_text("one\ntwo\nthree\n")

    outcome = await bench.call(READ, file_path="f.txt", offset="2", limit=1)

    assert outcome.output == "     2\ttwo\n[the file goes on: read it with offset 3]"
    assert outcome.truncated


async def test_a_picture_is_shown_and_a_binary_file_refused(bench: ToolBench) -> None:
    (bench.folder / "p.png").write_bytes(PIXEL)
    (bench.folder / "b.bin").write_bytes(b"a\0b")

    picture = await bench.call(READ, path="p.png")
    binary = await bench.call(READ, path="b.bin")

    assert picture.images == (Image(base64.b64encode(PIXEL).decode(), "image/png", "p.png"),)
    assert (binary.status, binary.output) == ("failed", "b.bin is binary (3 bytes)")


async def test_bytes_that_are_no_utf_8_are_shown_with_replacements(bench: ToolBench) -> None:
    (bench.folder / "f").write_bytes(b"caf\xe9\n")

    assert (await bench.call(READ, path="f")).output == "     1\tcaf�"


async def test_a_folder_is_listed_and_an_empty_file_said_to_be_empty(bench: ToolBench) -> None:
    (bench.folder / "d").mkdir()
    (bench.folder / "e").write_text("")

    assert (await bench.call(READ, path=".")).output == "d/\ne"
    assert (await bench.call(READ, path="e")).output == "[the file is empty]"


async def test_reading_after_the_end_says_how_long_the_file_is(bench: ToolBench) -> None:
    (bench.folder / "f").write_text("a\nb\n")

    outcome = await bench.call(READ, path="f", offset=9)

    assert outcome.output == "f has 2 lines; line 9 is after its end"


async def test_a_secret_file_is_denied_to_every_file_tool(bench: ToolBench) -> None:
    (bench.folder / ".env").write_text("K=1")
    (bench.folder / "link").symlink_to(".env")

    for path in (".env", "./x/../.env", "link"):
        assert await bench.verdict(READ, path=path) == "deny"
        assert await bench.verdict(WRITE, path=path, content="x") == "deny"
        assert await bench.verdict(EDIT, path=path, old="K", new="L") == "deny"


async def test_the_preview_of_a_denied_change_shows_nothing_of_the_file(bench: ToolBench) -> None:
    (bench.folder / ".env").write_text("K=secret")

    prepared = await WRITE.prepare({"path": ".env", "content": "x"}, bench)

    assert "secret" not in repr(prepared.preview)


async def test_a_path_outside_is_asked_for(bench: ToolBench) -> None:
    assert await bench.verdict(READ, path="/etc/hostname") == "ask"
    assert await bench.verdict(READ, path="../..") == "ask"


async def test_a_new_file_is_written_with_its_folders(bench: ToolBench) -> None:
    outcome = await bench.call(WRITE, path="a/b.txt", content="one\ntwo\n")

    assert (bench.folder / "a" / "b.txt").read_text() == "one\ntwo\n"
    assert outcome.changed == ("a/b.txt",)
    assert (outcome.additions, outcome.deletions) == (2, 0)


async def test_a_file_that_was_not_read_is_not_overwritten(bench: ToolBench) -> None:
    (bench.folder / "f").write_text("old")

    with pytest.raises(InputRefused, match="exists and was not read in this session"):
        await bench.call(WRITE, path="f", content="new")
    with pytest.raises(InputRefused, match="exists and was not read in this session"):
        await bench.call(EDIT, path="f", old="old", new="new")


async def test_a_file_changed_between_the_prompt_and_the_run_is_not_overwritten(
    bench: ToolBench,
) -> None:
    path = bench.folder / "f"
    path.write_text("old\n")
    await bench.call(READ, path="f")
    prepared = await EDIT.prepare({"path": "f", "old": "old", "new": "new"}, bench)
    path.write_text("theirs\n")

    outcome = await prepared.run(Said())

    assert outcome.status == "failed"
    assert outcome.output == "f has changed since it was read; read it again"
    assert path.read_text() == "theirs\n"


async def test_a_file_changed_since_it_was_read_is_refused(bench: ToolBench) -> None:
    path = bench.folder / "f"
    path.write_text("old\n")
    await bench.call(READ, path="f")
    path.write_text("theirs\n")

    with pytest.raises(InputRefused, match="has changed since it was read"):
        await bench.call(WRITE, path="f", content="new")


async def test_own_writes_count_as_read(bench: ToolBench) -> None:
    await bench.call(WRITE, path="f", content="one\n")
    await bench.call(EDIT, path="f", old="one", new="two")
    outcome = await bench.call(WRITE, path="f", content="three\n")

    assert outcome.status == "completed"
    assert (bench.folder / "f").read_text() == "three\n"


async def test_line_ends_mode_and_byte_order_mark_are_kept(bench: ToolBench) -> None:
    path = bench.folder / "f"
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\nthree\r\n")
    path.chmod(0o755)
    await bench.call(READ, path="f")

    await bench.call(EDIT, path="f", old="one\ntwo", new="1\n2")
    edited = path.read_bytes()
    await bench.call(WRITE, path="f", content="a\nb\n")

    assert edited == b"\xef\xbb\xbf1\r\n2\r\nthree\r\n"
    assert path.read_bytes() == b"\xef\xbb\xbfa\r\nb\r\n"
    assert path.stat().st_mode & 0o777 == 0o755


async def test_a_link_is_written_through_and_stays_a_link(bench: ToolBench) -> None:
    (bench.folder / "real").write_text("old\n")
    (bench.folder / "link").symlink_to("real")
    await bench.call(READ, path="link")

    await bench.call(EDIT, path="link", old="old", new="new")

    assert (bench.folder / "link").is_symlink()
    assert (bench.folder / "real").read_text() == "new\n"


async def test_a_link_out_of_the_project_is_asked_for_as_outside(
    bench: ToolBench, tmp_path: Path
) -> None:
    (bench.folder / "link").symlink_to(tmp_path / "elsewhere")

    prepared = await WRITE.prepare({"path": "link", "content": "x"}, bench)

    assert [getattr(unit, "inside", None) for unit in prepared.preview.units] == [False]


@pytest.mark.parametrize(
    ("edits", "reason"),
    [
        ([{"old": "a", "new": "b"}], "`old` is 3 times in f (lines 1, 2, 3)"),
        ([{"old": "zzz", "new": "b"}], "`old` is not in f"),
        ([{"old": "  two a", "new": "b"}], "line 2 is alike but blanks"),
        ([{"old": "", "new": "b"}], "`old` is empty"),
        ([{"old": "two", "new": "two"}], "`old` and `new` are the same"),
        ([{"old": "one a", "new": "x"}, {"old": "a\ntwo", "new": "y"}], "two edits overlap"),
        ([{"old": "one", "new": "x"}, {"old": "nope", "new": "y"}], "edit 2: `old` is not in f"),
    ],
)
async def test_edits_that_do_not_fit_change_nothing(
    bench: ToolBench, edits: list[dict[str, str]], reason: str
) -> None:
    path = bench.folder / "f"
    path.write_text("one a\ntwo a\nthree a\n")
    await bench.call(READ, path="f")

    with pytest.raises(InputRefused) as refusal:
        await bench.call(EDIT, path="f", edits=edits)

    assert reason in str(refusal.value)
    assert path.read_text() == "one a\ntwo a\nthree a\n"


async def test_several_edits_are_matched_against_the_original(bench: ToolBench) -> None:
    path = bench.folder / "f"
    path.write_text("one\ntwo\n")
    await bench.call(READ, path="f")

    edits = [{"oldText": "one", "newText": "two"}, {"old_string": "two", "new_string": "one"}]
    outcome = await bench.call(EDIT, filePath="f", edits=edits)

    assert path.read_text() == "two\none\n"
    assert outcome.diff is not None
    assert outcome.diff.startswith("--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n")


async def test_all_occurrences_are_replaced_when_asked_for(bench: ToolBench) -> None:
    path = bench.folder / "f"
    path.write_text("aa a\n")
    await bench.call(READ, path="f")

    await bench.call(EDIT, path="f", old_string="a", new_string="b", replace_all=True)

    assert path.read_text() == "bb b\n"


async def test_a_file_that_is_no_utf_8_is_not_edited(bench: ToolBench) -> None:
    (bench.folder / "f").write_bytes(b"caf\xe9\n")
    await bench.call(READ, path="f")

    with pytest.raises(InputRefused, match="is not UTF-8 at byte 3"):
        await bench.call(EDIT, path="f", old="caf", new="tea")


async def test_arguments_that_do_not_fit_are_refused_in_a_sentence(bench: ToolBench) -> None:
    os.mkfifo(bench.folder / "pipe")
    for given, reason in (
        ({}, "`path` is missing"),
        ({"path": 3}, "`path` must be a string, not 3"),
        ({"path": "a\0b"}, "`path` is no path"),
        ({"path": "f", "offset": "x"}, "`offset` must be a whole number"),
        ({"path": "nowhere"}, "there is no file nowhere"),
        ({"path": "\ud800"}, "half a character"),
    ):
        with pytest.raises(InputRefused, match=reason):
            await READ.prepare(given, bench)
    assert (await bench.call(READ, path="pipe")).output == "pipe is no regular file"
