from __future__ import annotations

import pytest

from tests.support.fake_terminals import FakeJournal, running


@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize("way", ["depict", "dump"])
async def test_a_dump_leaves_no_terminal_marked_whether_it_fails_or_not(
    way: str, fails: bool
) -> None:
    async with running() as program:
        program.emulator.dumps = not fails
        taken: list[bytes] = []

        async def dump() -> None:
            if way == "depict":
                await program.terminal.depict(1000, 1000, taken.append)
            else:
                made = await program.terminal.dump(1000)
                taken.extend([] if made is None else [made.data])

        if fails:
            with pytest.raises(ZeroDivisionError):
                await dump()
        else:
            await dump()

        journal = program.terminal.hosted.journal
        assert isinstance(journal, FakeJournal)
        assert (journal.marks, taken) == ([True, False], [] if fails else [b""])
