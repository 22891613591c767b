from __future__ import annotations

from dataclasses import replace

import pytest

from luvus_service.luxe.domain.permission_units import CommandUnit, NamedUnit, PathUnit, Unit
from luvus_service.luxe.domain.permissions import Grant, Policy, Rule, Verdict, decide
from luvus_service.luxe.domain.values import PermissionMode

ROOT = "/home/me/app"


def path(action: str, relative: str, **more: bool) -> PathUnit:
    unit = PathUnit("read", relative, relative, f"{ROOT}/{relative}", inside=True)
    return replace(unit, action=action, **more)  # type: ignore[arg-type]


def outside(action: str, resolved: str) -> PathUnit:
    unit = PathUnit("read", resolved, None, resolved, inside=False)
    return replace(unit, action=action)  # type: ignore[arg-type]


def command(text: str, **more: object) -> CommandUnit:
    unit = CommandUnit(text, tuple(text.split()), always=f"{text.split()[0]} *")
    return replace(unit, **more)  # type: ignore[arg-type]


POLICY = Policy(home="/home/me", root=ROOT)
PLAN = replace(POLICY, mode="plan")

TABLE: list[tuple[Unit, str]] = [
    (path("read", "a.py"), "allow allow allow allow allow"),
    (path("edit", "a.py"), "ask allow deny allow deny"),
    (command("ls", read_only=True), "allow allow allow allow allow"),
    (command("make"), "ask ask deny allow ask"),
    (command("make > x", writes=True), "ask ask deny allow deny"),
    (outside("read", "/etc/hosts"), "ask ask ask allow ask"),
    (outside("edit", "/etc/hosts"), "ask ask deny allow deny"),
    (NamedUnit("web_fetch", "example.org"), "ask ask ask allow ask"),
    (NamedUnit("mcp", "s/t"), "ask ask deny allow deny"),
    (NamedUnit("mcp", "s/t", reads_only=True), "ask ask ask allow ask"),
    (NamedUnit("task", "general"), "allow allow deny allow deny"),
    (NamedUnit("task", "explore", reads_only=True), "allow allow allow allow allow"),
    (command("git push", github_write=True), "ask ask deny ask deny"),
]
MODES: tuple[PermissionMode, ...] = ("ask", "accept_edits", "read_only", "yolo")


@pytest.mark.parametrize(("unit", "row"), TABLE)
def test_without_rules_the_table_decides(unit: Unit, row: str) -> None:
    policies = [*(replace(POLICY, permission_mode=mode) for mode in MODES), PLAN]

    assert [decide([unit], policy).verdict for policy in policies] == row.split()


@pytest.mark.parametrize("verdict", ["allow", "ask"])
@pytest.mark.parametrize("policy", [replace(POLICY, permission_mode="read_only"), PLAN])
def test_no_rule_lifts_what_a_mode_denies(policy: Policy, verdict: Verdict) -> None:
    policy = replace(policy, rules=(Rule(verdict, "*", "**"), Rule(verdict, "*", "*")))

    assert decide([path("edit", "a.py")], policy).verdict == "deny"


def test_deny_beats_ask_beats_allow_whatever_the_order_and_source() -> None:
    allow = Rule("allow", "bash", "make *", "saved")
    ask = Rule("ask", "bash", "make install", "user")
    deny = Rule("deny", "bash", "make inst*", "project")
    for rules in ((allow, ask, deny), (deny, ask, allow)):
        assert decide([command("make install")], replace(POLICY, rules=rules)).verdict == "deny"
    for pair in ((allow, ask), (ask, allow)):
        assert decide([command("make install")], replace(POLICY, rules=pair)).verdict == "ask"
    assert decide([command("make test")], replace(POLICY, rules=(allow, ask))).verdict == "allow"


def test_the_strictest_unit_decides_for_the_whole_call() -> None:
    policy = replace(POLICY, rules=(Rule("allow", "bash", "git *"),))

    decision = decide([command("git status"), command("rm -rf build", always=None)], policy)

    assert (decision.verdict, decision.resources, decision.grants) == ("ask", ("rm -rf build",), ())


def test_auto_modes_never_lift_a_deny() -> None:
    policy = replace(POLICY, permission_mode="yolo", rules=(Rule("deny", "bash", "rm *"),))

    assert decide([command("rm x")], policy).verdict == "deny"
    assert decide([path("read", ".env", private=True)], policy).verdict == "deny"
    assert decide([path("edit", ".git/config", protected=True)], policy).verdict == "deny"
    assert decide([path("read", ".git/config", protected=True)], policy).verdict == "allow"


def test_allow_rules_of_an_untrusted_project_do_not_count_and_its_denies_do() -> None:
    rules = (Rule("allow", "bash", "*", "project"), Rule("deny", "bash", "rm *", "project"))
    policy = replace(POLICY, rules=rules)

    assert decide([command("make")], policy).verdict == "ask"
    assert decide([command("rm x")], policy).verdict == "deny"
    assert decide([command("make")], replace(policy, trusted=True)).verdict == "allow"


def test_a_deny_matches_any_form_and_an_allow_the_resolved_one() -> None:
    linked = PathUnit("edit", "link/x", "src/x", f"{ROOT}/src/x", inside=True)
    for pattern in ("link/*", "src/*", f"{ROOT}/src/*", "x"):
        policy = replace(POLICY, rules=(Rule("deny", "edit", pattern),))
        assert decide([linked], policy).verdict == "deny", pattern
    for pattern, verdict in (("link/*", "ask"), ("src/*", "allow"), (f"{ROOT}/**", "allow")):
        policy = replace(POLICY, rules=(Rule("allow", "edit", pattern),))
        assert decide([linked], policy).verdict == verdict, pattern


def test_an_opaque_command_always_asks_and_denies_reach_into_it() -> None:
    opaque = CommandUnit('eval "$X" && git push origin', (), opaque=True)
    allowed = replace(POLICY, rules=(Rule("allow", "bash", "*"),))
    denied = replace(POLICY, rules=(Rule("deny", "bash", "git push *"),))

    assert decide([opaque], allowed).verdict == "ask"
    assert decide([opaque], allowed).grants == ()
    assert decide([opaque], denied).verdict == "deny"


def test_an_allow_for_the_project_says_nothing_of_a_path_outside() -> None:
    policy = replace(POLICY, rules=(Rule("allow", "edit", "**"),))

    assert decide([path("edit", "a.py")], policy).verdict == "allow"
    assert decide([outside("edit", "/srv/x")], policy).verdict == "ask"


@pytest.mark.parametrize(
    ("unit", "grants"),
    [
        (path("edit", "src/a.py"), [("edit", "src/a.py"), ("edit", "src/**")]),
        (path("edit", "a.py"), [("edit", "a.py")]),
        (outside("read", "/srv/data/x"), [("external_directory", "/srv/data/**")]),
        (
            replace(outside("read", "/srv/data"), folder=True),
            [("external_directory", "/srv/data"), ("external_directory", "/srv/data/**")],
        ),
        (replace(outside("read", "/"), folder=True), []),
        (replace(outside("read", "/home/me"), folder=True), []),
        (replace(outside("read", "/home"), folder=True), []),
        (
            replace(path("edit", "src/sub"), folder=True),
            [("edit", "src/sub"), ("edit", "src/sub/**")],
        ),
        (outside("read", "/x"), []),
        (outside("read", "/home/me/x"), []),
        (outside("read", "/home/x"), []),
        (command("make"), [("bash", "make *")]),
        (command("sudo ls", always=None), []),
        (NamedUnit("web_fetch", "example.org"), [("web_fetch", "example.org")]),
        (NamedUnit("doom_loop", "read"), []),
        (command("git push", github_write=True), []),
    ],
)
def test_always_offers_what_may_be_stored(unit: Unit, grants: list[tuple[str, str]]) -> None:
    decision = decide([unit], POLICY)

    assert decision.verdict == "ask"
    assert decision.grants == tuple(Grant(tool, pattern) for tool, pattern in grants)  # type: ignore[arg-type]
    rules = tuple(Rule("allow", grant.tool, grant.pattern) for grant in decision.grants)
    granted = decide([unit], replace(POLICY, rules=rules))
    assert granted.verdict == ("allow" if grants else "ask")


def test_what_an_explicit_rule_asks_for_offers_no_always() -> None:
    policy = replace(POLICY, rules=(Rule("ask", "bash", "make *"),))

    decision = decide([command("make")], policy)

    assert (decision.verdict, decision.grants) == ("ask", ())
    assert decision.reason == "user's rule ask bash 'make *'"


def test_plan_mode_never_takes_always_for_commands() -> None:
    policy = replace(PLAN, rules=(Rule("allow", "bash", "make *"),))

    assert decide([command("make")], policy).verdict == "ask"
    assert decide([command("make")], policy).grants == ()
