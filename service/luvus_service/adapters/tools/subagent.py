"""The `task` tool: hands a piece of work to a sub-agent with a context of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, cast

from luvus_service.adapters.tools.arguments import Arguments, Prepared, failed, schema, string
from luvus_service.luxe.domain.permission_units import NamedUnit
from luvus_service.luxe.domain.tool_ports import (
    InputRefused,
    Outcome,
    PreparedCall,
    Preview,
    Progress,
    Workbench,
)
from luvus_service.luxe.domain.values import Input, Mode, ToolKind

PROMPT_BYTES = 256 * 1024
KINDS = ("explore", "general")


class TaskTool:
    """Runs sub-agents."""

    name = "task"
    description = (
        "Give a self-contained piece of work to a sub-agent, which knows nothing but `prompt` and"
        " answers with one text. `explore` only reads; `general` may change things."
    )
    parameters: Mapping[str, Any] = schema(
        ("description", "prompt"),
        description=string("The work in three to five words."),
        prompt=string("Everything the sub-agent must know, and what it must report."),
        kind={"type": "string", "enum": list(KINDS)},
    )
    kind: ToolKind = "task"
    # A general one may change things, and the kind is not known before the call.
    reads_only = False
    modes: frozenset[Mode] = frozenset({"build", "plan"})

    async def prepare(self, given: Input, bench: Workbench) -> PreparedCall:
        """Read the arguments."""
        arguments = Arguments(given)
        prompt = arguments.text("prompt", limit=PROMPT_BYTES)
        described = " ".join(arguments.text("description", limit=2_000).split())[:200]
        if not prompt.strip():
            raise InputRefused("`prompt` is empty")
        found = arguments.choice("kind", KINDS, "explore" if bench.mode == "plan" else "general")
        kind = cast("Literal['explore', 'general']", found)
        unit = NamedUnit("task", kind, reads_only=kind == "explore")

        async def work(_progress: Progress) -> Outcome:
            try:
                return Outcome(
                    await bench.delegate(prompt, kind=kind, description=described)
                    or "[the sub-agent said nothing]"
                )
            except InputRefused as refusal:
                return failed(str(refusal))

        return Prepared(Preview(f"Task: {described}", (unit,), description=described), work)
