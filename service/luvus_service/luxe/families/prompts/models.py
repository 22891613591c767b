"""What answers to prompts carry."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from luvus_service.luxe.domain.limits import ANSWERS
from luvus_service.rpc.models import LenientParams


class RespondPermission(LenientParams):
    """The answer to a permission prompt."""

    id: Annotated[str, Field(description="The prompt's id.")]
    reply: Annotated[
        Literal["once", "always", "always_persist", "reject"],
        Field(description="`always*` only when the prompt offers it."),
    ]
    message: Annotated[
        str | None, Field(max_length=4000, description="Told to the agent with a rejection.")
    ] = None


class Answers(LenientParams):
    """Answers to one question."""

    answered: Annotated[
        list[str],
        Field(min_length=1, max_length=ANSWERS, description="One, or more for `multiple`."),
    ]


class AnswerQuestion(LenientParams):
    """The answer to a question."""

    id: Annotated[str, Field(description="The question's id.")]
    reply: Annotated[Answers | Literal["cancelled"], Field(description='"cancelled" declines.')]
