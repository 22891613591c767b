"""The session's description as JSON, which outlives a crash of the server.

Reading is all or nothing: a broken description raises with the place, and nothing is loaded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeVar, cast, get_args

from luvus_service.uhp.domain.errors import DomainError
from luvus_service.uhp.domain.layout_json import tree_from_json, tree_to_json
from luvus_service.uhp.domain.structure import (
    PaneKind,
    PaneRecord,
    Session,
    Tab,
    TabKind,
    Workspace,
    problems,
)

VERSION: Literal[1] = 1

T = TypeVar("T")


class BrokenState(Exception):
    """A description that cannot be a session; the text names the place."""


def session_to_state(session: Session) -> dict[str, object]:
    """Return a session as JSON-able values."""
    return {
        "version": VERSION,
        "next_pane": session.next_pane,
        "active": session.active,
        "workspaces": [_workspace_out(workspace) for workspace in session.workspaces],
        "panes": [_pane_out(session.panes[pane]) for pane in sorted(session.panes)],
    }


def session_from_state(state: object) -> Session:
    """Read a session from what `session_to_state` returned.

    Raises:
        BrokenState: It is of another version, malformed, or breaks an invariant.
    """
    root = _Place("state", state)
    version = root.get("version", int)
    if version.value != VERSION:
        raise BrokenState(f"{version.name} is {version.value!r}, this program reads {VERSION}")
    records = [_pane_in(place) for place in root.items("panes")]
    session = Session(
        workspaces=tuple(_workspace_in(place) for place in root.items("workspaces")),
        active=root.optional("active", str),
        panes={record.pane: record for record in records},
        next_pane=root.of("next_pane", int),
    )
    if len(session.panes) != len(records):
        raise BrokenState("state.panes has the same pane twice")
    broken = problems(session)
    if broken:
        raise BrokenState(f"state is not sound: {broken[0]}")
    return session


def _workspace_out(workspace: Workspace) -> dict[str, object]:
    return {
        "workspace_id": workspace.workspace_id,
        "name": workspace.name,
        "cwd": workspace.cwd,
        "pinned": workspace.pinned,
        "branch": workspace.branch,
        "ahead": workspace.ahead,
        "behind": workspace.behind,
        "active_tab": workspace.active_tab,
        "tabs": [_tab_out(tab) for tab in workspace.tabs],
    }


def _workspace_in(place: _Place) -> Workspace:
    return Workspace(
        workspace_id=place.of("workspace_id", str),
        name=place.of("name", str),
        cwd=place.of("cwd", str),
        tabs=tuple(_tab_in(tab) for tab in place.items("tabs")),
        active_tab=place.of("active_tab", str),
        pinned=place.of("pinned", bool),
        branch=place.optional("branch", str),
        ahead=place.optional("ahead", int),
        behind=place.optional("behind", int),
    )


def _tab_out(tab: Tab) -> dict[str, object]:
    return {
        "tab_id": tab.tab_id,
        "name": tab.name,
        "kind": tab.kind,
        "tree": tree_to_json(tab.tree),
        "focus": tab.focus,
        "zoomed": tab.zoomed,
    }


def _tab_in(place: _Place) -> Tab:
    tree = place.child("tree")
    try:
        parsed = tree_from_json(tree.value, tree.name)
    except DomainError as error:
        raise BrokenState(error.message) from error
    return Tab(
        tab_id=place.of("tab_id", str),
        tree=parsed,
        focus=place.of("focus", int),
        name=place.optional("name", str),
        kind=cast("TabKind", place.word("kind", get_args(TabKind))),
        zoomed=place.optional("zoomed", int),
    )


def _pane_out(record: PaneRecord) -> dict[str, object]:
    return {
        "pane": record.pane,
        "kind": record.kind,
        "terminal_id": record.terminal_id,
        "cwd": record.cwd,
        "command": None if record.command is None else list(record.command),
        "name": record.name,
        "label": record.label,
        "restore": record.restore,
        "agent": record.agent,
        "agent_session": record.agent_session,
    }


def _pane_in(place: _Place) -> PaneRecord:
    command: tuple[str, ...] | None = None
    if place.child("command").value is not None:
        command = tuple(item.a(str) for item in place.items("command"))
    return PaneRecord(
        pane=place.of("pane", int),
        kind=cast("PaneKind", place.word("kind", get_args(PaneKind))),
        terminal_id=place.optional("terminal_id", str),
        cwd=place.optional("cwd", str),
        command=command,
        name=place.optional("name", str),
        label=place.optional("label", str),
        restore=place.of("restore", bool),
        # Absent in what a server wrote before sessions were bound to panes.
        agent=place.absent_or("agent", str),
        agent_session=place.absent_or("agent_session", str),
    )


@dataclass(frozen=True, slots=True)
class _Place:
    """A value and the way to it, for error texts."""

    name: str
    value: object

    def a(self, kind: type[T]) -> T:
        # bool is an int to Python; here the two must not stand for each other.
        if type(self.value) is not kind:
            raise BrokenState(f"{self.name} must be of type {kind.__name__}")
        return self.value

    def child(self, key: str) -> _Place:
        value = self.value
        if not isinstance(value, dict):
            raise BrokenState(f"{self.name} must be an object")
        fields = cast("dict[object, object]", value)
        if key not in fields:
            raise BrokenState(f"{self.name}.{key} is missing")
        return _Place(f"{self.name}.{key}", fields[key])

    def get(self, key: str, kind: type[object]) -> _Place:
        place = self.child(key)
        place.a(kind)
        return place

    def of(self, key: str, kind: type[T]) -> T:
        return self.child(key).a(kind)

    def optional(self, key: str, kind: type[T]) -> T | None:
        place = self.child(key)
        return None if place.value is None else place.a(kind)

    def absent_or(self, key: str, kind: type[T]) -> T | None:
        value = self.value
        if isinstance(value, dict) and key not in cast("dict[object, object]", value):
            return None
        return self.optional(key, kind)

    def word(self, key: str, words: tuple[str, ...]) -> str:
        word = self.of(key, str)
        if word not in words:
            raise BrokenState(f"{self.name}.{key} must be one of {', '.join(words)}")
        return word

    def items(self, key: str) -> Iterator[_Place]:
        place = self.child(key)
        value = place.value
        if not isinstance(value, list):
            raise BrokenState(f"{place.name} must be a list")
        for index, item in enumerate(cast("list[object]", value)):
            yield _Place(f"{place.name}[{index}]", item)
