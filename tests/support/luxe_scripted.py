"""`luxe` with a scripted provider and the tools of the tests, as a program.

The file named in LUXE_TEST_SCRIPT holds a list of answers: a text, a list of calls
`[id, name, input]`, or the word "hang".
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from luvus_service.adapters.tools.toolbox import FixedToolbox
from luvus_service.luxe.domain.ports import Delta, ModelRequest
from luvus_service.luxe_main import main
from tests.support.luxe_tools import AskingTool, FakeTool, shell
from tests.support.scripted_provider import ScriptedProvider, calls, says


class FileProvider(ScriptedProvider):
    """Takes its script from the file when the first call comes."""

    async def answer(self, request: ModelRequest) -> AsyncIterator[Delta]:
        if not self.requests:
            written = json.loads(Path(os.environ["LUXE_TEST_SCRIPT"]).read_text())
            self.scripts = [_script(step) for step in written]
        async for delta in super().answer(request):
            yield delta


def _script(step: Any) -> Any:
    if step == "hang":
        return [asyncio.Event()]
    if isinstance(step, str):
        return says(step, pieces=4)
    return calls(*(tuple(call) for call in step))


TOOLS = FixedToolbox(
    [
        FakeTool("read"),
        FakeTool("bash", "execute", reads_only=False, units=shell),
        AskingTool("question", "question"),
    ]
)

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], providers=[FileProvider()], toolbox=TOOLS))
