"""Decides whether a call may run: deny beats ask beats allow, unit by unit.

Pure: knows no file of rules, no prompt and no shell. What a mode forbids outright no rule and no
answer lifts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from luvus_service.luxe.domain.patterns import any_run_matches, command_matches, path_matches
from luvus_service.luxe.domain.permission_units import CommandUnit, NamedUnit, PathUnit, Unit
from luvus_service.luxe.domain.values import Mode, PermissionMode

Verdict: TypeAlias = Literal["allow", "ask", "deny"]
Source: TypeAlias = Literal["built_in", "user", "project", "saved", "session"]
RuleTool: TypeAlias = Literal[
    "read", "edit", "bash", "external_directory", "web_fetch", "mcp", "task", "github_write", "*"
]
_STRICTNESS: dict[Verdict, int] = {"allow": 0, "ask": 1, "deny": 2}


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of one source."""

    action: Verdict
    tool: RuleTool
    pattern: str
    source: Source = "user"
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Policy:
    """What is in force when a call is judged."""

    permission_mode: PermissionMode = "ask"
    mode: Mode = "build"
    rules: tuple[Rule, ...] = ()
    trusted: bool = False
    """Whether allow rules of the project count."""
    home: str = "/"
    root: str = "/"


@dataclass(frozen=True, slots=True)
class Grant:
    """An allow rule that `always` would add."""

    tool: RuleTool
    pattern: str


@dataclass(frozen=True, slots=True)
class UnitVerdict:
    """What was decided about one unit, and why."""

    unit: Unit
    verdict: Verdict
    action: str
    reason: str
    grants: tuple[Grant, ...] = ()
    """What `always` would store for it; empty when nothing may be offered."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided about a call."""

    verdict: Verdict
    action: str = "read"
    reason: str = ""
    resources: tuple[str, ...] = ()
    grants: tuple[Grant, ...] = ()


def decide(units: Sequence[Unit], policy: Policy) -> Decision:
    """Judge a call by its units; the strictest unit decides."""
    judged = [judge(unit, policy) for unit in units]
    if not judged:
        return Decision("allow")
    worst = max(judged, key=lambda item: _STRICTNESS[item.verdict])
    if worst.verdict == "allow":
        return Decision("allow", worst.action, worst.reason)
    concerned = [item for item in judged if item.verdict == worst.verdict]
    grants: dict[Grant, None] = {}
    if worst.verdict == "ask" and all(item.grants for item in concerned):
        grants = {grant: None for item in concerned for grant in item.grants}
    return Decision(
        worst.verdict,
        worst.action,
        worst.reason,
        tuple(dict.fromkeys(shown(item.unit) for item in concerned)),
        tuple(grants),
    )


def judge(unit: Unit, policy: Policy) -> UnitVerdict:
    """Judge one unit."""
    action = _action(unit)
    refused = _built_in(unit)
    if refused is not None:
        return UnitVerdict(unit, "deny", action, refused)
    default, hard = _default(unit, policy)
    if hard and default == "deny":
        return UnitVerdict(unit, "deny", action, f"{_mode_name(policy)} does not allow it")
    found = [rule for rule in policy.rules if _counts(rule, policy) and _matches(rule, unit)]
    for verdict in ("deny", "ask"):
        for rule in found:
            if rule.action == verdict:
                return UnitVerdict(unit, rule.action, action, _because(rule))
    allowed = next((rule for rule in found if rule.action == "allow"), None)
    if allowed is not None and default == "ask" and _may_be_allowed(unit, policy):
        return UnitVerdict(unit, "allow", action, _because(allowed))
    if default == "ask":
        grants = _grants(unit, policy)
        return UnitVerdict(unit, "ask", action, f"default of {_mode_name(policy)}", grants)
    return UnitVerdict(unit, default, action, f"default of {_mode_name(policy)}")


def covered(unit: PathUnit, folder: PathUnit, policy: Policy) -> bool:
    """Say whether a call that runs on a folder may read a file below it.

    A folder that asks was consented to, and with it what asks in it. In one that did not ask,
    a file that does has had no consent. A deny stands everywhere.
    """
    verdict = judge(unit, policy).verdict
    return verdict == "allow" or (verdict == "ask" and judge(folder, policy).verdict == "ask")


def shown(unit: Unit) -> str:
    """Return a unit as a prompt shows it."""
    if isinstance(unit, PathUnit):
        return unit.relative if unit.relative is not None and unit.inside else unit.resolved
    return unit.text if isinstance(unit, CommandUnit) else unit.name


def _action(unit: Unit) -> str:
    if isinstance(unit, PathUnit):
        return unit.action if unit.inside else "external_directory"
    if isinstance(unit, CommandUnit):
        return "github_write" if unit.github_write else "bash"
    return unit.action


def _built_in(unit: Unit) -> str | None:
    if not isinstance(unit, PathUnit):
        return None
    if unit.private:
        return f"{shown(unit)} holds secrets; it is never read"
    if unit.protected and unit.action == "edit":
        return f"{shown(unit)} is never written by the agent"
    return None


def _default(unit: Unit, policy: Policy) -> tuple[Verdict, bool]:
    """Return the table's verdict, and whether it stands against every rule."""
    column = "plan" if policy.mode == "plan" else policy.permission_mode
    if policy.permission_mode == "read_only":
        column = "read_only"
    bound = column in {"read_only", "plan"}
    row = _ROWS[_row(unit, plan=column == "plan")]
    return row[_COLUMNS.index(column)], bound


_COLUMNS = ("ask", "accept_edits", "read_only", "yolo", "plan")
_ROWS: dict[str, tuple[Verdict, Verdict, Verdict, Verdict, Verdict]] = {
    "read": ("allow", "allow", "allow", "allow", "allow"),
    "edit": ("ask", "allow", "deny", "allow", "deny"),
    "bash_reading": ("allow", "allow", "allow", "allow", "allow"),
    "bash": ("ask", "ask", "deny", "allow", "ask"),
    "bash_writing": ("ask", "ask", "deny", "allow", "deny"),
    "outside_read": ("ask", "ask", "ask", "allow", "ask"),
    "outside_edit": ("ask", "ask", "deny", "allow", "deny"),
    "web_fetch": ("ask", "ask", "ask", "allow", "ask"),
    "mcp": ("ask", "ask", "deny", "allow", "deny"),
    "mcp_reading": ("ask", "ask", "ask", "allow", "ask"),
    "task": ("allow", "allow", "deny", "allow", "deny"),
    "task_reading": ("allow", "allow", "allow", "allow", "allow"),
    "github_write": ("ask", "ask", "deny", "ask", "deny"),
    "doom_loop": ("ask", "ask", "ask", "allow", "ask"),
}


def _row(unit: Unit, *, plan: bool) -> str:
    if isinstance(unit, PathUnit):
        return unit.action if unit.inside else f"outside_{unit.action}"
    if isinstance(unit, CommandUnit):
        if unit.github_write:
            return "github_write"
        if unit.read_only and not unit.opaque and not unit.writes:
            return "bash_reading"
        return "bash_writing" if unit.writes and plan else "bash"
    reading = unit.reads_only and unit.action in {"mcp", "task"}
    return f"{unit.action}_reading" if reading else unit.action


def _counts(rule: Rule, policy: Policy) -> bool:
    return rule.action != "allow" or rule.source != "project" or policy.trusted


def _matches(rule: Rule, unit: Unit) -> bool:
    if isinstance(unit, PathUnit):
        named = rule.tool in {unit.action, "*"}
        if not unit.inside:
            named = named or rule.tool == "external_directory"
        if rule.action == "allow" and not unit.inside:
            # An allow inside the project says nothing about a path outside of it.
            named = rule.tool in {"external_directory", "*"}
        return named and path_matches(rule.pattern, unit, strict=rule.action == "allow")
    if isinstance(unit, CommandUnit):
        tools = {"bash", "*"} | ({"github_write"} if unit.github_write else set[str]())
        if rule.tool not in tools:
            return False
        if command_matches(rule.pattern, unit.text):
            return True
        return unit.opaque and rule.action == "deny" and any_run_matches(rule.pattern, unit.text)
    return rule.tool in {unit.action, "*"} and command_matches(rule.pattern, unit.name)


def _may_be_allowed(unit: Unit, policy: Policy) -> bool:
    if isinstance(unit, NamedUnit):
        return unit.action != "doom_loop"
    if isinstance(unit, PathUnit):
        return True
    # Plan mode's `ask` for commands is asked every time; what cannot be split too.
    return not unit.opaque and policy.mode != "plan"


def _because(rule: Rule) -> str:
    source = {"built_in": "built-in", "saved": "saved", "session": "this session's"}.get(
        rule.source, f"{rule.source}'s"
    )
    return f"{source} rule {rule.action} {rule.tool} {rule.pattern!r}" + (
        f": {rule.note}" if rule.note else ""
    )


def _mode_name(policy: Policy) -> str:
    if policy.permission_mode == "read_only":
        return "read-only mode"
    return "plan mode" if policy.mode == "plan" else f"{policy.permission_mode} mode"


def _grants(unit: Unit, policy: Policy) -> tuple[Grant, ...]:
    if isinstance(unit, CommandUnit):
        if unit.opaque or unit.github_write or unit.always is None or policy.mode == "plan":
            return ()
        return (Grant("bash", unit.always),)
    if isinstance(unit, NamedUnit):
        if unit.action == "doom_loop":
            return ()
        return (Grant(unit.action, unit.name),)
    if unit.inside:
        path = shown(unit)
        folder = path if unit.folder else path.rpartition("/")[0]
        folders = (Grant(unit.action, f"{folder}/**"),) if folder else ()
        return (Grant(unit.action, path), *folders)
    # Of a folder itself its parent would be far more than was asked for.
    folder = unit.resolved if unit.folder else unit.resolved.rpartition("/")[0]
    if folder in {"", "/", policy.home.rstrip("/")} or _above(folder, (policy.root, policy.home)):
        return ()
    below = Grant("external_directory", f"{folder}/**")
    # A pattern for what is below a folder does not name the folder.
    return (Grant("external_directory", folder), below) if unit.folder else (below,)


def _above(folder: str, others: Iterable[str]) -> bool:
    return any(other == folder or other.startswith(folder + "/") for other in others)
