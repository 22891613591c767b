"""The text of an HTML page, plain or with the simplest marks of Markdown."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_SILENT = frozenset({"script", "style", "noscript", "template", "svg", "head", "iframe"})
_BLOCKS = frozenset(
    {
        *("p", "div", "section", "article", "header", "footer", "main", "nav", "aside", "table"),
        *("tr", "ul", "ol", "dl", "dt", "dd", "blockquote", "form", "figure", "hr", "pre", "h1"),
        *("h2", "h3", "h4", "h5", "h6", "li"),
    }
)
_MARKS = {"b": "**", "strong": "**", "em": "*", "i": "*", "code": "`"}


def page_text(html: str, *, markdown: bool) -> str:
    """Return what a page says; scripts and styles are left out."""
    reader = _Reader(markdown=markdown)
    reader.feed(html)
    reader.close()
    text = "".join(reader.parts)
    text = re.sub(r"[ \t]+\n", "\n", text)
    return re.sub(r"\n{3,}", "\n\n", text).strip()


class _Reader(HTMLParser):
    def __init__(self, *, markdown: bool) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._markdown = markdown
        self._silent = 0
        self._pre = 0
        self._links: list[str | None] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SILENT:
            self._silent += 1
        elif self._silent:
            return
        elif tag == "br":
            self.parts.append("\n")
        elif tag in _BLOCKS:
            self._block(tag)
        elif tag in {"td", "th"}:
            self.parts.append(" | ")
        elif tag == "a":
            self._links.append(dict(attrs).get("href"))
            self._mark("[")
        elif tag in _MARKS and not self._pre:
            self._mark(_MARKS[tag])

    def _block(self, tag: str) -> None:
        self.parts.append("\n" if tag in {"li", "tr", "dt", "dd"} else "\n\n")
        if tag == "pre":
            self._pre += 1
            self._mark("```\n")
        elif tag == "li":
            self.parts.append("- ")
        elif tag[0] == "h" and tag[1:].isdigit():
            self._mark("#" * int(tag[1:]) + " ")
        elif tag == "blockquote":
            self._mark("> ")

    def handle_endtag(self, tag: str) -> None:
        if tag in _SILENT:
            self._silent = max(0, self._silent - 1)
        elif self._silent:
            return
        elif tag == "pre":
            self._pre = max(0, self._pre - 1)
            self._mark("\n```")
            self.parts.append("\n\n")
        elif tag in _BLOCKS:
            self.parts.append("\n" if tag == "li" else "\n\n")
        elif tag == "a" and self._links:
            target = self._links.pop()
            self._mark(f"]({target})" if target else "]")
        elif tag in _MARKS and not self._pre:
            self._mark(_MARKS[tag])

    def handle_data(self, data: str) -> None:
        if self._silent:
            return
        if not self._pre:
            data = re.sub(r"\s+", " ", data)
            if data == " " and self.parts and self.parts[-1].endswith("\n"):
                return
        self.parts.append(data)

    def _mark(self, text: str) -> None:
        if self._markdown:
            self.parts.append(text)
