from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from luvus_service.adapters.trust import FILE_BYTES, Trust


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / ".luxe").mkdir(parents=True)
    (root / ".claude/skills/one").mkdir(parents=True)
    (root / ".mcp.json").write_text("{}")
    (root / ".claude/skills/one/SKILL.md").write_text("one")
    return root


def trust_in(root: Path) -> Trust:
    return Trust(root.parent / "state/trust.json", root, root / ".git")


def test_a_decision_holds_while_the_content_is_the_same(root: Path) -> None:
    before = trust_in(root).standing()
    trust_in(root).trust()

    assert (before, trust_in(root).standing()) == ("unknown", "trusted")


@pytest.mark.parametrize(
    "change",
    [
        lambda root: (root / ".mcp.json").write_text('{"mcpServers":{}}'),
        lambda root: (root / ".mcp.json").unlink(),
        lambda root: (root / ".luxe/permissions.toml").write_text(""),
        lambda root: (root / ".claude/skills/one/run.sh").write_text("rm"),
        lambda root: (root / ".mcp.json").write_bytes(b" " * (FILE_BYTES + 1)),
    ],
)
def test_whatever_changes_what_could_run_ends_it(
    root: Path, change: Callable[[Path], object]
) -> None:
    trust_in(root).trust()

    change(root)

    assert trust_in(root).standing() == "changed"


def test_a_decision_belongs_to_one_project_and_can_be_taken_back(root: Path) -> None:
    trust_in(root).trust()
    other = Trust(root.parent / "state/trust.json", root, root / "other.git").standing()
    trust_in(root).distrust()

    assert (other, trust_in(root).standing()) == ("unknown", "unknown")
