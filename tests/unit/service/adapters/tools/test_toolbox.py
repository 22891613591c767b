"""The small tools, and the box that holds all of them."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from luvus_service.adapters.shell_units import BashParser
from luvus_service.adapters.tools.environment import child_environment
from luvus_service.adapters.tools.plan import PlanTool
from luvus_service.adapters.tools.question import DECLINED, QuestionTool
from luvus_service.adapters.tools.skills import SkillTool, find_skills, front_matter
from luvus_service.adapters.tools.subagent import TaskTool
from luvus_service.adapters.tools.todo import TodoTool
from luvus_service.adapters.tools.toolbox import LocalToolbox, ToolChoices
from luvus_service.luxe.domain.permission_units import NamedUnit
from luvus_service.luxe.domain.tool_ports import InputRefused, Tool
from luvus_service.luxe.domain.values import Question, Todo
from tests.support.tool_bench import ToolBench, bench_in


@pytest.fixture
def bench(tmp_path: Path) -> ToolBench:
    return bench_in(tmp_path)


async def test_the_box_offers_every_tool_with_a_schema_that_models_accept() -> None:
    box = LocalToolbox(BashParser(), ToolChoices("/"))
    tools: dict[str, Tool] = {tool.name: tool for tool in box.tools()}
    await box.close()

    assert list(tools) == [
        *("read", "write", "edit", "bash", "bash_output", "bash_kill", "grep", "glob", "list"),
        *("todo", "question", "plan_write", "task"),
    ]
    assert all(tool.parameters["type"] == "object" for tool in tools.values())
    assert {name for name, tool in tools.items() if "plan" not in tool.modes} == {"write", "edit"}
    assert {name for name, tool in tools.items() if "build" not in tool.modes} == {"plan_write"}
    assert {name for name, tool in tools.items() if tool.reads_only} == {
        *("read", "bash_output", "grep", "glob", "list"),
    }


async def test_web_pages_are_off_unless_configured() -> None:
    box = LocalToolbox(BashParser(), ToolChoices("/", web_fetch=True))

    assert "web_fetch" in {tool.name for tool in box.tools()}


async def test_the_list_of_todos_is_replaced_as_a_whole(bench: ToolBench) -> None:
    given = [{"content": "one", "status": "completed"}, {"content": "two", "status": "in_progress"}]

    outcome = await bench.call(TodoTool(), todos=given)

    assert bench.list_of_todos == [Todo("1", "one", "completed"), Todo("2", "two", "in_progress")]
    assert outcome.output == "[x] one\n[~] two"


@pytest.mark.parametrize(
    ("todos", "reason"),
    [
        ([{"content": str(n), "status": "in_progress"} for n in range(2)], "more than one entry"),
        ([{"content": str(n), "status": "pending"} for n in range(51)], "at most 50"),
        ([{"content": "", "status": "pending"}], "`content` must have 1 to 500"),
        ([{"content": "x", "status": "done"}], "`status` must be one of"),
        ([{"id": "a", "content": "x"}, {"id": "a", "content": "y"}], "the same id"),
        ("x", "`todos` must be a list"),
    ],
)
async def test_a_list_of_todos_that_does_not_fit_is_refused(
    bench: ToolBench, todos: object, reason: str
) -> None:
    with pytest.raises(InputRefused, match=reason):
        await TodoTool().prepare({"todos": todos}, bench)


async def test_answers_stand_by_their_questions(bench: ToolBench) -> None:
    bench.answers = [("red", "blue")]
    options = [{"label": "red"}, {"label": "blue", "description": "as the sky"}]
    question = {"question": "Which?", "options": options, "multiple": True, "free_text": False}

    outcome = await bench.call(QuestionTool(), questions=[question])

    asked = Question("Which?", "", (("red", ""), ("blue", "as the sky")), True, False)
    assert bench.asked == [asked]
    assert outcome.output == "Which?\nred, blue"


async def test_a_declined_question_is_no_consent(bench: ToolBench) -> None:
    assert (
        await bench.call(QuestionTool(), questions=[{"question": "Ship it?"}])
    ).output == DECLINED


async def test_the_plan_is_one_file_that_is_replaced(bench: ToolBench) -> None:
    first = await bench.call(PlanTool(), title="A  Grand Plán!", content="# one\n")
    second = await bench.call(PlanTool(), title="Another title", content="# two\n")

    (path, title, size, replaced), again = bench.plans
    assert path.startswith(".luxe/plans/")
    assert path.endswith("-a-grand-pla-n.md")
    assert (title, size, replaced) == ("A Grand Plán!", 6, False)
    assert again == (path, "Another title", 6, True)
    assert (bench.folder / path).read_text() == "# two\n"
    assert first.changed == second.changed == (path,)


async def test_plans_are_where_the_user_wants_them(bench: ToolBench) -> None:
    tool = PlanTool("docs/plans")

    await bench.call(tool, title="Plan", content="# one\n")
    await bench.call(tool, title="Plan", content="# two\n")

    (path, _, _, _), again = bench.plans
    assert path.startswith("docs/plans/")
    assert (again[0], again[3]) == (path, True)


async def test_a_read_only_session_keeps_its_plan_out_of_the_project(bench: ToolBench) -> None:
    bench.read_only = True

    first = await bench.call(PlanTool(), title="Plan", content="# one\n")
    await bench.call(PlanTool(), title="Plan", content="# two\n")

    (path, _, _, replaced), again = bench.plans
    assert (replaced, again[0], again[3]) == (False, path, True)
    assert Path(path) == bench.spill.resolve() / "plan.md"
    assert Path(path).read_text() == "# two\n"
    assert first.changed == ()
    assert list(bench.folder.iterdir()) == []


async def test_a_plan_that_cannot_be_written_leaves_the_earlier_one(
    bench: ToolBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.read_only = True
    await bench.call(PlanTool(), title="Plan", content="# one\n")

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    failed = await bench.call(PlanTool(), title="Plan", content="# two\n")

    assert failed.output == (
        "the plan cannot be written: plan.md cannot be written: No space left on device"
    )
    assert (bench.spill / "plan.md").read_text() == "# one\n"


async def test_a_plan_never_leaves_the_project_through_a_link(
    bench: ToolBench, tmp_path: Path
) -> None:
    (tmp_path / "outside").mkdir()
    (bench.folder / ".luxe").symlink_to(tmp_path / "outside")

    outcome = await bench.call(PlanTool(), title="x", content="y")

    assert outcome.status == "failed"
    assert list((tmp_path / "outside").rglob("*.md")) == []


async def test_a_task_is_judged_by_its_kind_and_its_refusal_is_told(bench: ToolBench) -> None:
    prepared = await TaskTool().prepare(
        {"description": "look", "prompt": "Find it", "kind": "explore"}, bench
    )
    outcome = await bench.call(TaskTool(), description="look", prompt="Find it", kind="explore")
    bench.refuse_delegation = "a sub-agent cannot start another one"
    refused = await bench.call(TaskTool(), description="look", prompt="Find it")

    assert prepared.preview.units == (NamedUnit("task", "explore", reads_only=True),)
    assert bench.delegated == [("Find it", "explore", "look")]
    assert outcome.output == "report on Find it"
    assert (refused.status, refused.output) == ("failed", "a sub-agent cannot start another one")


async def test_skills_are_found_and_loaded_by_name(bench: ToolBench, tmp_path: Path) -> None:
    for name, head in (("one", "name: pdf\ndescription: >\n  Reads\n  PDFs"), ("two", "x: y")):
        (tmp_path / "skills" / name).mkdir(parents=True)
        (tmp_path / "skills" / name / "SKILL.md").write_text(f"---\n{head}\n---\nDo it well.\n")
    (tmp_path / "skills" / "bad").mkdir()
    (tmp_path / "skills" / "bad" / "SKILL.md").write_bytes(b"\xff\xfe")

    skills = find_skills([str(tmp_path / "skills"), str(tmp_path / "nowhere")])
    tool = SkillTool(skills)
    outcome = await bench.call(tool, name="pdf")

    assert [(skill.name, skill.description) for skill in skills] == [
        ("pdf", "Reads PDFs"),
        ("two", ""),
    ]
    assert "- pdf: Reads PDFs" in tool.description
    assert outcome.output.endswith("Do it well.\n")
    with pytest.raises(InputRefused, match=r"there is no skill '\.\./one'; there are: pdf, two"):
        await tool.prepare({"name": "../one"}, bench)


def test_front_matter_without_an_end_counts_for_nothing() -> None:
    assert front_matter("---\nname: x\n") == {}
    assert front_matter("name: x\n") == {}
    assert front_matter('---\nname: "x: y"\n---\n') == {"name": "x: y"}


def test_children_get_no_keys_and_no_hooks() -> None:
    env = {
        **{"PATH": "/bin", "ANTHROPIC_API_KEY": "1", "OPENAI_API_KEY": "2", "MY_KEY": "3"},
        **{"GEMINI_API_KEY": "4", "BASH_ENV": "x", "BASH_FUNC_ls%%": "() { :; }", "GH_TOKEN": "5"},
        **{"ANTHROPIC_AUTH_TOKEN": "6", "PAGER": "less"},
    }

    kept = child_environment(env, secrets=("MY_KEY",))

    assert {name for name in env if name in kept} == {"PATH", "GH_TOKEN", "PAGER"}
    assert kept["PAGER"] == "cat"
    assert (kept["GIT_TERMINAL_PROMPT"], kept["GIT_EDITOR"]) == ("0", "true")


def test_nothing_of_the_environment_is_read_here() -> None:
    assert child_environment({}).get("HOME") is None
    assert os.environ.get("HOME") is not None
