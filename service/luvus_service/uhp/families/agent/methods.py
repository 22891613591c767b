"""`agent.*`."""

from __future__ import annotations

from luvus_service.rpc.call import Call
from luvus_service.rpc.declare import family, method
from luvus_service.rpc.errors import InvalidRequest, LimitExceeded, Unavailable
from luvus_service.rpc.models import NoParamsLenient
from luvus_service.rpc.scopes import Access, Scope
from luvus_service.uhp.domain import panes as rules
from luvus_service.uhp.domain.agents.leases import Report
from luvus_service.uhp.engine.agents import errors
from luvus_service.uhp.engine.agents.agents import Agents
from luvus_service.uhp.engine.agents.driving import Fence
from luvus_service.uhp.engine.agents.starting import Place
from luvus_service.uhp.engine.errors import NameInUse, NotFound, SendFailed, SpawnFailed
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.families.agent import params as p
from luvus_service.uhp.families.agent import report_params as reports
from luvus_service.uhp.families.agent import results as r
from luvus_service.uhp.families.agent import views
from luvus_service.uhp.families.agent.events import AGENT_EVENTS
from luvus_service.uhp.families.agent.examples import EXAMPLES
from luvus_service.uhp.families.agent.status_table import STATUS_TABLE

TARGETED = (NotFound, errors.AmbiguousTarget)
DRIVEN = (*TARGETED, errors.AgentNotReady, SendFailed)
PROMPT_WAIT_S = 300.0


@family(
    "agent",
    scope=Scope.AGENT,
    title="Agents",
    events=AGENT_EVENTS,
    examples=EXAMPLES,
    notes=STATUS_TABLE,
)
class AgentMethods:
    """See which agents are there and how they are doing; start, prompt, answer and follow them.

    A `target` is an alias, a pane's id, or a kind of agent of which exactly one lives. The state is
    `working`, `blocked` (it asks something), `done` (finished, and nobody has looked since) or
    `idle`; `working` and `blocked` are published at once, `idle` and `done` when they have held for
    2.5 seconds. An agent's own integration may report its state instead, see `agent.report`.
    """

    def __init__(self, session: Session, agents: Agents) -> None:
        self._session = session
        self._agents = agents
        self._roster = agents.roster

    @method("agent.list", access=Access.READ)
    async def list(self, params: NoParamsLenient) -> r.AgentList:
        """List the live agents of all workspaces."""
        return r.AgentList(agents=[views.row(self._session, s) for s in self._roster.seats()])

    @method("agent.get", access=Access.READ, errors=TARGETED)
    async def get(self, params: p.AgentTarget) -> r.AgentDetail:
        """Describe one agent."""
        return views.detail(self._session, self._roster, self._roster.find(params.target))

    @method("agent.explain", access=Access.READ, errors=(NotFound,))
    async def explain(self, params: p.AgentExplain) -> r.AgentExplanation:
        """Show every piece of evidence behind a pane's agent and state."""
        if params.target is None:
            pane = self._session.select_pane(params.pane)
        else:
            pane = self._roster.find(params.target, kinds=False)
        return views.explanation(self._session, self._roster, pane)

    @method(
        "agent.report",
        access=Access.WRITE,
        errors=(NotFound, errors.AuthorityConflict, errors.StaleReport, errors.Conflict),
    )
    async def report(self, params: reports.AgentReport) -> r.AgentReported:
        """Report an agent's state with authority, for a limited time.

        One source owns a pane at a time; its sequences rise. While the report counts, the screen is
        not looked at. It ends by itself after `ttl_s` seconds, or with `agent.release`.
        """
        said = Report(
            source=params.source,
            agent=params.agent,
            state=params.status,
            message=params.message,
            sequence=params.sequence,
            ttl_s=params.ttl_s,
        )
        live, lease = self._agents.authority.report(params.pane, said, params.session_id)
        return r.AgentReported(
            pane=str(live.pane),
            agent=lease.agent,
            status=lease.state,
            source=lease.source,
            sequence=lease.sequence,
            ttl_s=lease.ttl_s,
        )

    @method("agent.release", access=Access.WRITE, errors=(NotFound, errors.AuthorityConflict))
    async def release(self, params: reports.AgentRelease) -> r.AgentReleased:
        """End the reports of a source; detection goes on."""
        pane = self._agents.authority.release(params.pane, params.source)
        return r.AgentReleased(pane=str(pane))

    @method(
        "agent.start",
        access=Access.WRITE,
        errors=(
            NotFound,
            NameInUse,
            SpawnFailed,
            SendFailed,
            LimitExceeded,
            Unavailable,
            errors.UnsupportedAgent,
            errors.AgentPaneBusy,
        ),
        revision=False,
    )
    async def start(self, params: p.AgentStart, call: Call) -> r.AgentStarted:
        """Start an agent in a shell, give it a name, and wait until it takes prompts.

        Without `pane` a new pane is split off, which never takes the focus. `ready` true means that
        a prompt would be taken now: the agent waits at its composer. When it asks something first,
        such as whether it may trust the folder, the answer comes at once with `ready` false and
        `status` `blocked`; when time is over it says `ready` false, and the agent may still come.
        """
        place = Place(params.pane, params.anchor, params.direction)
        started = await self._agents.starting.start(
            params.name, params.kind, params.args, place, params.timeout_s, call.gone
        )
        return r.AgentStarted(
            name=params.name,
            kind=params.kind,
            pane=str(started.pane),
            ready=started.ready,
            status=started.status,
        )

    @method(
        "agent.prompt",
        access=Access.WRITE,
        errors=(
            *DRIVEN,
            Unavailable,
            LimitExceeded,
            errors.AgentPromptBusy,
            errors.AgentNotRunning,
        ),
        revision=False,
    )
    async def prompt(self, params: p.AgentPrompt, call: Call) -> r.AgentPrompted:
        """Say something to an agent, and wait for the answer if wanted.

        The text is pasted whole and Enter follows in the same action. An agent that asks something
        gets no prompt: answer it first. With `wait` the answer comes when one of the states is
        there because of the prompt; after a timeout it may still be carried out, so do not send it
        again.
        """
        fence = Fence(params.terminal_id, strict=params.strict)
        driving = self._agents.driving
        if not params.wait:
            return views.prompted(await driving.prompt(params.target, params.text, fence))
        timeout_s = PROMPT_WAIT_S if params.timeout_s is None else params.timeout_s
        found = await driving.prompt_and_wait(
            params.target, params.text, params.states(), timeout_s, call.gone, fence
        )
        return views.prompted(found)

    @method(
        "agent.wait",
        access=Access.READ,
        errors=(NotFound, Unavailable),
        revision=False,
        command="wait agent-status",
    )
    async def wait(self, params: p.AgentWait, call: Call) -> r.AgentWaited:
        """Wait until the agent of a pane is in one of some states; it may be already."""
        wanted = params.wanted()
        found = await self._agents.driving.wait(params.pane, wanted, params.timeout_s, call.gone)
        return views.waited(params.pane, found, wanted)

    @method("agent.name", access=Access.WRITE, errors=(NotFound,))
    async def name(self, params: p.AgentName) -> r.AgentNamed:
        """Give a pane an alias, taking it from the pane that has it, or take it away."""
        pane = self._session.select_pane(params.pane)
        self._session.commit(rules.rename_pane, pane, params.name or "", told=False)
        return r.AgentNamed(pane=str(pane), name=params.name)

    @method(
        "agent.fork",
        access=Access.WRITE,
        errors=(
            *TARGETED,
            NameInUse,
            SendFailed,
            SpawnFailed,
            LimitExceeded,
            errors.UnsupportedAgent,
            errors.SessionUnknown,
        ),
    )
    async def fork(self, params: p.AgentFork) -> r.AgentForked:
        """Branch off an agent's session into a new pane to its right; the agent goes on."""
        found = await self._agents.starting.fork(params.target, params.name, focus=params.focus)
        return views.forked(self._session, found)

    @method("agent.send", access=Access.WRITE, errors=DRIVEN)
    async def send(self, params: p.AgentSend) -> r.AgentSent:
        """Say something to an agent and return at once."""
        fence = Fence(params.terminal_id, strict=params.strict)
        live = await self._agents.driving.send(params.target, params.text, fence)
        facts = self._roster.detector.facts(live.pane)
        record = self._session.structure.panes[live.pane]
        return r.AgentSent(
            pane=str(live.pane), agent=facts.agent, status=facts.status, name=record.name
        )

    @method(
        "agent.keys",
        access=Access.WRITE,
        errors=(*DRIVEN, InvalidRequest, errors.ContentRevisionConflict),
    )
    async def keys(self, params: p.AgentKeys) -> r.KeysSent:
        """Press keys in an agent's pane: all of them, or none when one is no key.

        `if_content_revision` with `terminal_id` makes sure that what is answered is what was read.
        """
        fence = Fence(params.terminal_id, params.if_content_revision)
        pane = await self._agents.driving.keys(params.target, params.keys, fence)
        return r.KeysSent(pane=str(pane))

    @method("agent.read", access=Access.READ, errors=TARGETED)
    async def read(self, params: p.AgentRead) -> r.AgentText:
        """Return the newest lines of an agent's pane as text."""
        visible = params.source == "visible"
        pane, text, revision, terminal_id = await self._agents.driving.read(
            params.target, params.lines, visible=visible
        )
        return r.AgentText(
            pane=str(pane), text=text, content_revision=revision, terminal_id=terminal_id
        )

    @method("agent.sessions", access=Access.READ)
    async def sessions(self, params: NoParamsLenient) -> r.StoredSessions:
        """List the newest sessions that agents have on disk and could go on with."""
        found = await self._agents.starting.sessions()
        return r.StoredSessions(sessions=[views.stored(session) for session in found])

    @method(
        "agent.resume",
        access=Access.WRITE,
        errors=(NotFound, LimitExceeded, SendFailed, SpawnFailed),
    )
    async def resume(self, params: p.AgentResume) -> r.Done:
        """Open a workspace in a session's folder and let its agent go on there."""
        await self._agents.starting.resume(params.session_id)
        return r.Done()
