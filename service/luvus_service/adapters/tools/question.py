"""The `question` tool: asks the user, one question after the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from luvus_service.adapters.tools.arguments import (
    Arguments,
    Prepared,
    boolean,
    schema,
    string,
)
from luvus_service.luxe.domain.limits import OPTIONS, QUESTIONS
from luvus_service.luxe.domain.tool_ports import (
    InputRefused,
    Outcome,
    PreparedCall,
    Preview,
    Progress,
    Workbench,
)
from luvus_service.luxe.domain.values import Input, Mode, Question, ToolKind

QUESTION_CHARS = 2_000
HEADER_CHARS = 30
LABEL_CHARS = 100
DESCRIPTION_CHARS = 500
TITLE_CHARS = 200
DECLINED = (
    "The user declined to answer. This is no consent: do not go on with what needed the answer."
)


class QuestionTool:
    """Asks the user."""

    name = "question"
    description = (
        "Ask the user one to four questions when their decision is needed. Offer options where"
        " there are some; the user may answer in their own words unless `free_text` is false."
    )
    parameters: Mapping[str, Any] = schema(
        ("questions",),
        questions={
            "type": "array",
            "minItems": 1,
            "maxItems": QUESTIONS,
            "items": {
                "type": "object",
                "properties": {
                    "question": string("The whole question."),
                    "header": string(f"Two or three words, at most {HEADER_CHARS} characters."),
                    "options": {
                        "type": "array",
                        "maxItems": OPTIONS,
                        "items": {
                            "type": "object",
                            "properties": {
                                "label": string("The answer."),
                                "description": string("What it means."),
                            },
                            "required": ["label"],
                        },
                    },
                    "multiple": boolean("Several options may be chosen."),
                    "free_text": boolean("Own words are allowed; true if not given."),
                },
                "required": ["question"],
            },
        },
    )
    kind: ToolKind = "question"
    reads_only = False
    modes: frozenset[Mode] = frozenset({"build", "plan"})

    async def prepare(self, given: Input, bench: Workbench) -> PreparedCall:
        """Check the questions."""
        listed = Arguments(given).objects("questions", QUESTIONS) or []
        if not listed and given.get("question"):
            listed = [given]
        if not listed:
            raise InputRefused(f"`questions` must hold 1 to {QUESTIONS} questions")
        questions = [_question(Arguments(item)) for item in listed]

        async def work(_progress: Progress) -> Outcome:
            answers = await bench.ask(questions)
            if answers is None:
                return Outcome(DECLINED)
            said = [
                f"{question.question}\n{', '.join(answer)}"
                for question, answer in zip(questions, answers, strict=True)
            ]
            return Outcome("\n\n".join(said))

        return Prepared(Preview(questions[0].question[:TITLE_CHARS]), work)


def _question(item: Arguments) -> Question:
    text = item.text("question", limit=4 * QUESTION_CHARS).strip()
    if not text or len(text) > QUESTION_CHARS:
        raise InputRefused(f"`question` must have 1 to {QUESTION_CHARS} characters")
    options = [
        (
            Arguments(option).text("label", limit=4 * LABEL_CHARS)[:LABEL_CHARS],
            (Arguments(option).optional_text("description") or "")[:DESCRIPTION_CHARS],
        )
        for option in item.objects("options", OPTIONS) or []
    ]
    free = item.value("free_text") is None or item.flag("free_text")
    if not free and not options:
        raise InputRefused("a question without `free_text` needs `options`")
    header = (item.optional_text("header") or "")[:HEADER_CHARS]
    multiple = item.flag("multiple", "multiSelect")
    return Question(text, header, tuple(options), multiple, free)
