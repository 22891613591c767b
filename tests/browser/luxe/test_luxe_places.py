"""Where sessions stand among the agents, and what somebody sees who may only look."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import log_in
from tests.support.live import LiveServer
from tests.support.luxe_pages import QUESTION, overview, start, transcript, violations
from tests.support.provider_script import Call, Reply, Say, Think, calls, says
from tests.support.provider_server import ProviderServer


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
    expect(page.locator(".rail .places > li").first).to_contain_text("make it")
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

    expect(page.locator("tr.peek .ask.keyed")).to_be_visible()
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
    page.reload()
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
    assert (
        reader.locator(".composer, .talk .side button, .talk .line button:not(.more)").count() == 0
    )
    for key in ("1", "4", "l"):
        reader.keyboard.press(key)
    expect(reader.locator("dialog[open]")).to_have_count(0)
    expect(page.locator(".ask")).to_be_visible()
    assert not (live.folder / "made").exists()
    context.close()


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


def test_a_first_message_that_is_refused_stays_in_the_dialog_and_leaves_no_session(
    page: Page, live: LiveServer
) -> None:
    page.route(
        "**/submit_user_message",
        lambda route: route.fulfill(
            status=404,
            json={"code": "not_found", "message": "submit_user_message: no model is set up"},
        ),
    )
    page.keyboard.press("l")
    field = page.get_by_role("textbox", name="First message")
    field.fill("make it")
    field.press("Enter")

    expect(page.get_by_role("alert")).to_have_text("no model is set up")
    expect(field).to_have_value("make it")
    page.keyboard.press("Escape")
    expect(page.locator(".agents tbody tr")).to_have_count(1)
