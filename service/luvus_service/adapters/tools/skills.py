"""Skills: folders with a SKILL.md whose text the model loads when it needs it.

Finding them is apart from the tool: whether a project's skills count is decided by trust, which
is not known here.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from luvus_service.adapters.tools import files
from luvus_service.adapters.tools.arguments import Arguments, Prepared, failed, schema, string
from luvus_service.luxe.domain.limits import OUTPUT_BYTES
from luvus_service.luxe.domain.tool_ports import (
    InputRefused,
    Outcome,
    PreparedCall,
    Preview,
    Progress,
    Workbench,
)
from luvus_service.luxe.domain.values import Input, Mode, ToolKind

SKILLS = 100
SKILL_BYTES = OUTPUT_BYTES - 1_024
DESCRIPTION_CHARS = 500
PROJECT_FOLDERS = (".agents/skills", ".luxe/skills", ".claude/skills")
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,63}")


@dataclass(frozen=True, slots=True)
class Skill:
    """One skill that can be loaded."""

    name: str
    description: str
    path: str
    """Of its SKILL.md."""


def find_skills(folders: Iterable[str]) -> list[Skill]:
    """Return the skills of some folders, blocking; of two of one name the first counts."""
    found: dict[str, Skill] = {}
    for folder in folders:
        for path in sorted(Path(folder).glob("*/SKILL.md")):
            if len(found) >= SKILLS:
                return list(found.values())
            skill = _skill(path)
            if skill is not None:
                found.setdefault(skill.name, skill)
    return list(found.values())


def project_skill_files(root: str) -> list[str]:
    """Return the files by whose content the trust in a project's skills is decided."""
    return [
        str(path)
        for folder in PROJECT_FOLDERS
        for path in sorted((Path(root) / folder).glob("*/SKILL.md"))
    ]


def _skill(path: Path) -> Skill | None:
    try:
        text = files.text_of(files.whole(str(path), path.name).raw, path.name)
    except files.FileFault:
        return None
    head = front_matter(text)
    name = head.get("name", path.parent.name)
    if not _NAME.fullmatch(name):
        return None
    return Skill(name, " ".join(head.get("description", "").split())[:DESCRIPTION_CHARS], str(path))


def front_matter(text: str) -> dict[str, str]:
    """Return the `key: value` lines between the two `---` at the beginning; indented ones join."""
    lines = text.split("\n")
    if not lines or lines[0].strip() != "---":
        return {}
    found: dict[str, str] = {}
    last = ""
    for line in lines[1:]:
        if line.strip() == "---":
            return found
        key, colon, value = line.partition(":")
        if line[:1] in {" ", "\t"} and last:
            found[last] = f"{found[last]} {line.strip()}".strip()
        elif colon and re.fullmatch(r"[\w-]+", key.strip()):
            last = key.strip()
            found[last] = "" if value.strip() in {">", "|", ">-", "|-"} else _bare(value.strip())
    return {}


def _bare(value: str) -> str:
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\""
    return value[1:-1] if quoted else value


class SkillTool:
    """Loads skills."""

    name = "skill"
    kind: ToolKind = "read"
    reads_only = True
    modes: frozenset[Mode] = frozenset({"build", "plan"})
    parameters: Mapping[str, Any] = schema(("name",), name=string("The skill's name."))

    def __init__(self, skills: Sequence[Skill]) -> None:
        """`skills` are those that may be used: the user's, and a trusted project's."""
        self._skills = {skill.name: skill for skill in skills}
        listed = "".join(f"\n- {skill.name}: {skill.description}" for skill in skills)
        self.description = f"Load a skill: instructions for one kind of work.{listed}"

    async def prepare(self, given: Input, bench: Workbench) -> PreparedCall:
        """Find the skill."""
        name = Arguments(given).text("name", "skill", limit=200)
        skill = self._skills.get(name)
        if skill is None:
            known = ", ".join(self._skills) or "none"
            raise InputRefused(f"there is no skill {name!r}; there are: {known}")

        async def work(_progress: Progress) -> Outcome:
            try:
                found = await asyncio.to_thread(files.whole, skill.path, "SKILL.md")
                text = files.text_of(found.raw, "SKILL.md")
            except files.FileFault as fault:
                return failed(str(fault))
            cut = len(text.encode("utf-8")) > SKILL_BYTES
            if cut:
                text = text.encode("utf-8")[:SKILL_BYTES].decode("utf-8", "replace")
            folder = str(Path(skill.path).parent)
            return Outcome(f"[files of this skill are in {folder}]\n{text}", truncated=cut)

        return Prepared(Preview(f"Load the skill {name}"), work)
