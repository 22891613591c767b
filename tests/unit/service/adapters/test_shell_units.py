"""The shell parser: every simple command is found, and doubt makes the text opaque."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from luvus_service.adapters.shell_units import TEXT_BYTES, BashParser
from luvus_service.luxe.domain.permission_units import ParsedShell, Redirection, SimpleCommand

PARSER = BashParser()


def words(text: str) -> list[tuple[str, ...]]:
    """Return the words of every command of a text that is not opaque."""
    parsed = PARSER.parse(text)
    assert parsed.opaque is None, parsed.opaque
    return [command.words for command in parsed.commands]


def test_a_command_is_read_with_all_its_parts() -> None:
    parsed = PARSER.parse("A=1 B=$x 'my prog' \"a b\" c\\ d 2>&1 > 'out file' < in | wc -l")

    first = SimpleCommand(
        words=("my prog", "a b", "c d"),
        raw="A=1 B=$x 'my prog' \"a b\" c\\ d 2>&1 > 'out file' < in",
        assignments=("A=1", "B=$x"),
        redirections=(Redirection(">", "out file"), Redirection("<", "in")),
        expands_assignment=True,
    )
    second = SimpleCommand(words=("wc", "-l"), raw="wc -l", piped_from="my prog")
    assert parsed == ParsedShell((first, second))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a && b || c; d & e\nf", ["a", "b", "c", "d", "e", "f"]),
        ("a | b |& c", ["a", "b", "c"]),
        ("(a; b) && { c; }", ["a", "b", "c"]),
        ("if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]),
        ("while a; do b; done; until c; do d; done", ["a", "b", "c", "d"]),
        ("for x in 1 2; do a; done; for ((i=0;i<2;i++)); do b; done", ["a", "b"]),
        ("case x in a) b;; *) c;; esac", ["b", "c"]),
        ("! a", ["a"]),
        ("cat <<EOF | a && b\ntext\nEOF\nc", ["cat", "a", "b", "c"]),
        ("# a comment\na # another", ["a"]),
        ('a $(b $(c)) `d` <(e) "$(f)"', ["a", "b", "c", "d", "e", "f"]),
        ("[[ -f $(a) ]] && [ $(b) ]; x=$(c); export Y=$(d)", ["a", "b", "", "c", "export", "d"]),
        ("echo ${x:-$(a)} $((1 + $(b)))", ["echo", "a", "b"]),
        ("cat <<EOF\n$(a)\nEOF", ["cat", "a"]),
        ("for x in $(a); do b; done", ["a", "b"]),
    ],
)
def test_every_simple_command_is_found_in_reading_order(text: str, expected: list[str]) -> None:
    assert [found[0] if found else "" for found in words(text)] == expected


def test_commands_in_substitutions_are_told_apart() -> None:
    parsed = PARSER.parse("git log $(touch F)")

    assert [(c.words[0], c.in_substitution) for c in parsed.commands] == [
        ("git", False),
        ("touch", True),
    ]
    assert parsed.commands[0].expands


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("r\\m x", ("rm", "x")),
        ("'r'\"m\" x", ("rm", "x")),
        ("cat $'\\x2eenv' $'\\056env'", ("cat", ".env", ".env")),
        ("echo 'it'\\''s'", ("echo", "it's")),
        ("cat < a b", ("cat", "b")),
        ('echo "\\$x \\\\ \\n"', ("echo", "$x \\ \\n")),
        ("ls $HOME/x", ("ls", "$HOME/x")),
    ],
)
def test_quotes_are_removed_as_bash_does(text: str, expected: tuple[str, ...]) -> None:
    assert words(text) == [expected]


@pytest.mark.parametrize(
    "text",
    ["cat $x", 'cat "$x"', "cat ~root/x", "cat .e{n,x}v", "cat {1..3}", "cat $'\\cA'", "$x a"],
)
def test_words_that_bash_would_expand_are_marked(text: str) -> None:
    assert PARSER.parse(text).commands[0].expands


def test_a_name_from_an_expansion_is_marked() -> None:
    assert PARSER.parse("$x a").commands[0].name_expands
    assert PARSER.parse("$(which rm) a").commands[0].name_expands
    assert not PARSER.parse("rm $x").commands[0].name_expands


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("if true; then", "syntax error"),
        ("echo 'unclosed", "syntax error"),
        ("f() { rm x; }; f", "function definition"),
        ("git\u00a0status", "unusual white space or control characters"),
        ("ls\x0brm", "unusual white space or control characters"),
        ("ls\r\nrm", "unusual white space or control characters"),
        ("rm\\\nx", "a word that goes on in the next line"),
        ("ls " + "a" * TEXT_BYTES, f"longer than {TEXT_BYTES} bytes"),
        ("ls \ud800", "not valid Unicode"),
    ],
)
def test_what_cannot_be_read_with_certainty_is_opaque(text: str, reason: str) -> None:
    assert PARSER.parse(text).opaque == reason


def test_deep_nesting_is_opaque_and_no_fault() -> None:
    assert PARSER.parse("$(" * 200 + "ls" + ")" * 200).opaque is not None


def test_a_redirection_of_a_group_is_kept_with_a_command_of_it() -> None:
    parsed = PARSER.parse("{ a; b; } > out; while read x; do c; done < .env; > new")

    found = [(c.words[:1], r.target) for c in parsed.commands for r in c.redirections]
    assert found == [(("b",), "out"), (("c",), ".env"), ((), "new")]


def test_descriptors_are_no_files() -> None:
    assert PARSER.parse("a 2>&1 >&2 <&-").commands[0].redirections == ()


@given(st.text(alphabet="ab |&;<>(){}$'\"`\\\n#=*[]!~-", max_size=40))
def test_no_text_makes_the_parser_raise(text: str) -> None:
    assert isinstance(PARSER.parse(text), ParsedShell)


@given(
    st.lists(st.text(alphabet="ab -'\"$\\*;|&\n", min_size=1, max_size=6), min_size=1, max_size=4)
)
def test_words_quoted_by_the_standard_library_come_back(given_words: list[str]) -> None:
    import shlex

    parsed = PARSER.parse("x " + shlex.join(given_words))

    if parsed.opaque is None:
        assert parsed.commands[0].words == ("x", *given_words)
