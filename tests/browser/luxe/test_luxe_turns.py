"""Turns in the page: read as they stream, steered, stopped, sent again, resumed."""

from __future__ import annotations

import base64
import json

from playwright.sync_api import Page, expect

from tests.support.live import LiveServer
from tests.support.luxe_pages import send, start, transcript
from tests.support.provider_script import Call, Pause, Reply, Say, Think, calls, says
from tests.support.provider_server import ProviderServer

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
GAPS = """() => {
    window.gaps = [];
    let last = performance.now();
    const tick = (now) => {
        window.gaps.push(now - last);
        last = now;
        requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
}"""
"""Notes the time between two frames of the page."""


def test_a_session_is_started_from_the_keyboard_and_read_as_it_streams(
    page: Page, live: LiveServer, provider: ProviderServer
) -> None:
    code = "```python\nprint('<b>')\n```"
    answer = f"# It *is*\n\n- one\n- `two`\n\n{code}\n\n<img src=x onerror=alert(1)>\n"
    provider.replies.append(Reply((Think("Let me see."), Say("Begun. "), Pause(3.0), Say(answer))))

    start(page, "what is this?")

    expect(transcript(page).locator(".user")).to_contain_text("what is this?")
    expect(transcript(page).locator(".live")).to_contain_text("Begun.")
    final = transcript(page).locator(".assistant:not(.live)")
    expect(final.locator("pre code")).to_have_text("print('<b>')")
    expect(final.locator("li")).to_have_text(["one", "two"])
    expect(final).to_contain_text("<img src=x onerror=alert(1)>")
    expect(final.locator("img, script")).to_have_count(0)
    expect(final.locator(".thinking")).to_contain_text("Let me see.")


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
