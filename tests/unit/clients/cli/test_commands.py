from __future__ import annotations

from luvus_client.cli import builtin
from luvus_client.cli.commands import Commands
from luvus_client.cli.completion import choices
from luvus_client.cli.help import overview, page, spell, usage
from tests.unit.clients.cli.protocol import PROTOCOL

COMMANDS = Commands(PROTOCOL)


def found(line: str) -> tuple[str, list[str]] | None:
    match = COMMANDS.find(line.split())
    return None if match is None else (match[0].method, match[1])


def test_the_longest_words_win() -> None:
    assert found("pane split 7") == ("pane.split", ["7"])
    assert found("pane") is None
    assert found("nothing at all") is None


def test_methods_are_reached_by_their_other_spellings_too() -> None:
    assert found("ping") == ("ping", [])
    assert found("events") == found("uhp events") == ("events.subscribe", [])
    assert found("wait agent-status 7") == ("agent.wait", ["7"])


def test_a_spelling_of_a_method_that_is_not_there_is_no_command() -> None:
    assert Commands({"methods": {}}).find(["ping"]) is None
    assert found("uhp snapshot") is None


def test_a_method_without_words_is_no_command() -> None:
    assert found("host info") is None


def test_the_declared_wait_for_output_is_used_when_there_is_one() -> None:
    command = COMMANDS.exact(("wait", "output"))

    assert command is not None
    assert [a.metavar for a in command.arguments] == ["PANE", "TEXT", "S"]
    bare = Commands({"methods": {"wait.output": {"command": None}}}).exact(("wait", "output"))
    assert bare is not None and bare.method == "wait.output"


def test_a_built_in_command_is_found_by_its_longest_words() -> None:
    assert [
        None if match is None else (match[0].name, match[1])
        for match in map(builtin.find, (["server"], ["server", "stop", "x"], ["pane"], []))
    ] == [("server", []), ("server stop", ["x"]), None, None]


def test_the_usage_line_shows_every_argument() -> None:
    command = COMMANDS.exact(("pane", "split"))
    assert command is not None

    assert usage(command) == (
        "luvus pane split [PANE] [--direction DIRECTION | --down] [--no-focus] [--zoom] "
        "[--if-revision N]"
    )


def test_the_page_of_a_command_says_what_it_takes_and_shows_examples() -> None:
    command = COMMANDS.exact(("pane", "split"))
    assert command is not None

    text = page(command)

    assert "Split a pane and start a shell in the new half." in text
    assert "The pane; inside a pane $LUVUS_PANE_ID" in text
    assert 'Where the new half goes; one of right, down; default "right"' in text
    assert "luvus pane split 7 --down --no-focus" in text
    assert text.endswith("method: pane.split\n")


def test_an_example_that_words_cannot_say_is_left_out() -> None:
    command = COMMANDS.exact(("pane", "split"))
    assert command is not None

    assert spell(command, {"unknown": 1}) is None


def test_the_overview_lists_groups_with_their_words() -> None:
    lines = [line.split(maxsplit=1) for line in overview(COMMANDS).splitlines() if line[:2] == "  "]
    listed = {words[0]: words[1] for words in lines if len(words) == 2}

    assert listed["pane"] == "list, name, run, send, split"
    assert listed["server"] == "reload-config, restart, start, status, stop"
    assert listed["ping"] == "Do it."


def test_completion_offers_words_options_and_fixed_values() -> None:
    known = choices(COMMANDS)

    assert known["pane"] == ["list", "name", "run", "send", "split"]
    assert known["pane/split"] == [
        "--direction",
        "--down",
        "--help",
        "--if-revision",
        "--no-focus",
        "--zoom",
    ]
    assert known["pane/split --direction"] == ["down", "right"]
    assert known["completion"] == ["bash", "fish", "zsh"]
    assert {"--session", "pane", "server", "wait"} <= set(known[""])


def test_completion_leaves_out_words_that_a_shell_could_run() -> None:
    evil = {"methods": {"x": {"command": {"words": ["$(rm)", "`x`"], "arguments": []}}}}

    words = [word for known in choices(Commands(evil)).values() for word in known]

    assert not [word for word in words if "$" in word or "`" in word]
