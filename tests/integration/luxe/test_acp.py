"""`luxe acp` driven by the protocol's own client library, as an editor does."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from acp import RequestError, schema, spawn_agent_process, text_block
from acp.client.connection import ClientSideConnection

from tests.support.luxe_program import environment, real_environment
from tests.support.planted_bug import FIXED, fixing, planted_bug
from tests.support.provider_script import Call, calls, says
from tests.support.provider_server import provider_server

WAIT_S = 15.0


@dataclass
class Editor:
    """Chooses the option of this kind, and notes what it is shown."""

    choose: str = "allow_once"
    shown: list[Any] = field(default_factory=list)
    asked: list[tuple[schema.ToolCallUpdate, list[schema.PermissionOption]]] = field(
        default_factory=list
    )
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    forms: bool = False
    content: dict[str, Any] | None = None
    forms_shown: list[tuple[str, Any]] = field(default_factory=list)

    async def create_elicitation(self, message: str, mode: Any, **_more: Any) -> Any:
        self.forms_shown.append((message, mode))
        if self.content is None:
            return schema.DeclineElicitationResponse(action="decline")
        return schema.AcceptElicitationResponse(action="accept", content=self.content)

    async def request_permission(
        self, session_id: str, tool_call: Any, options: list[Any], **_more: Any
    ) -> schema.RequestPermissionResponse:
        self.asked.append((tool_call, options))
        chosen = next(option for option in options if option.kind == self.choose)
        return schema.RequestPermissionResponse(
            outcome=schema.AllowedOutcome(outcome="selected", option_id=chosen.option_id)
        )

    async def session_update(self, session_id: str, update: Any, **_more: Any) -> None:
        self.shown.append(update)
        self.arrived.set()

    def on_connect(self, conn: Any) -> None:
        pass

    def of(self, sort: str) -> list[Any]:
        return [update for update in self.shown if update.session_update == sort]

    def text(self, sort: str) -> str:
        return "".join(update.content.text for update in self.of(sort))

    async def until(self, sort: str) -> None:
        async with asyncio.timeout(WAIT_S):
            while not self.of(sort):
                self.arrived.clear()
                await self.arrived.wait()


@asynccontextmanager
async def agent(
    folder: Path, script: list[Any] | dict[str, str], editor: Editor
) -> AsyncIterator[ClientSideConnection]:
    env = script if isinstance(script, dict) else environment(folder, script)
    program = str(folder / "bin/luxe")
    forms = schema.ElicitationFormCapabilities() if editor.forms else None
    able = schema.ClientCapabilities(elicitation=schema.ElicitationCapabilities(form=forms))
    async with spawn_agent_process(
        editor,  # type: ignore[arg-type]
        program,
        "acp",
        env=env,
        cwd=folder,
        use_unstable_protocol=True,
    ) as (connection, process):
        async with asyncio.timeout(WAIT_S):
            await connection.initialize(protocol_version=1, client_capabilities=able)
            yield connection
    assert process.returncode == 0


async def test_an_editor_runs_a_turn_with_a_permission(tmp_path: Path) -> None:
    editor = Editor()
    script = [[["c1", "bash", {"command": "make test"}]], "All tests pass."]

    async with agent(tmp_path, script, editor) as luxe:
        session = await luxe.new_session(cwd=str(tmp_path), mcp_servers=[])
        answer = await luxe.prompt(session_id=session.session_id, prompt=[text_block("run them")])

    assert answer.stop_reason == "end_turn"
    assert editor.text("agent_message_chunk") == "All tests pass."
    ((call, options),) = editor.asked
    assert call.tool_call_id == "c1"
    assert {option.kind for option in options} == {"allow_once", "allow_always", "reject_once"}
    assert [u.status for u in editor.of("tool_call_update") if u.status] == [
        "in_progress",
        "completed",
    ]
    assert [u.title for u in editor.of("tool_call")] != []


async def test_an_editor_has_a_planted_bug_fixed_and_tested(tmp_path: Path) -> None:
    root = planted_bug(tmp_path)
    editor = Editor()
    async with provider_server(*fixing()) as provider:
        env = real_environment(tmp_path, provider.url)

        async with agent(tmp_path, env, editor) as luxe:
            session = await luxe.new_session(cwd=str(root), mcp_servers=[])
            answer = await luxe.prompt(session_id=session.session_id, prompt=[text_block("Fix it")])

    assert answer.stop_reason == "end_turn"
    assert (root / "stats.py").read_text() == FIXED
    assert [call.tool_call_id for call, _ in editor.asked] == ["c1", "c4", "c5"]
    shown = [c for u in editor.of("tool_call_update") for c in u.content or ()]
    changes = [c for c in shown if c.type == "diff"]
    assert [change.path for change in changes] == ["stats.py"]


async def test_a_rejected_call_does_not_run(tmp_path: Path) -> None:
    editor = Editor(choose="reject_once")
    script = [[["c1", "bash", {"command": "make test"}]], "Then not."]

    async with agent(tmp_path, script, editor) as luxe:
        session = await luxe.new_session(cwd=str(tmp_path), mcp_servers=[])
        answer = await luxe.prompt(session_id=session.session_id, prompt=[text_block("go")])

    assert answer.stop_reason == "end_turn"
    assert [u.status for u in editor.of("tool_call_update") if u.status] == ["failed"]


def asks(**more: Any) -> dict[str, Any]:
    return {"questions": [{"question": "Which one?", **more}]}


OPTIONS = [{"label": "red", "description": "Warm."}, {"label": "blue"}]


@pytest.mark.parametrize(
    ("given", "fields", "content", "result"),
    [
        (asks(), ["answer"], {"answer": "green"}, "green"),
        (asks(options=OPTIONS), ["choice", "answer"], {"choice": "red"}, "red"),
        (asks(options=OPTIONS), ["choice", "answer"], {"choice": "red", "answer": "no"}, "no"),
        (asks(options=OPTIONS, free_text=False), ["choice"], {"choice": "blue"}, "blue"),
        (
            asks(options=OPTIONS, multiple=True),
            ["choice", "answer"],
            {"choice": ["red", "blue"], "answer": "more"},
            "red, blue, more",
        ),
        (asks(), ["answer"], {}, "declined"),
        (asks(), ["answer"], None, "declined"),
    ],
)
async def test_a_question_is_a_form_where_the_editor_has_forms(
    tmp_path: Path,
    given: dict[str, Any],
    fields: list[str],
    content: dict[str, Any] | None,
    result: str,
) -> None:
    (tmp_path / "project").mkdir()
    editor = Editor(forms=True, content=content)
    async with provider_server(calls(Call("question", given, "c1")), says("Good.")) as provider:
        env = real_environment(tmp_path, provider.url)

        async with agent(tmp_path, env, editor) as luxe:
            session = await luxe.new_session(cwd=str(tmp_path / "project"), mcp_servers=[])
            answer = await luxe.prompt(session_id=session.session_id, prompt=[text_block("go")])

        told = json.dumps(provider.asked[-1].json)
    assert answer.stop_reason == "end_turn"
    ((message, mode),) = editor.forms_shown
    assert (message, list(mode.requested_schema.properties)) == ("Which one?", fields)
    assert result in told.partition("tool_result")[2]


async def test_without_forms_options_are_a_choice(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    editor = Editor()
    question = Call("question", asks(options=OPTIONS), "c1")
    async with provider_server(calls(question), says("Good.")) as provider:
        env = real_environment(tmp_path, provider.url)

        async with agent(tmp_path, env, editor) as luxe:
            session = await luxe.new_session(cwd=str(tmp_path / "project"), mcp_servers=[])
            await luxe.prompt(session_id=session.session_id, prompt=[text_block("go")])

        told = json.dumps(provider.asked[-1].json)
    ((call, options),) = editor.asked
    assert (call.tool_call_id, [option.name for option in options]) == (
        "c1",
        ["red", "blue", "Decline"],
    )
    assert "red" in told.partition("tool_result")[2]


async def test_without_forms_the_next_prompt_answers_in_words(tmp_path: Path) -> None:
    editor = Editor()
    script = [[["c1", "question", {"questions": ["Which one?", "Sure?"]}]], "Good."]

    async with agent(tmp_path, script, editor) as luxe:
        session = await luxe.new_session(cwd=str(tmp_path), mcp_servers=[])
        answers = []
        for text in ("go", "the red one", "yes"):
            answer = await luxe.prompt(session_id=session.session_id, prompt=[text_block(text)])
            answers.append((answer.stop_reason, editor.text("agent_message_chunk")))
        shown = [c.content.text for u in editor.of("tool_call_update") for c in u.content or ()]

    assert answers == [
        ("end_turn", "\n\nWhich one?"),
        ("end_turn", "\n\nWhich one?\n\nSure?"),
        ("end_turn", "\n\nWhich one?\n\nSure?Good."),
    ]
    assert shown == ["[('the red one',), ('yes',)]"]


async def test_a_question_in_words_can_be_cancelled_and_the_next_prompt_is_a_turn(
    tmp_path: Path,
) -> None:
    editor = Editor()
    script = [[["c1", "question", {"questions": ["Which one?"]}]], "Hello."]

    async with agent(tmp_path, script, editor) as luxe:
        session = await luxe.new_session(cwd=str(tmp_path), mcp_servers=[])
        await luxe.prompt(session_id=session.session_id, prompt=[text_block("go")])
        await luxe.cancel(session_id=session.session_id)
        answer = await luxe.prompt(session_id=session.session_id, prompt=[text_block("hi")])

    assert answer.stop_reason == "end_turn"
    assert editor.text("agent_message_chunk").endswith("Hello.")


async def test_models_and_levels_can_be_chosen(tmp_path: Path) -> None:
    editor = Editor()

    async with agent(tmp_path, ["Fine."], editor) as luxe:
        session = await luxe.new_session(cwd=str(tmp_path), mcp_servers=[])
        name = session.session_id
        options = {option.id: option for option in session.config_options or ()}
        leveled = await luxe.set_config_option(config_id="thinking", session_id=name, value="high")
        chosen = await luxe.set_config_option(
            config_id="model", session_id=name, value="script/two"
        )
        with pytest.raises(RequestError, match="there is no choice"):
            await luxe.set_config_option(config_id="model", session_id=name, value="script/x")

    def values(response: Any) -> list[tuple[str, str]]:
        return [(option.id, option.current_value) for option in response.config_options]

    assert [option.value for option in options["model"].options] == ["script/one", "script/two"]
    assert values(leveled) == [("model", "script/one"), ("thinking", "high")]
    assert values(chosen) == [("model", "script/two"), ("thinking", "off")]


async def test_cancel_ends_the_prompt_as_cancelled(tmp_path: Path) -> None:
    editor = Editor()

    async with agent(tmp_path, [[["c1", "read", {"path": "a"}]], "hang"], editor) as luxe:
        session = await luxe.new_session(cwd=str(tmp_path), mcp_servers=[])
        loop = asyncio.get_running_loop()
        turn = loop.create_task(
            luxe.prompt(session_id=session.session_id, prompt=[text_block("go")])
        )
        await editor.until("tool_call")
        await luxe.cancel(session_id=session.session_id)
        answer = await turn

    assert answer.stop_reason == "cancelled"


async def test_a_stored_session_is_listed_loaded_and_shown_again(tmp_path: Path) -> None:
    first, second = Editor(), Editor()
    async with agent(tmp_path, ["Hello."], first) as luxe:
        session = await luxe.new_session(cwd=str(tmp_path), mcp_servers=[])
        await luxe.prompt(session_id=session.session_id, prompt=[text_block("hi")])

    async with agent(tmp_path, ["Again."], second) as luxe:
        listed = await luxe.list_sessions(cwd=str(tmp_path))
        await luxe.load_session(cwd=str(tmp_path), session_id=session.session_id, mcp_servers=[])
        shown = (second.text("user_message_chunk"), second.text("agent_message_chunk"))
        await luxe.prompt(session_id=session.session_id, prompt=[text_block("more")])

    assert [(item.session_id, item.title) for item in listed.sessions] == [
        (session.session_id, "hi")
    ]
    assert shown == ("hi", "Hello.")


async def test_wrong_requests_are_errors_and_the_connection_lives_on(tmp_path: Path) -> None:
    editor = Editor()

    async with agent(tmp_path, ["Fine."], editor) as luxe:
        session = await luxe.new_session(cwd=str(tmp_path), mcp_servers=[])
        with pytest.raises(RequestError, match="no session"):
            await luxe.prompt(session_id="nosuch", prompt=[text_block("hi")])
        with pytest.raises(RequestError, match="no absolute folder"):
            await luxe.new_session(cwd="relative", mcp_servers=[])
        with pytest.raises(RequestError, match="no mode"):
            await luxe.set_session_mode(session_id=session.session_id, mode_id="nosuch")
        await luxe.set_session_mode(session_id=session.session_id, mode_id="plan")
        answer = await luxe.prompt(session_id=session.session_id, prompt=[text_block("hi")])

    assert answer.stop_reason == "end_turn"
    assert [update.current_mode_id for update in editor.of("current_mode_update")] == ["plan"]
