"""The calls of one message: those that only read run beside each other, the others in order.

Every call gets exactly one result, whatever happens in between.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from luvus_service.luxe.domain.limits import CANCEL_S, PARALLEL_TOOLS
from luvus_service.luxe.engine.answer import Called
from luvus_service.luxe.engine.tasks import ended
from luvus_service.luxe.engine.tool_call import Ended, ToolCall


class ToolBatch:
    """The calls of one assistant message."""

    def __init__(
        self,
        calls: Sequence[tuple[Called, ToolCall, bool]],
        repeated: Callable[[Called], bool],
        steered: Callable[[], bool],
    ) -> None:
        """Each call comes with whether it only reads."""
        self.calls = calls
        self._repeated = repeated
        self._steered = steered
        self._ended: dict[str, Ended] = {}
        self._places = asyncio.Semaphore(PARALLEL_TOOLS)

    async def run(self) -> None:
        """Make the calls; cancelled, it ends those under way and gives the rest a result too."""
        finished = False
        try:
            for segment in self._segments():
                if self._steered():
                    break
                await self._run_segment(segment)
            finished = True
        finally:
            for _, call, _ in self.calls:
                if call.call_id not in self._ended:
                    self._ended[call.call_id] = call.skip() if finished else call.stop()

    def results(self) -> list[Ended]:
        """Return what came of the calls, in the model's order."""
        return [self._ended[call.call_id] for _, call, _ in self.calls]

    def _segments(self) -> list[list[tuple[Called, ToolCall]]]:
        segments: list[list[tuple[Called, ToolCall]]] = []
        beside = False
        for called, call, reads in self.calls:
            if reads and beside:
                segments[-1].append((called, call))
            else:
                segments.append([(called, call)])
            beside = reads
        return segments

    async def _run_segment(self, segment: Sequence[tuple[Called, ToolCall]]) -> None:
        loop = asyncio.get_running_loop()
        tasks = {
            loop.create_task(self._one(call, repeated=self._repeated(called)), name=call.call_id)
            for called, call in segment
        }
        try:
            await asyncio.wait(tasks)
        finally:
            await ended(tasks, CANCEL_S)
        for task in tasks:
            task.result()

    async def _one(self, call: ToolCall, *, repeated: bool) -> None:
        async with self._places:
            end = await call.run(repeated=repeated)
            # One that outlived its cancellation has got its result already.
            self._ended.setdefault(call.call_id, end)
