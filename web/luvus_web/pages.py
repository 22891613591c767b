"""The built pages, held in memory: what is not among them does not exist.

Knows nothing of logins. Names under `assets/` carry a hash of their content and are kept for ever.
"""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
from dataclasses import dataclass
from pathlib import Path

from luvus_web.asgi import Header, Receive, Scope, Send, answer, header, refuse

FILES = 256
"""Files that are read at most."""
FILE_BYTES = 4_194_304
"""The largest file that is read."""
_TEXT = ("text/", "application/javascript", "application/json", "image/svg")
_KINDS = {".woff2": "font/woff2", ".js": "text/javascript", ".webmanifest": "application/json"}


@dataclass(frozen=True, slots=True)
class Page:
    """One file, as it is sent."""

    body: bytes
    packed: bytes | None
    kind: str
    tag: str
    lasting: bool


class Pages:
    """The files of one folder."""

    def __init__(self, folder: Path) -> None:
        """Read everything below `folder`; a folder that is not there has no files."""
        found = (path for path in folder.rglob("*") if not path.name.startswith("."))
        paths = sorted(path for path in found if path.is_file())
        self._pages = {
            path.relative_to(folder).as_posix(): _load(path)
            for path in paths[:FILES]
            if path.stat().st_size <= FILE_BYTES
        }

    def __contains__(self, name: object) -> bool:
        return name in self._pages

    async def show(
        self, name: str, scope: Scope, receive: Receive, send: Send, *, status: int = 200
    ) -> None:
        """Answer GET or HEAD with a file."""
        page = self._pages.get(name)
        if page is None:
            await refuse(scope, receive, send, 404, "there is no such page")
            return
        if status == 200 and header(scope, b"if-none-match") == page.tag:
            await answer(send, 304, b"", page.kind, (_tag(page),))
            return
        packed = "gzip" in (header(scope, b"accept-encoding") or "")
        headers = [_tag(page), _keep(page), (b"vary", b"accept-encoding")]
        body = page.body
        if packed and page.packed is not None:
            body = page.packed
            headers.append((b"content-encoding", b"gzip"))
        if scope["method"] == "HEAD":
            body = b""
        await answer(send, status, body, page.kind, tuple(headers))


def _load(path: Path) -> Page:
    body = path.read_bytes()
    kind = _KINDS.get(path.suffix) or mimetypes.guess_type(path.name)[0]
    kind = kind or "application/octet-stream"
    text = kind.startswith(_TEXT)
    packed = gzip.compress(body, 6, mtime=0) if text and len(body) > 512 else None
    return Page(
        body=body,
        packed=packed,
        kind=f"{kind}; charset=utf-8" if text else kind,
        tag=f'"{hashlib.sha256(body).hexdigest()[:32]}"',
        lasting=path.parent.name == "assets",
    )


def _tag(page: Page) -> Header:
    return (b"etag", page.tag.encode())


def _keep(page: Page) -> Header:
    lasting = b"public, max-age=31536000, immutable"
    return (b"cache-control", lasting if page.lasting else b"no-cache")
