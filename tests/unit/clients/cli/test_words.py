from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from luvus_client.cli.commands import Commands
from luvus_client.cli.usage import HelpWanted, UsageError
from luvus_client.cli.words import parameters
from tests.unit.clients.cli.protocol import PROTOCOL

COMMANDS = Commands(PROTOCOL)
PANE = {"LUVUS_PANE_ID": "4"}


def parse(line: str, environ: dict[str, str] | None = None) -> dict[str, object]:
    return parse_words(shlex.split(line), environ)


def parse_words(words: list[str], environ: dict[str, str] | None = None) -> dict[str, object]:
    found = COMMANDS.find(words)
    assert found is not None
    return parameters(found[0], found[1], environ or {})


@pytest.mark.parametrize(
    ("line", "params"),
    [
        ("pane split", {}),
        ("pane split 7", {"pane": "7"}),
        ("pane split 7 --down", {"pane": "7", "direction": "down"}),
        ("pane split --direction up 7", {"pane": "7", "direction": "up"}),
        ("pane split --direction=right", {"direction": "right"}),
        ("pane split --no-focus --zoom", {"focus": False, "zoom": True}),
        ("pane split --if-revision 41", {"if_revision": 41}),
        ("pane send hello", {"text": "hello"}),
        ("pane send 7 hello", {"pane": "7", "text": "hello"}),
        ("pane send 7 -- --down", {"pane": "7", "text": "--down"}),
        ("pane send -- -x", {"text": "-x"}),
        ("pane send -1", {"text": "-1"}),
        ("pane send -", {"text": "-"}),
        ("pane send ''", {"text": ""}),
        ("pane name a", {"name": "a"}),
        ("pane name --clear", {"name": ""}),
        ("pane name --clear --pane 7", {"name": "", "pane": "7"}),
        ("pane run ls", {"command": "ls"}),
        ("pane run 7 ls -la --color=auto", {"pane": "7", "command": "ls -la --color=auto"}),
        ("pane run ls -la", {"command": "ls -la"}),
        ("pane run git log --help", {"command": "git log --help"}),
        ("pane run 7 -- -x 'a b'", {"pane": "7", "command": "-x a b"}),
        ("workspace rename api", {"name": "api"}),
        ("workspace rename 0 the api", {"workspace": "0", "name": "the api"}),
        ("workspace rename 0 0", {"workspace": "0", "name": "0"}),
        ("workspace rename --workspace-id w 0", {"workspace_id": "w", "name": "0"}),
        ("agent keys codex ctrl+c esc", {"target": "codex", "keys": ["ctrl+c", "esc"]}),
        ('bar push --content \'[{"type":"text"}]\'', {"content": [{"type": "text"}]}),
        ("bar push --priority 1.5 --visible false", {"priority": 1.5, "visible": False}),
        ("bar push --priority -3", {"priority": -3}),
        (
            "task add T --paths a 'b/**' --gate 'make -k'",
            {
                "title": "T",
                "paths": ["a", "b/**"],
                "gate": "make -k",
            },
        ),
        ("task add T --paths=a --paths b c", {"title": "T", "paths": ["a", "b", "c"]}),
        ("task add --paths a -- T", {"title": "T", "paths": ["a"]}),
        ("task add T --gate -x", {"title": "T", "gate": "-x"}),
        ("task add T --gate=--paths", {"title": "T", "gate": "--paths"}),
        (
            "wait output 7 --match 'done $' --timeout 2",
            {
                "pane": "7",
                "match": "done $",
                "timeout_s": 2,
            },
        ),
    ],
)
def test_words_become_parameters(line: str, params: dict[str, object]) -> None:
    assert parse(line) == params


@pytest.mark.parametrize(
    ("word", "path"),
    [
        ("/a/b", "/a/b"),
        ("~", "~"),
        ("~/a", "~/a"),
        (".", "{here}/."),
        ("..", "{here}/.."),
        ("a b", "{here}/a b"),
    ],
)
def test_a_path_is_that_of_the_folder_where_the_command_was_typed(
    word: str, path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert parse_words(["workspace", "open", word]) == {"path": path.format(here=tmp_path)}


def test_an_empty_path_is_for_the_server_to_refuse() -> None:
    assert parse_words(["workspace", "open", ""]) == {"path": ""}


def test_a_path_in_a_folder_that_is_gone_is_wrong_usage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()

    with pytest.raises(UsageError, match="PATH: 'a' is not a path: "):
        parse_words(["workspace", "open", "a"])


@pytest.mark.parametrize(
    ("line", "params"),
    [
        ("pane split", {"pane": "4"}),
        ("pane split 7", {"pane": "7"}),
        ("pane send hello", {"pane": "4", "text": "hello"}),
        ("pane run ls -la", {"pane": "4", "command": "ls -la"}),
        ("pane run 7 ls", {"pane": "7", "command": "ls"}),
        ("pane name build", {"pane": "4", "name": "build"}),
        ("pane name build --pane 9", {"pane": "9", "name": "build"}),
        ("wait output --match x", {"pane": "4", "match": "x"}),
        ("pane list", {}),
    ],
)
def test_inside_a_pane_the_pane_may_be_left_out(line: str, params: dict[str, object]) -> None:
    assert parse(line, PANE) == params


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("pane split --up", "there is no option --up"),
        ("pane split --dow", "there is no option --dow"),
        ("pane split 1 2", "'2' is one word too many"),
        ("pane split --zoom=1", "--zoom takes no value"),
        ("pane split --down --direction up", "already given"),
        ("pane name a --clear", "'a' is one word too many"),
        ("pane name", "NAME is missing"),
        ("pane split --direction", "--direction needs a value"),
        ("pane split --direction --zoom", "write --direction=--zoom"),
        ("pane split --if-revision x", "'x' is not a whole number"),
        ("pane split --if-revision 1.5", "is not a whole number"),
        ("pane send", "TEXT is missing"),
        ("pane run", "CMD is missing"),
        ("pane run 7", "CMD is missing; 7 alone is the PANE"),
        ("pane run -- 7", "CMD is missing; 7 alone is the PANE"),
        ("workspace rename", "NAME is missing"),
        ("workspace rename 0", "NAME is missing; 0 alone is the WORKSPACE"),
        ("bar push --content {", "is not JSON"),
        ("bar push --content @/does/not/exist", "is not JSON"),
        ("bar push --priority nan", "is not finite"),
        ("bar push --visible yes", "use true or false"),
        ("wait output 7", "--match is missing"),
        ("wait output --match x", "PANE is missing or must be run inside a pane"),
        ("task add T --paths", "--paths needs a value"),
    ],
)
def test_words_that_do_not_fit_are_refused_with_the_reason(line: str, complaint: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(line)

    assert complaint in str(caught.value)


@pytest.mark.parametrize("line", ["pane split -h", "pane split 7 --help", "pane run --help"])
def test_help_may_be_asked_for_anywhere_before_a_programs_words(line: str) -> None:
    with pytest.raises(HelpWanted):
        parse(line)


def test_json_may_come_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text('[{"type":"separator"}]')

    assert parse(f"bar push --content @{tmp_path}/c.json") == {"content": [{"type": "separator"}]}


@given(st.text(), st.from_regex("[0-9]{1,6}", fullmatch=True))
def test_any_text_after_two_dashes_arrives_as_it_is(text: str, pane: str) -> None:
    assert parse_words(["pane", "send", pane, "--", text]) == {"pane": pane, "text": text}


@given(st.text())
def test_any_value_after_an_equals_sign_arrives_as_it_is(text: str) -> None:
    assert parse_words(["task", "add", "T", f"--gate={text}"]) == {"title": "T", "gate": text}


@given(st.lists(st.text(max_size=8), max_size=6))
def test_any_words_are_parameters_or_a_refusal(words: list[str]) -> None:
    try:
        found = parse_words(["pane", "split", *words])
    except (UsageError, HelpWanted):
        return
    assert set(found) <= {"pane", "direction", "focus", "zoom", "if_revision"}
