"""An agent session in the page: started, read as it streams, answered, steered, stopped."""

from __future__ import annotations

import base64
import json
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.browser.conftest import free_port, log_in
from tests.support.live import REPOSITORY, LiveServer
from tests.support.planted_bug import FIXED, fixing, planted_bug
from tests.support.provider_script import Call, Pause, Reply, Say, Think, calls, says
from tests.support.provider_server import ProviderServer
from tests.support.provider_thread import provider_thread

AXE = REPOSITORY / "web/node_modules/axe-core/axe.min.js"
KEY = "sk-browser-key-0123456789abcdef"
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
GAPS = """() => {
    window.gaps = [];
    let last = performance.now();
    const tick = (now) => { window.gaps.push(now - last); last = now; requestAnimationFrame(tick); };
    requestAnimationFrame(tick);
}"""
"""Notes the time between two frames of the page."""
QUESTION = {
    "questions": [
        {
            "question": "Which database?",
            "header": "db",
            "options": [{"label": "postgres"}, {"label": "sqlite", "description": "one file"}],
        },
        {
            "question": "Which of these?",
            "header": "parts",
            "options": [{"label": "api"}, {"label": "web"}, {"label": "docs"}],
            "multiple": True,
        },
        {"question": "What is it called?", "header": "name", "options": []},
    ]
}


@pytest.fixture
def provider() -> Iterator[ProviderServer]:
    with provider_thread() as server:
        yield server


@pytest.fixture
def live(provider: ProviderServer) -> Iterator[LiveServer]:
    """A running server whose agents call the scripted provider."""
    home = Path(tempfile.mkdtemp(prefix="lx-", dir="/tmp")).resolve()
    folder = home / "project"
    folder.mkdir()
    server = LiveServer(home, folder=folder)
    server.extra = {
        "LUXE_HOME": str(home / "luxe"),
        "ANTHROPIC_API_KEY": KEY,
        "ANTHROPIC_BASE_URL": provider.url,
    }
    server.start()
    server.wait_text("1", "$")
    server.call("web.start", {"port": free_port()})
    yield server
    server.stop()
    shutil.rmtree(home, ignore_errors=True)


def answer(live: LiveServer, session: str, reply: Mapping[str, Any]) -> None:
    """Answer a prompt as another client would."""
    transport = httpx.HTTPTransport(uds=str(live.http))
    with httpx.Client(transport=transport, base_url="http://luvus") as http:
        path = f"/luxe/v2/sessions/{session}/respond_permission"
        assert http.post(path, json=dict(reply)).status_code == 200


def violations(page: Page) -> list[str]:
    """Return what axe complains about, one line each."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("async () => (await axe.run()).violations")
    return [f"{one['id']}: {node['html'][:120]}" for one in found for node in one["nodes"]]


def start(page: Page, text: str = "") -> str:
    """Start a session from the keyboard and return its id."""
    page.keyboard.press("l")
    field = page.get_by_role("textbox", name="First message")
    expect(field).to_be_focused()
    field.fill(text)
    field.press("Enter")
    page.wait_for_selector(".talk .composer textarea")
    return page.url.rpartition("/")[2]


def send(page: Page, text: str) -> None:
    field = page.locator(".composer textarea")
    field.fill(text)
    field.press("Enter")


def overview(page: Page) -> None:
    """Go to the overview, with no field and no link in focus."""
    page.get_by_role("link", name="Overview").click()
    page.wait_for_selector(".agents tbody tr")
    page.evaluate("document.activeElement.blur()")


def transcript(page: Page) -> Locator:
    return page.locator(".talk .messages")


def test_a_session_is_started_from_the_keyboard_and_read_as_it_streams(
    page: Page, live: LiveServer, provider: ProviderServer
) -> None:
    answer = "# It *is*\n\n- one\n- `two`\n\n```python\nprint('<b>')\n```\n\n<img src=x onerror=alert(1)>\n"
    provider.replies.append(Reply((Think("Let me see."), Say("Begun. "), Pause(0.5), Say(answer))))

    start(page, "what is this?")

    expect(transcript(page).locator(".user")).to_contain_text("what is this?")
    expect(transcript(page).locator(".live")).to_contain_text("Begun.")
    final = transcript(page).locator(".assistant:not(.live)")
    expect(final.locator("pre code")).to_have_text("print('<b>')")
    expect(final.locator("li")).to_have_text(["one", "two"])
    expect(final).to_contain_text("<img src=x onerror=alert(1)>")
    expect(final.locator("img, script")).to_have_count(0)
    expect(final.locator(".thinking")).to_contain_text("Let me see.")


def test_a_permission_shows_exactly_what_would_run_and_a_key_answers_it(
    page: Page, live: LiveServer, provider: ProviderServer
) -> None:
    provider.replies += [
        calls(Call("bash", {"command": "touch made && echo ok"}, "c1")),
        says("Ok."),
    ]
    start(page, "make it")
    card = page.locator(".dock .ask")

    expect(card.locator("pre.command")).to_have_text("$ touch made && echo ok")
    expect(card.get_by_role("button")).to_have_text(
        [
            "1 yes, once",
            "2 yes, always in this session",
            "3 yes, always in this project",
            "4 no",
            "say no",
        ]
    )
    assert not (live.folder / "made").exists()
    page.locator(".composer textarea").press("Escape")
    expect(card).to_be_focused()
    page.wait_for_timeout(500)
    page.keyboard.press("1")

    expect(card).to_have_count(0)
    expect(transcript(page)).to_contain_text("Ok.")
    expect(transcript(page).locator(".call")).to_contain_text("ok")
    assert (live.folder / "made").exists()


def test_a_digit_that_is_typed_into_a_message_answers_nothing(
    page: Page, live: LiveServer, provider: ProviderServer
) -> None:
    provider.replies.append(calls(Call("bash", {"command": "touch made"}, "c1")))
    start(page, "make it")
    card = page.locator(".dock .ask")
    expect(card).to_be_visible()
    page.wait_for_timeout(500)

    page.locator(".composer textarea").press("1")

    expect(page.locator(".composer textarea")).to_have_value("1")
    expect(card).to_be_visible()
    assert not (live.folder / "made").exists()


def test_a_no_with_a_reason_tells_the_agent_what_to_do_instead(
    page: Page, live: LiveServer, provider: ProviderServer
) -> None:
    provider.replies += [calls(Call("bash", {"command": "touch made"}, "c1")), says("As you say.")]
    start(page, "make it")

    page.get_by_role("textbox", name="What to do instead").fill("use the other folder")
    page.get_by_role("button", name="say no").click()

    expect(transcript(page)).to_contain_text("As you say.")
    expect(transcript(page).locator(".call")).to_contain_text("rejected")
    assert "use the other folder" in json.dumps(provider.asked[-1].json)
    assert not (live.folder / "made").exists()


def test_questions_are_answered_by_key_by_choice_and_in_own_words(
    page: Page, provider: ProviderServer
) -> None:
    provider.replies += [calls(Call("question", QUESTION, "c1")), says("Thanks.")]
    start(page, "ask me")
    card = page.locator(".dock .ask")

    expect(card).to_contain_text("Which database?")
    expect(card).to_contain_text("1 of 3")
    page.locator(".composer textarea").press("Escape")
    page.wait_for_timeout(500)
    page.keyboard.press("2")
    expect(card).to_contain_text("Which of these?")
    card.get_by_role("button", name="api").click()
    card.get_by_role("button", name="docs").click()
    card.get_by_role("button", name="answer").click()
    expect(card).to_contain_text("What is it called?")
    card.get_by_role("textbox").fill("Heron")
    card.get_by_role("textbox").press("Enter")

    expect(transcript(page)).to_contain_text("Thanks.")
    told = json.dumps(provider.asked[-1].json)
    for answer in ("sqlite", "api", "docs", "Heron"):
        assert answer in told


def test_a_word_to_the_running_turn_waits_can_be_taken_back_and_arrives(
    page: Page, provider: ProviderServer
) -> None:
    provider.replies += [
        Reply((Say("Working. "), Pause(1.5), Call("ls", {"path": "."}, "c1"))),
        says("Steered."),
    ]
    start(page, "begin")
    expect(transcript(page)).to_contain_text("Working.")

    send(page, "wrong words")
    expect(page.locator(".waiting")).to_contain_text("wrong words")
    page.get_by_role("button", name="take back").click()
    expect(page.locator(".waiting")).to_have_count(0)
    send(page, "look at the docs too")

    expect(transcript(page)).to_contain_text("Steered.")
    expect(transcript(page).locator(".user")).to_have_count(2)
    expect(transcript(page).locator(".user").last).to_contain_text("look at the docs too")
    assert "wrong words" not in json.dumps(provider.asked[-1].json)


def test_a_turn_is_stopped_and_what_nobody_read_stands_in_the_field_again(
    page: Page, provider: ProviderServer
) -> None:
    provider.replies.append(Reply((Say("Working. "), Pause(60.0))))
    start(page, "begin")
    expect(transcript(page)).to_contain_text("Working.")
    send(page, "and the docs")
    expect(page.locator(".waiting")).to_be_visible()

    page.locator(".composer textarea").press("Escape")

    expect(transcript(page)).to_contain_text("The turn was stopped.")
    expect(transcript(page)).to_contain_text("interrupted")
    expect(page.locator(".composer textarea")).to_have_value("and the docs")
    expect(page.get_by_role("button", name="stop")).to_have_count(0)


def test_model_thinking_and_modes_are_switched_in_the_page(
    page: Page, provider: ProviderServer
) -> None:
    provider.replies.append(says("Hello."))
    start(page)
    model = page.get_by_role("combobox", name="Model")
    expect(model).to_be_enabled()
    model.focus()
    expect(model).to_contain_text("anthropic/scripted-2")

    model.select_option("anthropic/scripted-2")
    expect(model).to_have_value("anthropic/scripted-2")
    page.get_by_role("combobox", name="Mode", exact=True).select_option("plan")
    expect(page.get_by_role("combobox", name="Mode", exact=True)).to_have_value("plan")
    page.get_by_role("combobox", name="Permissions").select_option("accept_edits")
    expect(page.get_by_role("combobox", name="Permissions")).to_have_value("accept_edits")
    page.get_by_role("combobox", name="Permissions").select_option("yolo")
    page.get_by_role("button", name="never ask").click()
    expect(page.get_by_role("combobox", name="Permissions")).to_have_value("yolo")
    send(page, "hi")

    expect(transcript(page)).to_contain_text("Hello.")
    assert provider.asked[-1].json["model"] == "scripted-2"


def test_a_page_that_is_loaded_again_in_the_middle_of_a_turn_shows_all_of_it(
    page: Page, provider: ProviderServer
) -> None:
    provider.replies += [
        calls(Call("ls", {"path": "."}, "c1")),
        Reply((Think("Hm."), Say("One two three. "), Pause(4.0), Say("Four."))),
    ]
    start(page, "count")
    expect(transcript(page)).to_contain_text("One two three.")

    page.reload()

    expect(transcript(page).locator(".user")).to_contain_text("count")
    expect(transcript(page).locator(".call")).to_contain_text("ls")
    expect(transcript(page).locator(".live")).to_contain_text("One two three.")
    expect(transcript(page)).to_contain_text("One two three. Four.")
    expect(transcript(page).locator(".live")).to_have_count(0)


def test_after_a_restart_of_the_server_a_session_is_resumed_where_it_was(
    page: Page, live: LiveServer, provider: ProviderServer
) -> None:
    provider.replies += [says("Remembered."), says("Again.")]
    session = start(page, "remember me")
    expect(transcript(page)).to_contain_text("Remembered.")

    live.kill()

    again = page.get_by_role("button", name="resume it")
    expect(again).to_be_visible(timeout=30_000)
    again.click()
    expect(page.locator(".composer textarea")).to_be_visible()
    expect(transcript(page)).to_contain_text("Remembered.")
    assert page.url.endswith(session)
    send(page, "once more")
    expect(transcript(page)).to_contain_text("Again.")


def test_two_browsers_see_one_prompt_and_the_first_answer_wins(
    page: Page, chromium: Browser, live: LiveServer, provider: ProviderServer
) -> None:
    provider.replies += [calls(Call("bash", {"command": "echo x >> made"}, "c1")), says("Done.")]
    start(page, "make it")
    context = chromium.new_context()
    other = context.new_page()
    log_in(other, live)
    other.goto(page.url)
    expect(other.locator(".ask")).to_be_visible()
    other.route("**/respond_permission", lambda route: route.abort())

    page.get_by_role("button", name="yes, once").click()

    expect(page.locator(".ask")).to_have_count(0)
    expect(other.locator(".ask")).to_have_count(0)
    expect(transcript(other)).to_contain_text("Done.")
    assert (live.folder / "made").read_text() == "x\n"
    context.close()


def test_an_answer_that_comes_too_late_is_refused_and_says_so(
    page: Page, live: LiveServer, provider: ProviderServer
) -> None:
    provider.replies += [calls(Call("bash", {"command": "echo x >> made"}, "c1")), says("Done.")]
    session = start(page, "make it")
    expect(page.locator(".ask")).to_be_visible()
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/respond_permission", hold)
    page.get_by_role("button", name="yes, once").click()
    page.wait_for_timeout(100)
    prompt = held[0].request.post_data_json

    answer(live, session, {**prompt, "reply": "reject"})
    expect(page.locator(".ask")).to_have_count(0)
    held[0].continue_()

    expect(page.locator(".toasts")).to_contain_text("no open prompt")
    assert not (live.folder / "made").exists()


def test_ten_thousand_deltas_leave_the_page_answering(page: Page, provider: ProviderServer) -> None:
    words = "".join(f"word{n} " + ("\n\n" if n % 40 == 39 else "") for n in range(10_000))
    provider.replies.append(says(words, piece=7))
    start(page)
    page.evaluate(GAPS)

    send(page, "flood")
    field = page.locator(".composer textarea")
    expect(transcript(page)).to_contain_text("word500 ")
    field.press_sequentially("typed meanwhile")
    expect(field).to_have_value("typed meanwhile")
    expect(transcript(page)).to_contain_text("word9999", timeout=40_000)

    expect(page.get_by_role("button", name="stop")).to_have_count(0)
    longest = page.evaluate("Math.max(...window.gaps)")
    assert longest < 1_000
    assert page.evaluate("document.querySelectorAll('.talk .md p').length") == 250


def test_the_last_message_is_edited_and_sent_again(page: Page, provider: ProviderServer) -> None:
    provider.replies += [says("First."), says("Second."), says("Third.")]
    start(page, "helo")
    expect(transcript(page)).to_contain_text("First.")

    page.get_by_role("button", name="edit and send again").click()
    field = page.get_by_role("textbox", name="Write the last message anew")
    expect(field).to_have_value("helo")
    field.fill("hello")
    field.press("Enter")
    expect(transcript(page)).to_contain_text("Second.")
    expect(transcript(page)).not_to_contain_text("First.")
    expect(transcript(page).locator(".user .written")).to_have_text("hello")
    page.get_by_role("button", name="answer again").click()

    expect(transcript(page)).to_contain_text("Third.")
    expect(transcript(page)).not_to_contain_text("Second.")


def test_a_plan_is_read_and_built_at_a_word(
    page: Page, live: LiveServer, provider: ProviderServer
) -> None:
    plan = {"title": "Three steps", "content": "# Plan\n\n1. look\n2. build"}
    provider.replies += [calls(Call("plan_write", plan, "c1")), says("Planned."), says("Built.")]
    start(page)
    page.get_by_role("combobox", name="Mode", exact=True).select_option("plan")
    expect(page.get_by_role("combobox", name="Mode", exact=True)).to_have_value("plan")

    send(page, "plan it")
    expect(transcript(page).locator(".call .md li")).to_have_text(["look", "build"])
    expect(page.locator(".ask")).to_contain_text("Three steps")
    page.get_by_role("button", name="build it").click()

    expect(transcript(page)).to_contain_text("Built.")
    expect(page.get_by_role("combobox", name="Mode", exact=True)).to_have_value("build")


def test_a_picture_is_sent_and_is_still_seen_after_a_reload(
    page: Page, provider: ProviderServer
) -> None:
    provider.replies.append(says("A dot."))
    start(page)
    page.get_by_label("Attach pictures").set_input_files(
        {"name": "dot.png", "mimeType": "image/png", "buffer": PNG}
    )
    expect(page.locator(".composer img")).to_have_count(1)

    send(page, "what is this?")
    expect(transcript(page)).to_contain_text("A dot.")
    page.reload()

    picture = transcript(page).locator(".user img")
    expect(picture).to_have_js_property("naturalWidth", 1)
    assert base64.b64encode(PNG).decode() in json.dumps(provider.asked[-1].json)


def test_a_session_is_closed_and_gone_on_with_from_the_list_of_earlier_ones(
    page: Page, live: LiveServer, provider: ProviderServer
) -> None:
    provider.replies.append(says("Remembered."))
    session = start(page, "remember me")
    expect(transcript(page)).to_contain_text("Remembered.")

    page.get_by_role("button", name="close").click()
    page.get_by_role("button", name="close it").click()
    expect(page).to_have_url(re.compile(r"/$"))
    page.keyboard.press("l")
    page.get_by_role("dialog").get_by_role("button", name="remember me").click()

    expect(transcript(page)).to_contain_text("Remembered.")
    assert page.url.endswith(f"/luxe/{session}")


def test_a_session_stands_among_the_agents_and_is_answered_where_it_stands(
    page: Page, live: LiveServer, provider: ProviderServer
) -> None:
    provider.replies += [
        Reply((Say("Let me make it. "), Call("bash", {"command": "touch made"}, "c1"))),
        says("Done."),
    ]
    session = start(page, "make it")
    expect(page.locator(".ask")).to_be_visible()
    overview(page)

    row = page.locator(".agents tbody tr").first
    expect(row).to_contain_text("luxe")
    expect(row).to_contain_text("make it")
    expect(row).to_contain_text("project")
    expect(row).to_contain_text("blocked")
    expect(page.locator(".rail .places > li").first).to_contain_text("luxe")
    assert page.title() == "(1) Luvus"
    card = page.locator(".attention li")
    expect(card).to_contain_text("$ touch made")
    page.keyboard.press(" ")
    expect(page.locator("tr.peek")).to_contain_text("Let me make it.")
    expect(page.locator("tr.peek .ask")).to_be_visible()
    assert violations(page) == []
    card.get_by_role("button", name="yes, once").click()

    expect(card).to_have_count(0)
    expect(row).to_contain_text("done")
    assert (live.folder / "made").exists()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(f"/luxe/{session}$"))


def test_an_opened_row_is_answered_and_prompted_by_keys(
    page: Page, live: LiveServer, provider: ProviderServer
) -> None:
    provider.replies += [
        calls(Call("bash", {"command": "touch made"}, "c1")),
        says("Done."),
        says("Again."),
    ]
    start(page, "make it")
    expect(page.locator(".ask")).to_be_visible()
    overview(page)
    page.keyboard.press("1")
    page.keyboard.press(" ")
    expect(page.locator("tr.peek .ask")).to_be_visible()
    assert not (live.folder / "made").exists()

    page.wait_for_timeout(500)
    page.keyboard.press("1")
    row = page.locator(".agents tbody tr").first
    expect(row).to_contain_text("done")
    page.keyboard.press("p")
    page.get_by_role("textbox", name="Message for").fill("once more")
    page.keyboard.press("Enter")
    expect(page.locator("tr.peek")).to_have_count(0)

    page.keyboard.press(" ")
    expect(page.locator("tr.peek")).to_contain_text("Again.")


def test_a_session_that_failed_says_why_in_the_queue_and_is_tried_again(
    page: Page, provider: ProviderServer
) -> None:
    provider.replies += [
        Reply(status=400, error=("invalid_request_error", "no such beta")),
        says("Now."),
    ]
    start(page, "go")
    expect(transcript(page).locator(".remark")).to_contain_text("no such beta")
    overview(page)

    card = page.locator(".attention li")
    expect(card).to_contain_text("no such beta")
    card.get_by_role("button", name="try again").click()

    expect(card).to_have_count(0)
    expect(page.locator(".agents tbody tr").first).to_contain_text("done")


def test_the_palette_and_the_rail_find_and_start_sessions(
    page: Page, live: LiveServer, provider: ProviderServer
) -> None:
    provider.replies.append(says("Hello."))
    page.get_by_role("button", name="Start Luxe in project").click()
    dialog = page.get_by_role("dialog", name="Start Luxe")
    expect(dialog.get_by_label("folder")).to_have_value(str(live.folder))
    dialog.get_by_role("textbox", name="First message").fill("greet the heron")
    dialog.get_by_role("button", name="start").click()
    expect(transcript(page)).to_contain_text("Hello.")
    session = page.url
    overview(page)

    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Find").fill("heron")
    page.keyboard.press("Enter")

    expect(page).to_have_url(session)


def test_a_reader_sees_a_session_and_finds_nothing_to_press(
    page: Page, chromium: Browser, live: LiveServer, provider: ProviderServer
) -> None:
    provider.replies.append(
        calls(Call("bash", {"command": "touch made"}, "c1"), Call("question", QUESTION, "c2"))
    )
    start(page, "make it")
    expect(page.locator(".ask")).to_be_visible()
    context = chromium.new_context()
    reader = context.new_page()
    log_in(reader, live, read_only=True)
    reader.goto(page.url)

    expect(reader.locator(".ask pre.command")).to_have_text("$ touch made")
    controls = reader.locator(".talk .controls :is(select, input)")
    expect(controls).to_have_count(5)
    for control in [*controls.all(), *reader.locator(".ask button").all()]:
        expect(control).to_be_disabled()
    assert reader.locator(".composer, .talk .side button, .talk .line button").count() == 0
    reader.wait_for_timeout(500)
    for key in ("1", "4", "l"):
        reader.keyboard.press(key)
    expect(reader.locator("dialog[open]")).to_have_count(0)
    expect(page.locator(".ask")).to_be_visible()
    assert not (live.folder / "made").exists()
    context.close()


def test_a_bug_is_found_and_fixed_with_every_step_allowed_in_the_page(
    page: Page, live: LiveServer, provider: ProviderServer
) -> None:
    root = planted_bug(live.folder)
    provider.replies += fixing()
    page.keyboard.press("l")
    page.get_by_label("folder").fill(str(root))
    page.get_by_role("textbox", name="First message").fill("the tests fail; mend it")
    page.get_by_role("button", name="start").click()

    for _ in range(3):
        page.get_by_role("button", name="yes, once").click()
    expect(transcript(page)).to_contain_text("The divisor was one too small")

    shown = transcript(page).locator(".call")
    expect(shown).to_have_count(5)
    expect(shown.nth(0)).to_contain_text("FAILED")
    expect(shown.nth(3).locator(".diff .remove")).to_contain_text("(len(numbers) - 1)")
    expect(shown.nth(4)).to_contain_text("OK")
    expect(page.locator(".talk .side .files")).to_contain_text("stats.py")
    assert (root / "stats.py").read_text() == FIXED


def test_the_view_of_a_session_has_no_fault_that_axe_finds(
    page: Page, provider: ProviderServer
) -> None:
    provider.replies += [
        Reply(
            (
                Think("Hm."),
                Say("# Title\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n`x`"),
                Call("ls", {"path": "."}, "c0"),
            )
        ),
        calls(Call("bash", {"command": "touch made"}, "c1")),
    ]
    start(page, "make it")
    expect(page.locator(".ask")).to_be_visible()
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert violations(page) == []

    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("l")
    expect(page.get_by_role("dialog")).to_be_visible()
    assert violations(page) == []
