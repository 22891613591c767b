"""Which emulator is made."""

from __future__ import annotations

import builtins
import signal
import subprocess
import sys
from typing import Any

import pytest

from luvus_service.adapters.emulator.factory import Emulators, make_emulator


def test_the_native_emulator_is_made_unless_the_fallback_is_asked_for() -> None:
    native = make_emulator(80, 24, history_bytes=0)
    fallback = make_emulator(80, 24, history_bytes=0, fallback=True)

    assert (native.name, fallback.name) == ("ghostty", "avt")
    native.close()
    fallback.close()


def test_a_missing_library_leads_to_the_fallback_and_one_warning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    warnings: list[str] = []
    original = builtins.__import__

    def refuse(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "luvus_service.adapters.emulator" and "ghostty" in (args[2] or ()):
            raise OSError("libghostty-vt not found")
        return original(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    emulators = Emulators(warn=warnings.append)

    assert emulators(80, 24, history_bytes=0).name == "avt"
    assert warnings == [emulators.missing]
    assert "libghostty-vt not found" in warnings[0]


_CRASH = """
import sys
from luvus_service.adapters.emulator.factory import Emulators
emulator = Emulators(crash_on=b"BOOM")(80, 24, history_bytes=0, fallback=sys.argv[1] == "avt")
emulator.feed(b"a BO")
print("fed", flush=True)
emulator.feed(b"OM b")
print("alive", flush=True)
"""


@pytest.mark.parametrize(
    ("name", "code", "said"), [("ghostty", -signal.SIGSEGV, "fed\n"), ("avt", 0, "fed\nalive\n")]
)
def test_the_crash_bytes_kill_only_the_native_emulator(name: str, code: int, said: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", _CRASH, name], capture_output=True, text=True, check=False
    )

    assert (ended.returncode, ended.stdout) == (code, said)
