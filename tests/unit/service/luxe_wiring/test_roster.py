from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from luvus_service.luxe_wiring.roster import WATCHERS, Roster
from luvus_service.rpc.refusals import Refused
from tests.support.virtual_time import in_virtual_time


@in_virtual_time
async def test_many_changes_within_a_moment_are_one_list() -> None:
    listed: list[str] = []
    roster = Roster()
    watcher = roster.watch(lambda: listed)
    seen: list[Sequence[str]] = []
    async for line in watcher.lines():
        frame = json.loads(line)
        assert frame["kind"] == "sessions"
        seen.append(frame["content"]["sessions"])
        if len(seen) == 1:
            for name in ("one", "two", "three"):
                listed.append(name)
                roster.changed()
        else:
            watcher.shut()

    assert seen == [[], ["one", "two", "three"]]


def test_a_watcher_beyond_the_limit_is_refused_until_another_leaves() -> None:
    roster = Roster()
    watchers = [roster.watch(tuple) for _ in range(WATCHERS)]

    with pytest.raises(Refused, match=f"{WATCHERS} clients watch"):
        roster.watch(tuple)
    watchers[0].shut()

    roster.watch(tuple)


@in_virtual_time
async def test_what_a_watcher_sends_changes_nothing() -> None:
    roster = Roster()
    watcher = roster.watch(tuple)
    watcher.deliver(b'{"kind":"close"}')
    watcher.deliver_too_long(1)
    roster.close()

    assert [line async for line in watcher.lines()] == []
