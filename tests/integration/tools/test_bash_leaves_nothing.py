"""The bash tool with real processes: whatever a command does, nothing of it stays."""

from __future__ import annotations

import asyncio
import os
import stat
from pathlib import Path

import psutil
import pytest

from luvus_service.adapters.shell_units import BashParser
from luvus_service.adapters.tools.bash import BashTool
from luvus_service.adapters.tools.jobs import JobKillTool, JobOutputTool, Jobs
from luvus_service.luxe.domain.limits import BACKGROUND_JOBS
from luvus_service.luxe.domain.tool_ports import InputRefused
from tests.support.tool_bench import Said, ToolBench, bench_in


@pytest.fixture
def bench(short_tmp: Path) -> ToolBench:
    return bench_in(short_tmp)


@pytest.fixture
def bash() -> BashTool:
    return BashTool(BashParser(), Jobs())


def running(sign: str) -> list[int]:
    """Return the processes with a word in their arguments, found in /proc."""
    found: list[int] = []
    for process in psutil.process_iter():
        try:
            if sign in process.cmdline() and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process.pid)
        except psutil.Error:
            continue
    return found


async def test_both_outputs_and_the_exit_code_come_back(bench: ToolBench, bash: BashTool) -> None:
    outcome = await bench.call(bash, command="echo out; echo err >&2; exit 3")

    assert outcome.output == "out\nerr\n[exit code 3]"
    assert (outcome.status, outcome.exit_code) == ("failed", 3)


async def test_the_command_runs_in_the_project_without_input_and_without_keys(
    short_tmp: Path, bash: BashTool
) -> None:
    env = {"PATH": os.environ["PATH"], "ANTHROPIC_API_KEY": "sk-1", "OPENAI_API_KEY": "sk-2"}
    bench = bench_in(short_tmp, environment={**env, "KEPT": "yes", "BASH_ENV": "/tmp/x"})

    outcome = await bench.call(bash, command="pwd; cat; env | grep -c API_KEY; echo $KEPT$BASH_ENV")

    assert outcome.output == f"{bench.folder}\n0\nyes\n"


@pytest.mark.parametrize(
    "command",
    [
        "sleep 7771 & echo left",
        "nohup sleep 7771 >/dev/null 2>&1 & echo left",
        "setsid sleep 7771 & echo left",
        "(setsid sleep 7771 >/dev/null 2>&1 &) ; echo left",
        "env -i setsid sleep 7771 & echo left",
        "trap '' TERM; (trap '' TERM; exec sleep 7771) & echo left",
    ],
)
async def test_a_process_left_in_the_background_is_ended(
    bench: ToolBench, bash: BashTool, command: str
) -> None:
    outcome = await bench.call(bash, command=command)

    assert outcome.output.startswith("left\n")
    assert "ended]" in outcome.output
    assert running("7771") == []


async def test_a_command_that_never_ends_is_ended_at_its_time_limit(
    bench: ToolBench, bash: BashTool
) -> None:
    outcome = await bench.call(bash, command="sleep 7772 | sleep 7772", timeout=1)

    assert (outcome.status, outcome.exit_code) == ("timed_out", None)
    assert outcome.output == "[ended after 1 s; give a longer `timeout` or use `background`]"
    assert running("7772") == []


async def test_a_command_that_ignores_the_term_signal_is_killed_within_the_bound(
    bench: ToolBench, bash: BashTool
) -> None:
    command = "trap '' TERM; echo ready; while true; do sleep 7773; done"
    said = Said()
    prepared = await bash.prepare({"command": command}, bench)
    loop = asyncio.get_running_loop()
    call = loop.create_task(prepared.run(said))
    await said.saw("ready")

    before = loop.time()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call

    assert loop.time() - before < 5
    assert running("7773") == []


async def test_a_cancelled_command_ends_with_all_its_descendants(
    bench: ToolBench, bash: BashTool
) -> None:
    command = "(setsid sleep 7774 &); sleep 7774 & bash -c 'echo ready; sleep 7774; true'"
    said = Said()
    prepared = await bash.prepare({"command": command}, bench)
    loop = asyncio.get_running_loop()
    call = loop.create_task(prepared.run(said))
    await said.saw("ready")

    before = loop.time()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call

    assert loop.time() - before < 1
    assert running("7774") == []


async def test_a_call_cancelled_twice_still_leaves_nothing(
    bench: ToolBench, bash: BashTool
) -> None:
    said = Said()
    command = "trap '' TERM; echo ready; while true; do sleep 7775; done"
    prepared = await bash.prepare({"command": command}, bench)
    call = asyncio.get_running_loop().create_task(prepared.run(said))
    await said.saw("ready")

    call.cancel()
    await asyncio.wait({call}, timeout=0.2)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call

    assert running("7775") == []


async def test_a_command_cancelled_while_it_starts_leaves_nothing(
    bench: ToolBench, bash: BashTool
) -> None:
    loop = asyncio.get_running_loop()
    prepared = await bash.prepare({"command": "sleep 7779 & sleep 7779"}, bench)
    for number in range(60):
        call = loop.create_task(prepared.run(Said()))
        # A moment that differs each time: the start takes some milliseconds.
        await asyncio.wait({call}, timeout=number * 0.0002)
        call.cancel()
        await asyncio.wait({call})

    assert running("7779") == []


async def test_a_stopped_process_is_ended_too(bench: ToolBench, bash: BashTool) -> None:
    outcome = await bench.call(bash, command="sleep 7776 & kill -STOP $!; echo left")

    assert outcome.output.startswith("left\n")
    assert running("7776") == []


async def test_ten_megabytes_are_kept_in_a_private_file_and_their_end_is_returned(
    bench: ToolBench, bash: BashTool
) -> None:
    said = Said()

    outcome = await bench.call(bash, said, command="seq 1 1450000; echo the end")

    assert outcome.truncated
    assert outcome.output.endswith("\n1450000\nthe end\n")
    assert len(outcome.output.encode()) <= 50 * 1024
    assert outcome.output_path is not None
    kept = Path(outcome.output_path)
    assert kept.stat().st_size > 10_000_000
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert kept.is_relative_to(bench.spill)
    assert "".join(said.texts).endswith("the end\n")


async def test_a_command_that_floods_is_ended_and_the_loop_stays_free(
    bench: ToolBench, bash: BashTool
) -> None:
    loop = asyncio.get_running_loop()
    worst = 0.0
    over = asyncio.Event()

    async def watch() -> None:
        nonlocal worst
        while not over.is_set():
            before = loop.time()
            await asyncio.sleep(0.005)
            worst = max(worst, loop.time() - before)

    watching = loop.create_task(watch())
    outcome = await bench.call(bash, command="yes 7777")
    over.set()
    await watching

    assert (outcome.status, outcome.truncated) == ("failed", True)
    assert "[ended: it printed more than can be kept]" in outcome.output
    assert worst < 0.5
    assert running("7777") == []


async def test_output_is_reported_while_the_command_runs(bench: ToolBench, bash: BashTool) -> None:
    said = Said()
    fifo = bench.folder / "go"
    os.mkfifo(fifo)
    prepared = await bash.prepare({"command": "echo first; read x < go; echo $x"}, bench)
    call = asyncio.get_running_loop().create_task(prepared.run(said))

    await said.saw("first")
    fifo.write_text("second\n")

    assert (await call).output == "first\nsecond\n"


async def test_half_a_character_at_the_end_of_a_read_is_no_fault(
    bench: ToolBench, bash: BashTool
) -> None:
    outcome = await bench.call(bash, command=r"printf '\xc3'; printf '\xa9 \xff\n'")

    assert outcome.output == "é �\n"


async def test_a_background_job_is_read_and_ended(bench: ToolBench) -> None:
    jobs = Jobs()
    bash, reading, ending = BashTool(BashParser(), jobs), JobOutputTool(jobs), JobKillTool(jobs)

    started = await bench.call(bash, command="echo up; sleep 7778", background=True)
    output = (await bench.call(reading, id="job_1", wait=10)).output
    ended = await bench.call(ending, id="job_1")

    assert "job_1" in started.output
    assert output == "up\n[job_1 is running]"
    assert ended.output == "[job_1 was ended]"
    assert running("7778") == []


async def test_background_jobs_are_limited_and_end_with_the_session(bench: ToolBench) -> None:
    jobs = Jobs()
    bash = BashTool(BashParser(), jobs)
    for _ in range(BACKGROUND_JOBS):
        assert (await bench.call(bash, command="sleep 7779", background=True)).status == "completed"

    ninth = await bench.call(bash, command="sleep 7779", background=True)
    await jobs.close()

    assert ninth.status == "failed"
    assert ninth.output == "8 background jobs are running: end one with bash_kill"
    assert running("7779") == []


async def test_a_folder_outside_the_project_is_asked_for(bench: ToolBench, bash: BashTool) -> None:
    assert await bench.verdict(bash, command="ls", cwd="/etc") == "ask"
    assert await bench.verdict(bash, command="ls") == "allow"


async def test_a_folder_that_is_not_there_is_refused(bench: ToolBench, bash: BashTool) -> None:
    with pytest.raises(InputRefused, match="there is no folder nowhere"):
        await bash.prepare({"command": "ls", "cwd": "nowhere"}, bench)


async def test_a_long_text_that_cannot_be_split_is_refused(
    bench: ToolBench, bash: BashTool
) -> None:
    with pytest.raises(InputRefused, match="too long to be judged"):
        await bash.prepare({"command": "python3 <<E\n" + "x " * 10_100 + "\nE"}, bench)
