"""The README's quick start: the same call through four doors, with the same answer."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

from tests.support.live import REPOSITORY, LiveServer
from tests.support.programs import needs

README = (REPOSITORY / "README.md").read_text(encoding="utf-8")


def block(kind: str, holding: str) -> str:
    """Return the README's code block of a kind that holds a text."""
    blocks = re.findall(rf"```{kind}\n(.*?)```", README, flags=re.DOTALL)
    (found,) = [text for text in blocks if holding in text]
    return str(found)


def shell(live: LiveServer, text: str) -> str:
    """Run a console block's command with the README's own words."""
    command = text.removeprefix("$ ").strip()
    bin_folder = live.home / "bin"
    bin_folder.mkdir(exist_ok=True)
    luvus = bin_folder / "luvus"
    luvus.write_text(f'#!/bin/sh\nexec {sys.executable} -m luvus_client.cli.main "$@"\n')
    luvus.chmod(0o755)
    env = {**live.env, "PATH": f"{bin_folder}:{live.env['PATH']}"}
    del env["LUVUS_HOME"]
    done = subprocess.run(
        ["/bin/bash", "-c", command],
        env=env,
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    return done.stdout


@needs("nc", "curl")
def test_the_same_call_gets_the_same_answer_through_every_door(short_tmp: Path) -> None:
    live = LiveServer(short_tmp / ".luvus")
    live.folder = short_tmp
    live.extra["HOME"] = str(short_tmp)
    live.start()
    try:
        live.wait_text("1", "$")
        by_line = json.loads(shell(live, block("console", "nc -N -U")))["result"]
        by_http = json.loads(shell(live, block("console", "curl -s")))
        by_command = json.loads(shell(live, block("console", "luvus pane read --lines 3\n")))
        script = short_tmp / "quick.py"
        script.write_text(block("python", "LuvusClient"))
        python = live.python(str(script))
        by_python = ast.literal_eval(python.stdout)

        assert by_line == by_http == by_command == by_python
        assert by_line["text"].endswith("$")
    finally:
        live.stop()
