"""Makes the pictures of agent sessions that are looked at: a real server, a scripted provider.

`python -m tests.browser.luxe.screenshots FOLDER` writes a session that fixes a bug, its prompts, a
question, the dialog that starts one, and the overview, at three widths, light and dark.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Page, sync_playwright

from scripts.build_pages import build, fresh
from tests.browser.conftest import CHROMIUM, FLAGS, free_port, log_in
from tests.browser.screenshots import SCHEMES, SIZES
from tests.support.live import REPOSITORY, LiveServer
from tests.support.planted_bug import fixing, planted_bug
from tests.support.provider_script import Call, Reply, Say, Think, calls, says
from tests.support.provider_thread import provider_thread

FOUND = """Here is what I found.

## The cause

`mean` divides by `len(numbers) - 1`, which is the *sample* divisor:

```python
def mean(numbers):
    return sum(numbers) / (len(numbers) - 1)
```

| input | wanted | found |
|-------|-------:|------:|
| 1 2 3 | 2 | 3 |
| 4 | 4 | error |

1. read the tests
2. change the divisor
3. run them again

> The tests say what is meant. See [the docs](https://docs.python.org/3/library/statistics.html).
"""
TODOS = [
    {"id": "1", "content": "find the failing test", "status": "completed"},
    {"id": "2", "content": "mend the divisor", "status": "in_progress"},
    {"id": "3", "content": "run the tests again", "status": "pending"},
]
STORAGE = {
    "question": "Which database should the service use?",
    "header": "storage",
    "options": [
        {"label": "postgres", "description": "a server of its own"},
        {"label": "sqlite", "description": "one file"},
    ],
    "multiple": True,
}


class Studio:
    """A server with its sessions, and the page that is photographed."""

    def __init__(self, live: LiveServer, page: Page, out: Path, project: Path) -> None:
        self.page = page
        self._out = out
        self._project = project
        transport = httpx.HTTPTransport(uds=str(live.http))
        self._http = httpx.Client(transport=transport, base_url="http://luvus", timeout=30)

    def begin(self, text: str) -> str:
        """Open a session, say something and return its id."""
        path = "/luxe/v2/sessions"
        ready = self._http.post(path, json={"cwd": str(self._project)}).json()
        session = str(ready["content"]["session_id"])
        if text:
            self._http.post(f"{path}/{session}/submit_user_message", json={"text": text})
        return session

    def show(self, place: str, wanted: str) -> None:
        """Go to a place and wait for something on it."""
        self.page.goto("/".join(self.page.url.split("/")[:3]) + place)
        self.page.wait_for_selector(wanted)

    def shoot(self, name: str) -> None:
        """Take the page at every width in every scheme."""
        for width, height in SIZES:
            self.page.set_viewport_size({"width": width, "height": height})
            for scheme in SCHEMES:
                self.page.emulate_media(color_scheme=scheme)
                self.page.wait_for_timeout(300)
                self.page.screenshot(path=self._out / f"luxe-{name}-{width}-{scheme}.png")

    def allow(self, wanted: str) -> None:
        """Say yes once and wait for what follows."""
        self.page.get_by_role("button", name="yes, once").click()
        self.page.wait_for_selector(wanted)


def main(folder: str) -> None:
    """Write all pictures into a folder."""
    if not fresh(REPOSITORY):
        build(REPOSITORY)
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    home = Path(tempfile.mkdtemp(prefix="lx-", dir="/tmp")).resolve()
    (home / "api-service").mkdir()
    live = LiveServer(home, folder=home / "api-service")
    with provider_thread() as provider, sync_playwright() as playwright:
        live.extra = {
            "LUXE_HOME": str(home / "luxe"),
            "ANTHROPIC_API_KEY": "made-up-for-pictures",
            "ANTHROPIC_BASE_URL": provider.url,
        }
        live.start()
        browser = playwright.chromium.launch(executable_path=CHROMIUM, headless=True, args=FLAGS)
        try:
            live.wait_text("1", "$")
            live.call("web.start", {"port": free_port()})
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            log_in(page, live)
            scene(Studio(live, page, out, planted_bug(live.folder)), provider.replies)
        finally:
            browser.close()
            live.stop()
            shutil.rmtree(home, ignore_errors=True)


def scene(studio: Studio, replies: Any) -> None:
    """Let a bug be fixed, with a question and a failure beside it, and photograph each step."""
    run, read, edit, rerun, done = fixing()
    think = Think("The tests should say what is wrong.")
    todo = Call("todo", {"todos": TODOS}, "t1")
    replies += [
        replace(run, steps=(think, Say("I run the tests first."), todo, *run.steps)),
        replace(read, steps=(Say(FOUND), *read.steps)),
        replace(edit, steps=(Say("Now the change."), *edit.steps)),
    ]
    session = studio.begin("the tests fail; please mend them")
    studio.show(f"/luxe/{session}", ".ask")
    studio.shoot("command")
    studio.allow(".dock .diff")
    studio.shoot("edit")
    replies.append(calls(Call("question", {"questions": [STORAGE]}, "q1")))
    asking = studio.begin("set up storage")
    studio.show(f"/luxe/{asking}", ".ask .options")
    studio.shoot("question")
    replies.append(says("It computes means."))
    studio.begin("what does this do?")
    studio.show("/", ".agents .state-done")
    wrong = "max_tokens is too large for this model"
    replies.append(Reply(status=400, error=("invalid_request_error", wrong)))
    studio.begin("break it")
    studio.page.wait_for_selector(".agents .state-failed")
    studio.page.wait_for_timeout(7_000)
    studio.shoot("overview")
    studio.page.keyboard.press("l")
    studio.page.wait_for_selector("dialog[open] textarea")
    studio.shoot("start")
    studio.page.keyboard.press("Escape")
    replies += [rerun, done]
    studio.show(f"/luxe/{session}", ".dock .diff")
    studio.allow(".dock .command")
    studio.allow(".line .state-done")
    studio.shoot("done")


if __name__ == "__main__":
    main(sys.argv[1])
