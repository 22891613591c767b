"""The process that ends what a killed agent's tools started."""

from __future__ import annotations

import os
import subprocess

import psutil
import pytest

from luvus_service.adapters.warden import MARK, Warden


@pytest.mark.parametrize("marked", [True, False])
def test_it_ends_exactly_the_programs_that_carry_its_mark(marked: bool) -> None:
    warden = Warden()
    warden.start()
    mark = {MARK: warden.mark} if marked else {MARK: "other"}
    program = subprocess.Popen(
        ["sh", "-c", "sleep 300 & wait"], env={**os.environ, **mark}, start_new_session=True
    )
    family = [psutil.Process(program.pid)]
    while len(family) < 2:
        family += psutil.Process(program.pid).children()

    warden.close()

    try:
        _, alive = psutil.wait_procs(family, timeout=0 if not marked else 5)
        assert [process.is_running() for process in alive] == ([] if marked else [True, True])
    finally:
        for process in family:
            if process.is_running():
                process.kill()
        program.wait()


def test_closing_twice_or_without_a_start_does_nothing() -> None:
    warden = Warden()
    warden.close()
    warden.start()
    warden.close()
    warden.close()
