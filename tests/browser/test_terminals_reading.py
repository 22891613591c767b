"""What a terminal shows and takes: text, colours, the clipboard, the mouse, links, readers."""

from __future__ import annotations

import base64

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.conftest import (
    contents,
    log_in,
    open_terminal,
    screen_has,
    until,
    without_webgl,
)
from tests.browser.test_access import violations
from tests.support.live import LiveServer

ACCENT = "document.documentElement.style.getPropertyValue('--accent')"
CLIPBOARD = ["clipboard-read", "clipboard-write"]


@pytest.fixture(autouse=True)
def _without_webgl(request: pytest.FixtureRequest, context: BrowserContext) -> None:
    """Draw terminals by the DOM, which can be read, unless a test is about the other renderer."""
    if "webgl" in request.node.name:
        return
    without_webgl(context)


def paste(page: Page, text: str) -> None:
    """Paste as the browser does after its own shortcut."""
    page.evaluate(
        """text => { const data = new DataTransfer(); data.setData('text/plain', text);
        document.activeElement.dispatchEvent(new ClipboardEvent('paste',
          { clipboardData: data, bubbles: true, cancelable: true })); }""",
        text,
    )


def read_until(page: Page, live: LiveServer, name: str, wanted: bytes) -> None:
    """Return when a file has this content."""
    until(page, lambda: contents(live.folder / name), wanted)


def test_what_is_selected_is_copied_and_what_is_copied_is_pasted(
    page: Page, context: BrowserContext, live: LiveServer
) -> None:
    context.grant_permissions(CLIPBOARD)
    open_terminal(page)
    page.keyboard.type("printf 'wo''rd\\n'; cat > got\n")
    screen_has(page, "\nword")

    row = page.locator(".xterm-rows > div", has_text="word").last.bounding_box()
    assert row is not None
    page.mouse.dblclick(row["x"] + 10, row["y"] + 5)
    page.keyboard.press("Control+Shift+C")
    page.wait_for_function("() => navigator.clipboard.readText().then(text => text === 'word')")
    page.keyboard.press("Control+.")
    page.get_by_role("combobox").fill("Paste")
    page.keyboard.press("Enter")
    screen_has(page, "\nword\nword")
    page.keyboard.press("Enter")
    page.keyboard.press("Control+d")

    read_until(page, live, "got", b"word\n")


def test_several_lines_are_pasted_into_a_plain_program_only_after_a_question(
    page: Page, live: LiveServer
) -> None:
    open_terminal(page)
    page.keyboard.type("cat > got\n")
    live.wait_text("1", "cat > got")

    paste(page, "one\ntwo\n")
    expect(page.get_by_role("dialog")).to_contain_text("Paste 2 lines?")
    page.get_by_role("button", name="do not").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    paste(page, "three\r\nfour\n")
    page.get_by_role("button", name="paste", exact=True).click()
    expect(page.locator("textarea:focus")).to_have_count(1)
    live.wait_text("1", "four")
    page.keyboard.press("Control+d")

    read_until(page, live, "got", b"three\nfour\n")


def test_a_program_that_asks_for_brackets_gets_a_paste_of_many_lines_whole(
    page: Page, live: LiveServer
) -> None:
    open_terminal(page)
    page.keyboard.type("printf '\\033[?2004h'; stty raw -echo; echo re''ady; head -c 20 > got\n")
    screen_has(page, "ready")

    paste(page, "one\ntwo\n")

    read_until(page, live, "got", b"\x1b[200~one\ntwo\n\x1b[201~")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_a_program_reaches_the_clipboard_only_by_a_person_s_click(
    page: Page, context: BrowserContext, live: LiveServer
) -> None:
    context.grant_permissions(CLIPBOARD)
    open_terminal(page)
    page.evaluate("navigator.clipboard.writeText('mine')")
    stolen = base64.b64encode(b"rm -rf").decode()

    live.call("pane.run", {"pane": "1", "command": f"printf '\\033]52;c;{stolen}\\007'"})
    expect(page.get_by_text("offers 6 characters")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "mine"
    page.get_by_role("button", name="copy", exact=True).click()

    expect(page.get_by_text("offers 6 characters")).to_have_count(0)
    assert page.evaluate("navigator.clipboard.readText()") == "rm -rf"


def test_a_program_that_asks_for_the_clipboard_is_told_nothing(
    page: Page, context: BrowserContext, live: LiveServer
) -> None:
    context.grant_permissions(CLIPBOARD)
    open_terminal(page)
    page.evaluate("navigator.clipboard.writeText('secret')")
    page.keyboard.type("stty -echo -icanon time 5 min 0; printf '\\033]52;c;?\\007'; cat > got;")

    page.keyboard.type(" stty sane; echo do''ne\n")
    live.wait_text("1", "done")

    assert (live.folder / "got").read_bytes() == b""


def test_a_text_is_found_far_back_and_counted(page: Page, live: LiveServer) -> None:
    open_terminal(page)
    page.keyboard.type("seq 400 | sed 's/^/line /'; echo e''nd\n")
    screen_has(page, "end")

    page.get_by_role("button", name="Search").click()
    field = page.get_by_label("Search in this pane")
    expect(field).to_be_focused()
    field.fill("line 7")
    expect(page.locator(".pane > header")).to_contain_text("11")
    page.keyboard.press("Shift+Enter")
    page.keyboard.press("Shift+Enter")
    screen_has(page, "line 70")
    page.keyboard.press("Escape")

    expect(page.locator("textarea:focus")).to_have_count(1)


def test_wide_and_joined_characters_take_the_cells_that_the_server_gives_them(
    page: Page, live: LiveServer
) -> None:
    open_terminal(page)
    page.keyboard.type("printf '\\033[5;1H日本語🙂|\\033[6;1Héé|\\033[7;1H\\033[38;5;9mred'\n")
    screen_has(page, "red$")

    column = """text => { const row = [...document.querySelectorAll('.xterm-rows > div')]
        .find(row => row.textContent.startsWith(text));
        const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
        for (let node; (node = walker.nextNode());) { const at = node.data.indexOf('|');
          if (at >= 0) { const range = document.createRange(); range.setStart(node, at);
            range.setEnd(node, at + 1);
            return range.getBoundingClientRect().x - row.getBoundingClientRect().x; } }
        return -1; }"""
    width = page.locator(".xterm-screen").evaluate("screen => screen.clientWidth")
    cell = width / size(live)[0]

    assert abs(page.evaluate(column, "日本語") / cell - 8) < 0.3
    assert abs(page.evaluate(column, "éé") / cell - 2) < 0.3


def size(live: LiveServer) -> tuple[int, int]:
    """Return columns and rows of the first pane, as its program sees them."""
    live.call("pane.run", {"pane": "1", "command": "stty size > size"})
    live.call("pane.run", {"pane": "1", "command": "echo si''zed"})
    live.wait_text("1", "sized")
    rows, cols = (live.folder / "size").read_text().split()
    return int(cols), int(rows)


def test_a_program_that_asks_for_the_mouse_gets_clicks_and_wheel(
    page: Page, live: LiveServer
) -> None:
    open_terminal(page)
    page.keyboard.type(
        "printf '\\033[?1000h\\033[?1006h'; stty raw -echo; echo re''ady; cat > got\n"
    )
    screen_has(page, "ready")
    box = page.locator(".xterm-screen").bounding_box()
    assert box is not None

    page.mouse.click(box["x"] + 3, box["y"] + 3)
    page.mouse.wheel(0, 120)

    got = live.folder / "got"
    until(page, lambda: b"<65;" in contents(got), True)
    assert contents(got).startswith(b"\x1b[<0;1;1M\x1b[<0;1;1m\x1b[<65;1;1M")


def test_a_terminal_is_readable_as_text_and_axe_finds_nothing_in_it(
    page: Page, live: LiveServer
) -> None:
    open_terminal(page)
    page.keyboard.type("echo re''adable\n")
    live.wait_text("1", "readable")

    page.get_by_role("button", name="Show as text").click()
    text = page.get_by_role("document", name="Text of shell 1")
    expect(text).to_contain_text("readable")
    live.call("pane.run", {"pane": "1", "command": "echo la''ter"})
    expect(text).to_contain_text("later")

    assert violations(page) == []
    page.get_by_role("button", name="Show as text").click()
    expect(text).to_have_count(0)


def test_the_keys_of_a_phone_send_what_the_program_s_mode_asks_for(
    chromium: Browser, live: LiveServer
) -> None:
    context = chromium.new_context(viewport={"width": 360, "height": 740}, has_touch=True)
    page = context.new_page()
    log_in(page, live)
    page.goto(page.url + "terminals/1")
    page.wait_for_selector(".pane:not(.stale)")
    command = "stty raw -echo; printf 'on\\033[?1h'; head -c 12 > got"
    live.call("pane.run", {"pane": "1", "command": command})
    live.wait_text("1", "on")
    page.locator(".xterm-helper-textarea").focus()

    page.get_by_role("button", name="Up", exact=True).tap()
    page.get_by_role("button", name="ctrl").tap()
    expect(page.get_by_role("button", name="ctrl")).to_have_attribute("aria-pressed", "true")
    page.keyboard.type("a")
    expect(page.get_by_role("button", name="ctrl")).to_have_attribute("aria-pressed", "false")
    for name in ("Escape", "Tab", "Interrupt"):
        page.get_by_role("button", name=name, exact=True).tap()
    page.get_by_role("button", name="ctrl").tap()
    page.get_by_role("button", name="Left").tap()

    read_until(page, live, "got", b"\x1bOA\x01\x1b\t\x03\x1b[1;5D"[:12])
    context.close()


def test_the_bundled_font_draws_every_terminal(page: Page, live: LiveServer) -> None:
    open_terminal(page)

    loaded = page.evaluate(
        """[...document.fonts].filter(font => font.status === 'loaded')
        .map(font => font.family.replaceAll('"', '') + ' ' + font.weight)"""
    )
    family = page.locator(".xterm-rows").evaluate("rows => getComputedStyle(rows).fontFamily")

    assert {"JetBrains Mono 400", "JetBrains Mono 700"} <= set(loaded)
    assert family.startswith('"JetBrains Mono"')


def test_a_terminal_goes_on_when_its_webgl_context_is_lost(page: Page, live: LiveServer) -> None:
    open_terminal(page)
    if page.evaluate("document.querySelectorAll('.xterm-screen canvas').length") == 0:
        pytest.skip("this browser has no WebGL")
    page.evaluate(
        """() => { for (const canvas of document.querySelectorAll('.xterm-screen canvas'))
        canvas.getContext('webgl2')?.getExtension('WEBGL_lose_context')?.loseContext(); }"""
    )

    page.keyboard.type("echo st''ill\n")

    page.wait_for_selector(".xterm-rows > div")
    screen_has(page, "still")


def test_terminals_drawn_in_two_ways_come_to_rest_at_one_size_after_a_lost_webgl_context(
    page: Page, live: LiveServer
) -> None:
    live.call("pane.split")
    wishes: list[str] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda line: note(str(line))))

    def note(line: str) -> None:
        if '"size"' in line:
            wishes.append(line)

    open_terminal(page)
    expect(page.locator(".pane:not(.stale)")).to_have_count(2)
    if page.evaluate("document.querySelectorAll('.xterm-screen canvas').length") == 0:
        pytest.skip("this browser has no WebGL")
    page.evaluate(
        """() => { for (const canvas of document.querySelector('.pane').querySelectorAll('canvas'))
        canvas.getContext('webgl2')?.getExtension('WEBGL_lose_context')?.loseContext(); }"""
    )
    page.wait_for_selector(".pane:first-child .xterm-rows > div")
    page.set_viewport_size({"width": 1500, "height": 700})

    for word in ("one", "two", "three"):
        page.keyboard.type(f"echo {word[0]}''{word[1:]}\n")
        live.wait_text("1", word)
    page.wait_for_function(
        """() => { const desk = document.querySelector('.desk');
        return desk.scrollWidth <= desk.clientWidth; }"""
    )
    assert len(wishes) <= 6


@pytest.mark.parametrize("theme", ["dracula", "catppuccin-latte", "redsands"])
def test_the_session_s_theme_colours_terminals_and_accent_as_soon_as_it_is_chosen(
    page: Page, live: LiveServer, theme: str
) -> None:
    open_terminal(page)
    before = colours(page)

    live.call("config.patch", {"patch": {"theme": theme}})
    page.wait_for_function(f"() => {ACCENT} !== ''")

    assert colours(page)[0] != before[0]
    assert colours(page)[1] != before[1]
    assert violations(page) == []
    page.emulate_media(color_scheme="dark")
    assert violations(page) == []
    live.call("config.patch", {"patch": {"theme": "terminal"}})
    page.wait_for_function(f"() => {ACCENT} === ''")


def colours(page: Page) -> list[str]:
    """Return the background of the terminal and the accent of the page."""
    found = page.evaluate(
        """() => [getComputedStyle(document.querySelector('.xterm-scrollable-element'))
          .backgroundColor, getComputedStyle(document.querySelector('.pane.focused > header'))
          .boxShadow]"""
    )
    return [str(one) for one in found]
