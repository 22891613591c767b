"""Fetching pages from a real server on the loopback."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from luvus_service.adapters.tools.page_text import page_text
from luvus_service.adapters.tools.web_fetch import WebFetchTool, is_public
from luvus_service.luxe.domain.permission_units import NamedUnit
from luvus_service.luxe.domain.tool_ports import InputRefused
from tests.support.tool_bench import ToolBench, bench_in

PAGES = {
    "/": ("200 OK", "text/html; charset=utf-8", "<h1>Hé</h1><script>x</script><p>a <b>c</b></p>"),
    "/json": ("200 OK", "application/json", '{"a": 1}'),
    "/bin": ("200 OK", "image/png", "\x89PNG"),
    "/gone": ("404 Not Found", "text/plain", "no such page"),
    "/big": ("200 OK", "text/plain", "x" * 6_000_000),
    "/loop": ("302 Found\r\nLocation: /loop", "text/plain", ""),
    "/hop": ("302 Found\r\nLocation: /json", "text/plain", ""),
    "/away": ("302 Found\r\nLocation: http://other.example/x", "text/plain", ""),
    "/file": ("302 Found\r\nLocation: file:///etc/passwd", "text/plain", ""),
}


@pytest.fixture
async def base() -> AsyncIterator[str]:
    """A server of `PAGES`; `/slow` never answers."""
    over = asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = (await reader.readuntil(b"\r\n\r\n")).split(b" ")[1].decode()
        if path == "/slow":
            await over.wait()
        else:
            status, kind, text = PAGES[path]
            body = text.encode("latin-1" if "PNG" in text else "utf-8")
            head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}"
            writer.write(f"{head}\r\nConnection: close\r\n\r\n".encode() + body)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    over.set()
    server.close()
    await server.wait_closed()


@pytest.fixture
def bench(tmp_path_factory: pytest.TempPathFactory) -> ToolBench:
    return bench_in(tmp_path_factory.mktemp("w"))


FETCH = WebFetchTool(allow_private=("127.0.0.1",))


async def test_a_page_comes_as_markdown_text_or_as_it_is(base: str, bench: ToolBench) -> None:
    assert (await bench.call(FETCH, url=base)).output == "# Hé\n\na **c**"
    assert (await bench.call(FETCH, url=base, format="text")).output == "Hé\n\na c"
    assert "<script>" in (await bench.call(FETCH, url=base, format="html")).output
    assert (await bench.call(FETCH, url=base + "/json")).output == '{"a": 1}'


async def test_what_is_no_page_is_a_failure_with_a_reason(base: str, bench: ToolBench) -> None:
    binary = await bench.call(FETCH, url=base + "/bin")
    gone = await bench.call(FETCH, url=base + "/gone")
    slow = await bench.call(FETCH, url=base + "/slow", timeout=1)

    assert (binary.status, binary.output) == (
        "failed",
        f"{base}/bin is image/png, which is no text",
    )
    assert (gone.status, gone.output) == ("failed", f"{base}/gone answered 404\nno such page")
    assert (slow.status, slow.output) == ("timed_out", "127.0.0.1 did not answer in 1 s")


async def test_a_big_page_is_cut(base: str, bench: ToolBench) -> None:
    outcome = await bench.call(FETCH, url=base + "/big")

    assert outcome.truncated
    assert len(outcome.output) < 51_200


async def test_redirects_are_followed_on_the_same_host_only(base: str, bench: ToolBench) -> None:
    away = await bench.call(FETCH, url=base + "/away")

    assert (await bench.call(FETCH, url=base + "/hop")).output == '{"a": 1}'
    assert "redirects to http://other.example/x: fetch that address" in away.output
    assert "redirects more than 5 times" in (await bench.call(FETCH, url=base + "/loop")).output
    assert (await bench.call(FETCH, url=base + "/file")).status == "failed"


async def test_private_addresses_are_not_asked(base: str, bench: ToolBench) -> None:
    port = base.rpartition(":")[2]
    tool = WebFetchTool()

    for host in ("127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0x7f000001", "127.1"):
        outcome = await bench.call(tool, url=f"http://{host}:{port}/json")
        assert outcome.status == "failed", host
        assert "private address" in outcome.output or "no host" in outcome.output, host


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "ftp://x.example", "http://", "http://u:p@x.example/", "x",
     "http://a b/", "http://x.example:99999/"],
)  # fmt: skip
async def test_other_addresses_are_refused(bench: ToolBench, url: str) -> None:
    with pytest.raises(InputRefused):
        await FETCH.prepare({"url": url}, bench)


async def test_the_host_is_what_is_judged(bench: ToolBench) -> None:
    prepared = await FETCH.prepare({"url": "https://Docs.Example./a?b"}, bench)

    assert prepared.preview.units == (NamedUnit("web_fetch", "docs.example"),)


def test_addresses_of_the_open_internet_are_told_apart() -> None:
    for address in (
        "10.0.0.1",
        "169.254.169.254",
        "::1",
        "fe80::1%eth0",
        "::ffff:10.0.0.1",
        "64:ff9b::a00:1",
        "2002:a00:1::",
        "100.64.0.1",
        "0.0.0.0",  # noqa: S104 - an address that is refused
        "224.0.0.1",
    ):
        assert not is_public(address), address
    assert is_public("93.184.215.14")
    assert is_public("2606:2800:21f:cb07:6820:80da:af6b:8b2c")


def test_the_text_of_a_page_keeps_its_shape() -> None:
    html = "<ul><li>a<li>b</ul><pre>x\n  y</pre><a href='/z'>z</a><style>.</style><table><tr><td>1"

    assert page_text(html, markdown=True) == "- a\n- b\n\n```\nx\n  y\n```\n\n[z](/z)\n\n | 1"
