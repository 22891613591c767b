"""The errors of agents, and how refusals of the pure rules become them."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from luvus_service.rpc.errors import Kind, RpcError
from luvus_service.uhp.domain.agents import errors as rules
from luvus_service.uhp.engine.errors import refusals


class AmbiguousTarget(RpcError):
    """Several live agents answer to the target; name one by alias or pane."""

    code = "ambiguous_target"
    kind = Kind.CONFLICT


class AuthorityConflict(RpcError):
    """Another source reports for this pane; wait until its lease ends."""

    code = "authority_conflict"
    kind = Kind.CONFLICT


class StaleReport(RpcError):
    """The report is older than what is known already; nothing changed."""

    code = "stale_report"
    kind = Kind.CONFLICT


class AgentNotReady(RpcError):
    """No agent is there that would take this input now; nothing was sent."""

    code = "agent_not_ready"
    kind = Kind.CONFLICT


class AgentNotRunning(RpcError):
    """The pane closed while a prompt waited; the prompt may have been carried out."""

    code = "agent_not_running"
    kind = Kind.CONFLICT


class AgentPromptBusy(RpcError):
    """Another prompt waits for this pane already; nothing was sent."""

    code = "agent_prompt_busy"
    kind = Kind.CONFLICT


class AgentPaneBusy(RpcError):
    """The pane has an agent already, or one is starting there."""

    code = "agent_pane_busy"
    kind = Kind.CONFLICT


class UnsupportedAgent(RpcError):
    """No such agent is known, or it cannot do this."""

    code = "unsupported_agent"
    kind = Kind.INVALID


class SessionUnknown(RpcError):
    """The agent's own session id is not known; let its integration report it."""

    code = "session_unknown"
    kind = Kind.CONFLICT


class ContentRevisionConflict(RpcError):
    """The screen changed since it was read; read it again before answering. Nothing was sent."""

    code = "content_revision_conflict"
    kind = Kind.CONFLICT


class Conflict(RpcError):
    """Another pane owns this; nothing changed."""

    code = "conflict"
    kind = Kind.CONFLICT


class ResourceExhausted(RpcError):
    """A bounded table is full; nothing changed."""

    code = "resource_exhausted"
    kind = Kind.LIMIT


class ConfirmationRequired(RpcError):
    """The change needs `confirm` true."""

    code = "confirmation_required"
    kind = Kind.INVALID


class IntegrationChangeFailed(RpcError):
    """The agent's own files could not be changed; the message says why. Nothing is half done."""

    code = "integration_change_failed"
    kind = Kind.FAILED


_OF_RULE: dict[type[Exception], type[RpcError]] = {
    rules.AmbiguousTarget: AmbiguousTarget,
    rules.AuthorityConflict: AuthorityConflict,
    rules.StaleReport: StaleReport,
}


@contextmanager
def agent_refusals() -> Generator[None]:
    """Turn a refusal of the pure rules into the error of the same code."""
    try:
        with refusals():
            yield
    except RpcError:
        raise
    except tuple(_OF_RULE) as error:
        raise _OF_RULE[type(error)](str(error)) from error
