"""Feeds mutated recordings to the emulators until time is up; tells the seed of what breaks.

Usage: python tests/soak/fuzz_emulator.py [SECONDS] [FIRST_SEED] [ghostty|avt]

Each seed runs in a child process, so a native crash is reported and not suffered. A failed seed
is run again by giving it as FIRST_SEED with 1 second.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

from luvus_service.adapters.emulator.factory import Emulators
from luvus_service.uhp.domain.ports import CaptureMode, Emulator

RECORDINGS = Path(__file__).parents[1] / "unit/service/adapters/emulator/recordings"
BYTES_PER_SEED = 4 << 20
SEED_SECONDS = 60
"""A seed that takes longer has hung."""

HOSTILE = (
    b"\x1b[?2027h",
    b"\x1b\x9b?2027h",
    b"\x1b[?1049h",
    b"\x1b[?1049l",
    b"\x1b[?1047h\x1b[?47l",
    b"\x1b[99999999999999999999;4294967296H",
    b"\x1b[65535S",
    b"\x1b[65535T",
    b"\x1b[65535L",
    b"\x1b[65535M",
    b"\x1b[65535@",
    b"\x1b[65535P",
    b"\x1b[65535b",
    b"\x1b[65535X",
    b"\x1b[2;3r",
    b"\x1b[?69h\x1b[5;9s",
    b"\x1b[?6h",
    b"\x1b[4h",
    b"\x1b[?3h",
    b"\x1b[?40h\x1b[?3h",
    b"\x1bc",
    b"\x1b#8",
    b"\x1b[!p",
    b"\x1b7",
    b"\x1b8",
    b"\x1b(0\x0e",
    b"\x1b]8;;http://x\x1b\\",
    b"\x1b]8;;\x1b\\",
    b"\x1b]133;A\x07",
    b"\x1b]52;c;AAAA\x07",
    b"\x1b_Ga=T,f=24,s=2,v=2,c=4,r=3;/////////////////\x1b\\",
    b"\x1b_Ga=d\x1b\\",
    b"\x1b_Ga=T,U=1,i=9,f=24,s=1,v=1,c=2,r=2;////\x1b\\\xf4\x8e\xbb\xae\xcc\x85\xcc\x85",
    "👩\u200d👩\u200d👧 e\u0301\u0301\u0301 漢字 \ufe0f\u2028".encode(),
    b"\x1b[48;2;1;2;3m\x1b[J\x1b[K",
    b"\x1b[=31;1u\x1b[>1u\x1b[<9u",
    b"\x1bP$qr\x1b\\\x1b[6n\x1b[c",
    b"\xff\xfe\xc3\x28\xe2\x82",
)


def mutated(source: bytes, chance: random.Random) -> bytes:
    """Return a piece of a recording with bytes changed, removed, doubled and hostile ones added."""
    start = chance.randrange(len(source))
    data = bytearray(source[start : start + chance.choice((1, 7, 100, 5000, 60_000))])
    for _ in range(chance.randrange(1 + len(data) // 20 if chance.random() < 0.7 else 1)):
        if not data:
            break
        at = chance.randrange(len(data))
        kind = chance.randrange(5)
        if kind == 0:
            data[at] = chance.randrange(256)
        elif kind == 1:
            del data[at : at + chance.randrange(1, 20)]
        elif kind == 2:
            data[at:at] = data[at : at + chance.randrange(1, 50)]
        elif kind == 3:
            data[at:at] = chance.choice(HOSTILE)
        else:
            data[at:at] = bytes(chance.choices(range(256), k=chance.randrange(1, 9)))
    if chance.random() < 0.02:
        data += chance.choice((b"\x1b]0;", b"\x1bP", b"\x1b_G", b"\x1b^", b"\x1bX", b"\x1b[")) + (
            chance.choice((b"x", b"1;", b"\x00", b"\xff")) * chance.choice((1000, 100_000))
        )
    return bytes(data)


def look_at(emulator: Emulator, chance: random.Random, fallback: bool) -> int:
    """Use every reading method, rebuild from a dump at times; return the bytes fed by that."""
    kind = chance.randrange(8)
    if kind < 4:
        mode: CaptureMode = "visible" if chance.random() < 0.5 else "recent_unwrapped"
        limit = chance.choice((1, 100, 65_536, 524_288))
        ansi = chance.random() < 0.5
        count = chance.randrange(1, 300)
        captured = emulator.capture(mode, count, ansi=ansi, max_bytes=limit)
        assert len(captured.text.encode()) <= limit
        assert captured.text.count("\n") < count
        if captured.cursor is not None:
            assert 0 <= captured.cursor[0] <= len(captured.text)
    elif kind == 4:
        emulator.compact()
    elif kind == 5:
        emulator.set_history_budget(chance.choice((0, 1000, 1 << 20)))
    elif kind == 6:
        emulator.cursor()
        emulator.modes()
        emulator.history()
    elif chance.random() < 0.5:
        dump = emulator.dump(chance.choice((100, 10_000, 1 << 20)))
        cols, rows = emulator.size()
        other = Emulators()(cols, rows, history_bytes=1 << 20, fallback=fallback)
        other.feed(dump)
        other.close()
        return len(dump)
    return 0


def run_seed(seed: int, fallback: bool) -> int:
    """Run one seed; return the bytes fed."""
    chance = random.Random(seed)
    sources = [path.read_bytes() for path in sorted(RECORDINGS.glob("*.bin"))]
    cols, rows = chance.randrange(1, 200), chance.randrange(1, 80)
    history = chance.choice((0, 10_000, 1 << 20))
    emulator = Emulators()(cols, rows, history_bytes=history, fallback=fallback)
    fed = 0
    while fed < BYTES_PER_SEED:
        piece = mutated(chance.choice(sources), chance)
        emulator.feed(memoryview(piece))
        fed += len(piece)
        if chance.random() < 0.05:
            large = chance.random() < 0.03
            size = (
                chance.randrange(1000 if large else 200),
                chance.randrange(300 if large else 80),
            )
            emulator.resize(*size)
        if chance.random() < 0.1:
            fed += look_at(emulator, chance, fallback)
    emulator.close()
    return fed


def run_child(seed: int, fallback: bool) -> tuple[int, int]:
    """Run a seed in a child; return its wait status and the bytes fed."""
    receive, send = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(receive)
        signal.alarm(SEED_SECONDS)
        os.write(send, b"%d" % run_seed(seed, fallback))
        os._exit(0)
    os.close(send)
    with os.fdopen(receive, "rb") as pipe:
        told = pipe.read()
    _, status = os.waitpid(pid, 0)
    return status, int(told or b"0")


def main() -> int:
    """Run seeds until the time is up."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    fallback = sys.argv[3:] == ["avt"]
    end = time.monotonic() + seconds
    total, failed, seed = 0, 0, first
    while seed == first or time.monotonic() < end:
        status, fed = run_child(seed, fallback)
        total += fed
        if status:
            failed += 1
            sys.stdout.write(f"seed {seed}: wait status {status}\n")
            sys.stdout.flush()
        seed += 1
    sys.stdout.write(f"{seed - first} seeds, {total / 1e6:.0f} MB fed, {failed} failed\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
