"""Cuts shell text into its simple commands with a real grammar (tree-sitter-bash).

Knows no rule and no program: what the commands mean is judged in `tools.command_units`. Wherever
the grammar and bash could disagree, the text is called opaque instead of guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING

from luvus_service.adapters.shell_words import BRACES, ansi, splits_alike, unescaped
from luvus_service.luxe.domain.permission_units import ParsedShell, Redirection, SimpleCommand

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

TEXT_BYTES = 64 * 1024
"""A longer text is opaque."""
DEPTH = 60
"""Constructs inside each other; deeper ones make the text opaque."""

_SUBSTITUTIONS = frozenset({"command_substitution", "process_substitution"})
_EXPANSIONS = _SUBSTITUTIONS | {
    "simple_expansion",
    "expansion",
    "arithmetic_expansion",
    "brace_expression",
}
_PLAIN = frozenset(
    {"word", "number", "variable_name", "special_variable_name", "test_operator", "regex"}
)
_REDIRECTS = frozenset({"file_redirect", "heredoc_redirect", "herestring_redirect"})
# Constructs that only hold commands; everything not listed anywhere makes the text opaque.
_HOLDERS = frozenset(
    {
        *("program", "list", "compound_statement", "subshell", "if_statement", "elif_clause"),
        *("else_clause", "while_statement", "do_group", "for_statement", "negated_command"),
        *("c_style_for_statement", "case_statement", "case_item"),
    }
)
# Constructs that hold words and expressions, in which commands stand in substitutions only.
_EXPRESSIONS = frozenset(
    {
        *("test_command", "unary_expression", "binary_expression", "parenthesized_expression"),
        *("postfix_expression", "ternary_expression", "array", "subscript", "extglob_pattern"),
        *("string", "raw_string", "ansi_c_string", "translated_string", "concatenation"),
        *("heredoc_body", "heredoc_content", "string_content", "variable_assignment"),
        *("variable_assignments", "comment"),
    }
)
# These name no path and hide no command; `$HOME` is resolved where paths are.
_HARMLESS = frozenset({"$HOME", "${HOME}", "$?", "$#", "$$", "$!"})


class BashParser:
    """The grammar of bash, which includes that of POSIX shell."""

    def parse(self, text: str) -> ParsedShell:
        """Return every simple command of a text."""
        reason = _unreadable(text)
        if reason is not None:
            return ParsedShell((), reason)
        source = text.encode("utf-8")
        root = _grammar().parse(source).root_node
        if root.has_error:
            return ParsedShell((), "syntax error")
        reading = _Reading(source)
        reading.visit(root, _Place())
        return ParsedShell(tuple(reading.commands), reading.opaque)


@cache
def _grammar() -> Parser:
    # Imported at the first command: not every session runs one.
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_bash.language()))


def _unreadable(text: str) -> str | None:
    if len(text) > TEXT_BYTES:
        return f"longer than {TEXT_BYTES} bytes"
    # Bash splits words at blanks, tabs and line feeds; the grammar takes more for white space.
    if any((char.isspace() or char < " ") and char not in " \t\n" for char in text):
        return "unusual white space or control characters"
    if re.search(r"[^\s]\\\n[^\s]", text):
        return "a word that goes on in the next line"
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return "not valid Unicode"
    return None


@dataclass(frozen=True, slots=True)
class _Place:
    inside: bool = False
    piped_from: str | None = None
    depth: int = 0

    def deeper(self) -> _Place:
        return replace(self, depth=self.depth + 1)


@dataclass(slots=True)
class _Words:
    """What is read of one simple command."""

    words: list[str] = field(default_factory=list[str])
    assignments: list[str] = field(default_factory=list[str])
    redirections: list[Redirection] = field(default_factory=list[Redirection])
    expands: bool = False
    expands_assignment: bool = False
    name_expands: bool = False
    here_document: bool = False


class _Reading:
    """One pass over a syntax tree."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self.commands: list[SimpleCommand] = []
        self.opaque: str | None = None

    def visit(self, node: Node, place: _Place) -> None:
        """Collect the commands at and below a node."""
        if place.depth > DEPTH:
            self._doubt("nested too deeply")
        elif node.type in {"command", "declaration_command", "unset_command"}:
            self._command(node, place)
        elif node.type == "pipeline":
            self._pipeline(node, place)
        elif node.type == "redirected_statement":
            self._redirected(node, place)
        elif node.type == "variable_assignment":
            self._assignment(node, place)
        elif node.type == "function_definition":
            self._doubt("function definition")
            self._all(node, place)
        elif node.type in _SUBSTITUTIONS:
            self._all(node, _Place(inside=True, depth=place.depth))
        elif node.type in _HOLDERS | _EXPRESSIONS | _EXPANSIONS | _PLAIN:
            self._all(node, place)
        else:
            self._doubt(f"unknown construct {node.type}")

    def _all(self, node: Node, place: _Place) -> None:
        for child in node.named_children:
            if node.type == "c_style_for_statement" and child.type == "variable_assignment":
                # `for ((i=0; …))`: arithmetic, no command.
                self._substitutions(child, place)
            else:
                self.visit(child, place.deeper())

    def _doubt(self, reason: str) -> None:
        self.opaque = self.opaque or reason

    def _text(self, node: Node) -> str:
        return self._source[node.start_byte : node.end_byte].decode("utf-8")

    # Commands

    def _command(self, node: Node, place: _Place) -> None:
        found = _Words()
        if node.type != "command":
            found.words.append(self._text(node.children[0]))
        for child in node.named_children:
            self._part(child, found)
        plain = not (found.expands or found.name_expands or found.expands_assignment)
        plain &= not (found.redirections or found.here_document)
        if plain and not splits_alike(self._text(node), found.words, len(found.assignments)):
            self._doubt("words that two readings split differently")
        self._append(found, self._text(node), place)
        for child in node.named_children:
            self._substitutions(child, place)

    def _part(self, node: Node, found: _Words) -> None:
        if node.type == "variable_assignment":
            # `export A=1` keeps its assignments as words: they are its arguments.
            expands = _expands(node)
            if found.words:
                found.words.append(self._text(node))
                found.expands |= expands
            else:
                found.assignments.append(self._text(node))
                found.expands_assignment |= expands
        elif node.type in _REDIRECTS:
            self._redirect(node, found)
        elif node.type == "command_name":
            text, found.name_expands = self._word(node.named_children[0])
            found.words.append(text)
        elif node.type != "comment":
            text, expands = self._word(node)
            found.words.append(text)
            found.expands |= expands

    def _assignment(self, node: Node, place: _Place) -> None:
        found = _Words(assignments=[self._text(node)], expands_assignment=_expands(node))
        self._append(found, self._text(node), place)
        self._substitutions(node, place)

    def _pipeline(self, node: Node, place: _Place) -> None:
        before = place.piped_from
        for stage in node.named_children:
            start = len(self.commands)
            self.visit(stage, replace(place, piped_from=before, depth=place.depth + 1))
            before = self._name_since(start, place) or "?"

    def _name_since(self, start: int, place: _Place) -> str | None:
        for command in reversed(self.commands[start:]):
            if command.in_substitution == place.inside:
                return command.words[0] if command.words else None
        return None

    def _redirected(self, node: Node, place: _Place) -> None:
        body = node.child_by_field_name("body")
        start = len(self.commands)
        if body is not None:
            self.visit(body, place.deeper())
        found = _Words()
        redirects = [child for child in node.named_children if child.type in _REDIRECTS]
        for redirect in redirects:
            self._redirect(redirect, found)
        self._attach(found, start, body, self._text(node), place)
        for redirect in redirects:
            for child in redirect.named_children:
                if child.type in {"command", "list", "redirected_statement"}:
                    self.visit(child, place.deeper())
                elif child.type == "pipeline":
                    piped = self._name_since(start, place) or "?"
                    self.visit(child, replace(place, piped_from=piped, depth=place.depth + 1))
                else:
                    self._substitutions(child, place)

    def _attach(
        self, found: _Words, start: int, body: Node | None, raw: str, place: _Place
    ) -> None:
        if len(self.commands) == start:
            self._append(found, raw, place)
            return
        plain = body is not None and body.type == "command"
        index = start if plain else len(self.commands) - 1
        target = self.commands[index]
        self.commands[index] = replace(
            target,
            # Words after a redirection belong to the command: `cat < a b`.
            words=(*target.words, *found.words),
            raw=raw if plain else target.raw,
            redirections=(*target.redirections, *found.redirections),
            expands=target.expands or found.expands,
            here_document=target.here_document or found.here_document,
        )

    def _append(self, found: _Words, raw: str, place: _Place) -> None:
        self.commands.append(
            SimpleCommand(
                words=tuple(found.words),
                raw=raw,
                assignments=tuple(found.assignments),
                redirections=tuple(found.redirections),
                expands=found.expands or found.name_expands,
                expands_assignment=found.expands_assignment,
                name_expands=found.name_expands,
                in_substitution=place.inside,
                piped_from=place.piped_from,
                here_document=found.here_document,
            )
        )

    def _redirect(self, node: Node, found: _Words) -> None:
        if node.type == "herestring_redirect":
            found.here_document = True
            return
        if node.type == "heredoc_redirect":
            found.here_document = True
            for child in node.named_children:
                if child.type == "file_redirect":
                    self._redirect(child, found)
                elif child.type not in _HEREDOC_PARTS:
                    self._doubt(f"unknown construct {child.type} in a here-document")
            return
        operator = next((child.type for child in node.children if not child.is_named), "")
        targets = node.children_by_field_name("destination")
        if not operator or not targets:
            self._doubt("a redirection without a target")
            return
        text, expands = self._word(targets[0])
        if not (operator.endswith("&") and re.fullmatch(r"[0-9]+-?|-", text)):
            found.redirections.append(Redirection(operator, text, not expands))
        for extra in targets[1:]:
            text, expands = self._word(extra)
            found.words.append(text)
            found.expands |= expands

    def _substitutions(self, node: Node, place: _Place) -> None:
        for inner in _outermost(node):
            self.visit(inner, place.deeper())

    # Words

    def _word(self, node: Node) -> tuple[str, bool]:
        """Return a word after quote removal, and whether an expansion is left in it."""
        raw = self._text(node)
        if node.type in _PLAIN:
            if node.named_child_count:
                return raw, True
            named_home = raw.startswith("~") and not re.fullmatch(r"~(/.*)?", raw, re.DOTALL)
            return unescaped(raw), named_home or BRACES.search(raw) is not None
        if node.type == "raw_string":
            return raw[1:-1], False
        if node.type == "ansi_c_string":
            return ansi(raw[2:-1])
        if node.type in {"string", "translated_string"}:
            inside = raw[raw.index('"') + 1 : -1]
            text = re.sub(r'\\(["\\$`])', r"\1", inside.replace("\\\n", ""))
            return text, _expands(node)
        if node.type == "concatenation":
            return self._joined(node)
        if node.type in _EXPANSIONS:
            return raw, raw not in _HARMLESS
        self._doubt(f"unknown construct {node.type}")
        return raw, True

    def _joined(self, node: Node) -> tuple[str, bool]:
        parts: list[str] = []
        expands = False
        at = node.start_byte
        for child in node.children:
            if child.start_byte != at:
                self._doubt("a word with a gap")
            at = child.end_byte
            text, more = self._word(child) if child.is_named else (self._text(child), False)
            parts.append(text)
            expands |= more
        unquoted = "".join(self._text(child) for child in node.children if child.type == "word")
        return "".join(parts), expands or BRACES.search(unquoted) is not None


_HEREDOC_PARTS = frozenset(
    {
        *("heredoc_start", "heredoc_body", "heredoc_content", "heredoc_end", "file_descriptor"),
        *("pipeline", "command", "list", "redirected_statement", "file_redirect"),
        *("string_content", "comment"),
    }
)


def _outermost(node: Node) -> Iterator[Node]:
    """Yield the substitutions of a node that stand in no other one."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if current.type in _SUBSTITUTIONS:
            yield current
        else:
            waiting.extend(reversed(current.named_children))


def _expands(node: Node) -> bool:
    waiting = list(node.named_children)
    while waiting:
        current = waiting.pop()
        raw = current.text or b""
        if current.type in _EXPANSIONS and raw.decode("utf-8", "replace") not in _HARMLESS:
            return True
        waiting.extend(current.named_children)
    return False
