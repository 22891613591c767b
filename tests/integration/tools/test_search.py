"""Searching and listing in a real repository, with a search that can be ended."""

from __future__ import annotations

import asyncio
import os
import subprocess
from pathlib import Path

import pytest

from luvus_service.adapters.tools import grep as grep_module
from luvus_service.adapters.tools.glob import GlobTool
from luvus_service.adapters.tools.grep import GrepTool
from luvus_service.adapters.tools.ls import ListTool
from luvus_service.luxe.domain.permissions import Rule
from luvus_service.luxe.domain.tool_ports import InputRefused
from tests.support.tool_bench import Said, ToolBench, bench_in

GREP, GLOB, LIST = GrepTool(), GlobTool(), ListTool()


@pytest.fixture(params=["git", "plain"])
def bench(request: pytest.FixtureRequest, short_tmp: Path) -> ToolBench:
    """A project with ignored, secret, binary and linked files, inside git and outside."""
    bench = bench_in(short_tmp)
    folder = bench.folder
    for name in ("src/deep", "build", "empty"):
        (folder / name).mkdir(parents=True)
    (folder / ".gitignore").write_text("build/\n*.log\n!keep.log\n")
    (folder / "src" / "a.py").write_text("import os\nTOKEN = 1\nprint(os)\n")
    (folder / "src" / "deep" / "b.ts").write_text("const token = 2\n")
    (folder / "build" / "out.py").write_text("TOKEN\n")
    (folder / "x.log").write_text("TOKEN\n")
    (folder / "keep.log").write_text("TOKEN kept\n")
    (folder / ".env").write_text("TOKEN=secret\n")
    (folder / "b.bin").write_bytes(b"\0TOKEN")
    (folder / "link.py").symlink_to("src/a.py")
    os.mkfifo(folder / "pipe.py")
    for age, name in enumerate(("src/a.py", "src/deep/b.ts", "keep.log", ".env")):
        os.utime(folder / name, (1_000_000 - age, 1_000_000 - age))
    if request.param == "git":
        subprocess.run(["git", "init", "-q", str(folder)], check=True)
    return bench


async def test_matches_come_with_file_and_line_and_secrets_are_left_out(bench: ToolBench) -> None:
    outcome = await bench.call(GREP, pattern="TOKEN")

    assert sorted(outcome.output.split("\n")) == [
        "[1 files with matches may not be read and are left out]",
        "keep.log:1: TOKEN kept",
        "src/a.py:2: TOKEN = 1",
    ]


async def test_denied_paths_are_left_out_of_every_search(bench: ToolBench) -> None:
    bench.rules = (Rule("deny", "read", "src/**"),)

    assert "src" not in (await bench.call(GREP, pattern="TOKEN", ignore_case=True)).output
    assert "src" not in (await bench.call(GLOB, pattern="**/*.py")).output


async def test_a_file_that_must_be_asked_for_is_left_out_of_a_search_that_was_not(
    bench: ToolBench,
) -> None:
    bench.rules = (Rule("ask", "read", "keep.log"),)

    assert "keep.log" not in (await bench.call(GREP, pattern="TOKEN")).output
    assert (await bench.call(GREP, pattern="TOKEN", path="keep.log")).output == (
        "keep.log:1: TOKEN kept"
    )


async def test_consent_to_search_a_folder_covers_what_asks_in_it_and_no_deny(
    bench: ToolBench,
) -> None:
    other = bench.folder.parent / "other"
    other.mkdir()
    for name in ("one.txt", "two.txt", ".env"):
        (other / name).write_text("TOKEN\n")
    bench.rules = (Rule("deny", "external_directory", f"{other.resolve()}/two.txt"),)

    assert await bench.verdict(GREP, pattern="TOKEN", path=str(other)) == "ask"
    found = (await bench.call(GREP, pattern="TOKEN", path=str(other))).output
    assert found.split("\n") == [
        f"{other.resolve()}/one.txt:1: TOKEN",
        "[2 files with matches may not be read and are left out]",
    ]
    names = (await bench.call(GLOB, pattern="*.txt", path=str(other))).output
    assert names == f"{other.resolve()}/one.txt"


async def test_context_case_globs_and_modes(bench: ToolBench) -> None:
    context = await bench.call(GREP, pattern="token", ignore_case=True, context=1, glob="*.py")
    names = await bench.call(GREP, pattern="TOKEN", mode="files", path="src")
    counts = await bench.call(GREP, pattern="o", mode="count", path="src/a.py")
    literal = await bench.call(GREP, pattern="print(os)", literal=True)

    assert context.output == "src/a.py-1- import os\nsrc/a.py:2: TOKEN = 1\nsrc/a.py-3- print(os)"
    assert names.output == "src/a.py"
    assert counts.output == "src/a.py:2"
    assert literal.output == "src/a.py:3: print(os)"


async def test_a_search_without_matches_says_so(bench: ToolBench) -> None:
    assert (await bench.call(GREP, pattern="nowhere to be found")).output == "[no match]"


async def test_results_are_bounded(bench: ToolBench) -> None:
    (bench.folder / "many.txt").write_text("needle in a stack\n" * 5_000)
    (bench.folder / "long.txt").write_text("needle " + "x" * 100_000 + "\n")

    outcome = await bench.call(GREP, pattern="needle", limit=1_000)
    long = await bench.call(GREP, pattern="needle", path="long.txt")

    assert outcome.truncated
    assert len(outcome.output.encode()) < 51_200
    assert len(long.output) < 600


async def test_a_pattern_that_never_comes_to_an_end_is_ended(
    bench: ToolBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grep_module, "SEARCH_S", 0.5)
    (bench.folder / "slow.txt").write_text("a" * 40 + "b\n")

    outcome = await bench.call(GREP, pattern="(a+)+$", path="slow.txt")

    assert outcome.status == "timed_out"


async def test_a_cancelled_search_leaves_no_process(bench: ToolBench) -> None:
    (bench.folder / "slow.txt").write_text("a" * 40 + "b\n")
    prepared = await GREP.prepare({"pattern": "(a+)+$", "path": "slow.txt"}, bench)
    call = asyncio.get_running_loop().create_task(prepared.run(Said()))
    await asyncio.wait({call}, timeout=0.3)

    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call


async def test_patterns_that_are_none_are_refused(bench: ToolBench) -> None:
    with pytest.raises(InputRefused, match="no regular expression"):
        await GREP.prepare({"pattern": "("}, bench)
    with pytest.raises(InputRefused, match="there is no file or folder nowhere"):
        await GREP.prepare({"pattern": "x", "path": "nowhere"}, bench)


async def test_a_secret_file_searched_by_name_is_denied(bench: ToolBench) -> None:
    assert await bench.verdict(GREP, pattern="x", path=".env") == "deny"


async def test_files_are_found_newest_first(bench: ToolBench) -> None:
    outcome = await bench.call(GLOB, pattern="{src/**/*.{py,ts},*.log,.env}")

    assert outcome.output == "src/a.py\nsrc/deep/b.ts\nkeep.log\n.env"


async def test_a_glob_of_too_many_files_is_cut(bench: ToolBench) -> None:
    outcome = await bench.call(GLOB, pattern="**/*", limit=2)

    assert outcome.truncated
    assert outcome.output.endswith("[there are more than 2: narrow the pattern]")


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [("src/*.py", 1), ("*.ts", 1), ("**/deep/**", 1), ("src/**", 2), ("./src/a.py", 1), ("z*", 0)],
)
async def test_globs_mean_what_they_say(bench: ToolBench, pattern: str, expected: int) -> None:
    lines = (await bench.call(GLOB, pattern=pattern)).output.split("\n")

    assert (0 if lines == ["[no file matches]"] else len(lines)) == expected


async def test_a_folder_is_listed_some_levels_deep(bench: ToolBench) -> None:
    deep = await bench.call(LIST, path="src", depth=3)

    assert deep.output == "deep/\ndeep/b.ts\na.py"


async def test_ignored_files_are_listed_on_demand(bench: ToolBench) -> None:
    plain = (await bench.call(LIST, depth=2)).output.split("\n")
    whole = (await bench.call(LIST, depth=2, ignored=True)).output.split("\n")

    assert "build/out.py" in whole
    if (bench.folder / ".git").exists():
        assert not {"build/", "build/out.py", "x.log"} & set(plain)
        assert "keep.log" in plain


async def test_a_big_folder_is_cut(bench: ToolBench) -> None:
    for number in range(600):
        (bench.folder / "empty" / f"f{number}").touch()

    outcome = await bench.call(LIST, path="empty")

    assert outcome.truncated
    assert len(outcome.output.split("\n")) == 501
