"""Puts the agent's prompts to an editor: permissions and questions as a choice of options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from acp import schema

from luvus_service.luxe_acp.updates import Body, contents

DECLINE: Final = "decline"
_CHOICE: Final = "choice"
_WORDS: Final = "answer"
_OPTIONS: Final[Mapping[str, tuple[str, schema.PermissionOptionKind]]] = {
    "once": ("Allow", "allow_once"),
    "always": ("Always allow in this session", "allow_always"),
    "always_persist": ("Always allow in this project", "allow_always"),
    "reject": ("Reject", "reject_once"),
}


def permission(body: Body) -> tuple[schema.ToolCallUpdate, list[schema.PermissionOption]]:
    """Return a permission prompt as an editor asks it."""
    path = body.get("path")
    call = schema.ToolCallUpdate(
        tool_call_id=body["call_id"],
        title=body["title"],
        status="pending",
        content=contents(body.get("command") or body.get("reason") or "", body.get("diff"), path),
        locations=[schema.ToolCallLocation(path=path)] if path else None,
    )
    options = [
        schema.PermissionOption(
            option_id=reply, name=_named(reply, body["always_patterns"]), kind=_OPTIONS[reply][1]
        )
        for reply in body["replies"]
        if reply in _OPTIONS
    ]
    return call, options


def _named(reply: str, patterns: list[str]) -> str:
    name = _OPTIONS[reply][0]
    return f"{name}: {', '.join(patterns)}"[:200] if reply.startswith("always") else name


def question(body: Body) -> tuple[schema.ToolCallUpdate, list[schema.PermissionOption]]:
    """Return a question as an editor asks it; it has options."""
    call = schema.ToolCallUpdate(
        tool_call_id=body["call_id"],
        title=body["question"],
        status="pending",
        content=contents(
            "\n".join(f"{o['label']}: {o['description']}" for o in body["options"]), None, None
        ),
    )
    options = [
        schema.PermissionOption(option_id=str(index), name=option["label"], kind="allow_once")
        for index, option in enumerate(body["options"])
    ]
    decline = schema.PermissionOption(option_id=DECLINE, name="Decline", kind="reject_once")
    return call, [*options, decline]


def form(session_id: str, body: Body) -> schema.ElicitationFormSessionMode:
    """Return a question as a form: what is offered to choose from, and a field for own words."""
    fields: dict[str, Any] = {}
    if body["options"]:
        offered = [
            schema.EnumOption(const=o["label"], title=o["label"], description=o["description"])
            for o in body["options"]
        ]
        fields[_CHOICE] = (
            schema.ElicitationMultiSelectPropertySchema(
                type="array", items=schema.TitledMultiSelectItems(any_of=offered)
            )
            if body["multiple"]
            else schema.ElicitationStringPropertySchema(type="string", one_of=offered)
        )
    if body["free_text"]:
        title = "In your own words" if body["options"] else "Answer"
        fields[_WORDS] = schema.ElicitationStringPropertySchema(type="string", title=title)
    return schema.ElicitationFormSessionMode(
        session_id=session_id,
        tool_call_id=body["call_id"],
        requested_schema=schema.ElicitationSchema(
            type="object",
            title=body["header"] or None,
            properties=fields,
            required=list(fields) if len(fields) == 1 else None,
        ),
    )


def form_reply(answer: object) -> Any:
    """Return the content of `answer_question`; own words count before a choice of one."""
    if not isinstance(answer, schema.AcceptElicitationResponse):
        return "cancelled"
    given = answer.content or {}
    words, chosen = given.get(_WORDS), given.get(_CHOICE)
    answers = [str(item) for item in cast("list[object]", chosen)] if _is_list(chosen) else []
    if isinstance(words, str) and words.strip():
        answers.append(words)
    elif isinstance(chosen, str) and chosen:
        answers.append(chosen)
    return {"answered": answers} if answers else "cancelled"


def _is_list(value: object) -> bool:
    return isinstance(value, list)


def permission_reply(answer: schema.RequestPermissionResponse) -> str:
    """Return the reply an editor chose; whatever was not chosen is a rejection."""
    outcome = answer.outcome
    if isinstance(outcome, schema.AllowedOutcome) and outcome.option_id in _OPTIONS:
        return outcome.option_id
    return "reject"


def question_reply(body: Body, answer: schema.RequestPermissionResponse) -> Any:
    """Return the content of `answer_question`."""
    outcome = answer.outcome
    chosen = outcome.option_id if isinstance(outcome, schema.AllowedOutcome) else DECLINE
    if chosen.isdecimal() and int(chosen) < len(body["options"]):
        return {"answered": [body["options"][int(chosen)]["label"]]}
    return "cancelled"
