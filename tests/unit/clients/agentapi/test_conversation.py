from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from luvus_client.agentapi.conversation import MOST_CHARS, MOST_MESSAGES, Conversation, answer

BOX = ["────", "> ", "────", "  ? for shortcuts"]
LINES = st.lists(st.sampled_from(["a", "b", "", "c d"]), max_size=30)


def told(conversation: Conversation, after: int = 0) -> list[tuple[int, str, str]]:
    return [(m.id, m.role, m.content) for m in conversation.messages(after)]


def test_an_answer_is_what_stands_between_the_old_lines_and_the_composer() -> None:
    before = ["welcome", "", *BOX]
    after = ["welcome", "", "> how are you", "", "fine", "", *BOX]

    assert answer(before, after, "how are you") == "fine"


def test_an_answer_is_found_when_the_old_lines_have_left_the_top() -> None:
    history = [f"line {number}" for number in range(20)]

    assert answer([*history, *BOX], [*history[5:], "new", *BOX], "x") == "new"


def test_an_answer_to_a_prompt_of_several_lines_does_not_repeat_it() -> None:
    after = ["│ first", "│ second", "│ third", "the answer"]

    assert answer([], after, "first second\nthird") == "the answer"


def test_an_answer_that_only_begins_like_the_prompt_is_kept_whole() -> None:
    assert answer([], ["> yes", "yes and no"], "yes indeed") == "> yes\nyes and no"


@given(LINES, LINES, st.text(max_size=5))
def test_an_answer_consists_of_lines_of_the_new_screen(
    before: list[str], after: list[str], prompt: str
) -> None:
    assert set(answer(before, after, prompt).split("\n")) <= {*after, ""}


@given(LINES, st.text(max_size=5))
def test_a_screen_that_did_not_change_answers_nothing(lines: list[str], prompt: str) -> None:
    assert answer(lines, list(lines), prompt) == ""


def test_a_conversation_grows_by_a_message_of_each_and_updates_the_newest() -> None:
    talk = Conversation("ready\n> \n", "t0")
    first = talk.version

    talk.say("hi", "ready\n> \n", "t1")
    shown = [talk.show(f"ready\n{text}\n> \n", "t2") for text in ("hel", "hello", "hello")]

    assert shown == [True, True, False]
    assert told(talk) == [(0, "agent", "ready\n>"), (1, "user", "hi"), (2, "agent", "hello")]
    assert told(talk, first) == told(talk)[1:]
    assert told(talk, talk.version) == []


def test_an_agent_that_has_shown_nothing_new_has_said_nothing() -> None:
    talk = Conversation("ready", "t0")

    talk.say("hi", "ready", "t1")

    assert talk.show("ready", "t2") is False
    assert told(talk)[-1] == (1, "user", "hi")


def test_the_oldest_messages_go_and_ids_rise() -> None:
    talk = Conversation("", "t")

    for _ in range(MOST_MESSAGES + 5):
        talk.say("x", "", "t")

    assert len(talk.messages()) == MOST_MESSAGES
    assert [talk.messages()[at].id for at in (0, -1)] == [6, MOST_MESSAGES + 5]


def test_of_a_long_answer_the_newest_characters_are_kept() -> None:
    talk = Conversation("", "t")
    talk.say("x", "", "t")

    talk.show("a" * 10 + "b" * MOST_CHARS, "t")

    assert talk.messages()[-1].content == "b" * MOST_CHARS
