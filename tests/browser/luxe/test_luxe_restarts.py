"""The page of a session while its server is replaced: the same session again, without a reload."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.support.live import LiveServer, command_line
from tests.support.luxe_pages import overview, send, start, transcript
from tests.support.provider_script import Call, Pause, Reply, Say, calls, says
from tests.support.provider_server import ProviderServer


def replace(live: LiveServer, way: str) -> None:
    if way == "killed":
        live.kill()
        live.start()
    else:
        done = command_line(live, "server", "restart")
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("way", ["killed", "restarted"])
def test_an_open_page_goes_on_with_its_session_and_the_rows_are_there_again(
    page: Page, live: LiveServer, provider: ProviderServer, way: str
) -> None:
    provider.replies += [says("Before."), says("After.")]
    start(page, "hello")
    expect(transcript(page)).to_contain_text("Before.")
    page.evaluate("window.sameDocument = true")
    field = page.locator(".composer textarea")
    field.fill("half a thought")

    replace(live, way)

    expect(page.locator(".talk.stale")).to_have_count(0, timeout=15_000)
    expect(page.locator(".gone")).to_have_count(0)
    expect(transcript(page)).to_contain_text("Before.")
    expect(field).to_have_value("half a thought")
    send(page, "go on")
    expect(transcript(page)).to_contain_text("After.", timeout=15_000)
    assert page.evaluate("window.sameDocument") is True
    overview(page)
    expect(page.locator(".agents tbody tr").first).to_contain_text("hello")


def test_a_turn_that_was_cut_says_so_on_its_page_and_in_the_overview(
    page: Page, live: LiveServer, provider: ProviderServer
) -> None:
    provider.replies.append(Reply((Say("Begun."), Pause(60.0))))
    start(page, "hello")
    expect(transcript(page)).to_contain_text("Begun.")

    replace(live, "killed")

    expect(transcript(page)).to_contain_text("the server ended during a turn", timeout=15_000)
    expect(page.get_by_role("button", name="stop")).to_have_count(0)
    overview(page)
    expect(page.locator(".agents tbody tr").first).to_contain_text("failed")


def test_a_prompt_of_the_ended_server_leaves_the_page(
    page: Page, live: LiveServer, provider: ProviderServer
) -> None:
    provider.replies.append(calls(Call("bash", {"command": "touch made"}, "c1")))
    start(page, "make it")
    expect(page.locator(".ask")).to_be_visible()

    replace(live, "restarted")

    expect(transcript(page)).to_contain_text("what it asked for is withdrawn", timeout=15_000)
    expect(page.locator(".ask")).to_have_count(0)
    assert not (live.folder / "made").exists()


def test_a_session_that_cannot_be_loaded_says_why(
    page: Page, live: LiveServer, provider: ProviderServer
) -> None:
    provider.replies.append(says("Before."))
    session = start(page, "hello")
    expect(transcript(page)).to_contain_text("Before.")
    (file,) = (live.home / "luxe/sessions").glob(f"*/{session}.jsonl")

    live.stop()
    file.unlink()
    live.start()
    link = live.call("web.start")["link"]
    page.goto(str(link))
    page.wait_for_selector(".rail")
    page.goto(page.url.partition("#")[0].rstrip("/") + f"/luxe/{session}")

    expect(page.locator(".gone")).to_contain_text("gone from the disk")
