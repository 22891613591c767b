from __future__ import annotations

from pathlib import Path

import pytest

from luvus_service.adapters.agents.manifest_files import ManifestFiles
from luvus_service.uhp.domain.agents.identity import Identity, Known, base_name

REGISTRY = ManifestFiles(Path("/nowhere")).load().registry


@pytest.mark.parametrize(
    ("program", "agent"),
    [
        ("/usr/bin/claude", "claude"),
        ("/home/me/.local/bin/Claude", "claude"),
        ("codex.exe", "codex"),
        ("C:\\tools\\codex.exe", "codex"),
        ("/opt/cursor-agent", "cursor"),
        ("cursor", "cursor"),
        ("/usr/bin/amp", "amp"),
        ("/usr/lib/node_modules/@earendil-works/pi-coding-agent/dist/cli.js", "pi"),
        ("/usr/lib/node_modules/@oh-my-pi/pi-coding-agent/dist/cli.js", "omp"),
        ("/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js", "claude"),
        ("/usr/bin/example", ""),
        ("/usr/bin/vim", ""),
        ("/home/claude/bin/vim", ""),
        ("bash", ""),
        ("", ""),
    ],
)
def test_a_program_is_the_agent_whose_name_it_bears(program: str, agent: str) -> None:
    found = REGISTRY.identify(Known(observed=True, programs=("bash", program)))

    assert found == (Identity(agent, "process_tree") if agent else Identity("", "none"))


def test_what_the_process_table_saw_is_the_whole_answer() -> None:
    known = Known(
        observed=True,
        programs=("bash",),
        command=("claude",),
        title="claude",
        screen="claude",
        before="claude",
    )

    assert REGISTRY.identify(known) == Identity("", "none")


@pytest.mark.parametrize(
    ("known", "found"),
    [
        (Known(False, command=("/bin/claude", "-c")), Identity("claude", "launch_command")),
        (Known(False, command=("sh", "-c", "amp --help")), Identity("amp", "launch_command")),
        (Known(False, title="pi: my project"), Identity("pi", "osc_title")),
        (Known(False, screen="Welcome to Claude!"), Identity("claude", "screen_text")),
        (Known(False, screen="an amp and a droid"), Identity("", "none")),
        (Known(False, screen="an example of pie"), Identity("", "none")),
        (Known(False, screen="muse code 1.2"), Identity("muse", "screen_text")),
        (Known(False, before="codex"), Identity("codex", "prior_identity")),
        (Known(False, command=("/bin/bash",), before="x"), Identity("bash", "command_fallback")),
        (Known(False), Identity("", "none")),
    ],
)
def test_without_processes_launch_title_screen_and_memory_are_asked_in_turn(
    known: Known, found: Identity
) -> None:
    assert REGISTRY.identify(known) == found


@pytest.mark.parametrize(
    ("word", "name"),
    [("/a/b", "b"), ("-bash", "bash"), ("a\\B.EXE", "b"), ("x/", "x"), ("", "")],
)
def test_a_base_name_has_no_folder_and_no_ending(word: str, name: str) -> None:
    assert base_name(word) == name
