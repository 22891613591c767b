"""What a session asks, answered in the page: permissions, questions, plans."""

from __future__ import annotations

import json
from typing import Any

from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.conftest import log_in
from tests.support.live import LiveServer
from tests.support.luxe_pages import QUESTION, answer, send, start, transcript
from tests.support.planted_bug import FIXED, fixing, planted_bug
from tests.support.provider_script import Call, calls, says
from tests.support.provider_server import ProviderServer


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
    expect(page.locator(".ask.keyed")).to_be_visible()
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
    expect(page.locator(".ask.keyed")).to_be_visible()

    page.locator(".composer textarea").press("1")

    expect(page.locator(".composer textarea")).to_have_value("1")
    expect(card).to_be_visible()
    assert not (live.folder / "made").exists()


def test_a_key_that_is_struck_twice_does_not_answer_the_prompt_that_comes_next(
    page: Page, live: LiveServer, provider: ProviderServer
) -> None:
    provider.replies.append(
        calls(
            Call("bash", {"command": "touch first"}, "c1"),
            Call("bash", {"command": "touch second"}, "c2"),
        )
    )
    start(page, "make both")
    expect(page.locator(".ask.keyed")).to_contain_text("touch first")
    page.locator(".composer textarea").press("Escape")

    page.keyboard.press("1")
    expect(page.locator(".ask")).to_contain_text("touch second")
    page.keyboard.press("1")

    expect(page.locator(".ask.keyed")).to_contain_text("touch second")
    assert (live.folder / "first").exists()
    assert not (live.folder / "second").exists()


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
    expect(page.locator(".ask.keyed")).to_be_visible()
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
    for word in ("sqlite", "api", "docs", "Heron"):
        assert word in told


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
    with page.expect_request("**/respond_permission") as asked:
        page.get_by_role("button", name="yes, once").click()
    prompt: Any = asked.value.post_data_json

    answer(live, session, {**prompt, "reply": "reject"})
    expect(page.locator(".ask")).to_have_count(0)
    held[0].continue_()

    expect(page.locator(".toasts")).to_contain_text("no open prompt")
    assert not (live.folder / "made").exists()


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


def test_a_bug_is_found_and_fixed_with_every_step_allowed_in_the_page(
    page: Page, live: LiveServer, provider: ProviderServer
) -> None:
    root = planted_bug(live.folder)
    provider.replies += fixing()
    page.keyboard.press("l")
    page.get_by_label("folder").fill(str(root))
    page.get_by_role("textbox", name="First message").fill("the tests fail; mend it")
    page.get_by_role("dialog").get_by_role("button", name="start").click()

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
