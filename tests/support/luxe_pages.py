"""What a person does on the page of an agent session, in the browser of a test."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx
from playwright.sync_api import Locator, Page, expect

from tests.support.live import REPOSITORY, LiveServer

AXE = REPOSITORY / "web/node_modules/axe-core/axe.min.js"
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
