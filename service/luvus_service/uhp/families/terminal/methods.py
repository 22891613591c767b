"""`terminal.backend.*`: terminals by their identity, for programs."""

from __future__ import annotations

from luvus_service.rpc.call import Call, Stream
from luvus_service.rpc.declare import family, method, stream
from luvus_service.rpc.errors import LimitExceeded, Unavailable
from luvus_service.rpc.models import NoParams
from luvus_service.rpc.scopes import Access, Scope
from luvus_service.rpc.streaming import forward
from luvus_service.uhp.domain.locators import Verdict
from luvus_service.uhp.engine.backend import DETECTION_ROWS, Backend
from luvus_service.uhp.engine.backend_create import create
from luvus_service.uhp.engine.backend_files import Files
from luvus_service.uhp.engine.backend_stream import FrameStream
from luvus_service.uhp.engine.backend_waits import wait_change, wait_output
from luvus_service.uhp.engine.errors import (
    CaptureTooLarge,
    ControlConflict,
    CreateFailed,
    InputTooLarge,
    ProcessMismatch,
    RefusedParams,
    SendFailed,
    StaleRoute,
    StaleServer,
    StaleTerminal,
    TerminalGone,
    TerminalNotReady,
    Timeout,
)
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.families.terminal import views
from luvus_service.uhp.families.terminal.control import Control
from luvus_service.uhp.families.terminal.events import EVENTS
from luvus_service.uhp.families.terminal.examples import EXAMPLES
from luvus_service.uhp.families.terminal.fields import TerminalLocator
from luvus_service.uhp.families.terminal.models import (
    TerminalCapture,
    TerminalCreate,
    TerminalInput,
    TerminalKey,
    TerminalNotify,
    TerminalObserve,
    TerminalTitle,
    TerminalWaitChange,
    TerminalWaitOutput,
)
from luvus_service.uhp.families.terminal.results import (
    TerminalAction,
    TerminalCaptured,
    TerminalChange,
    TerminalEventFrame,
    TerminalFrame,
    TerminalInventory,
    TerminalOpened,
    TerminalOutput,
    TerminalProcesses,
    TerminalReply,
    TerminalResync,
    TerminalSnapshot,
    TerminalStream,
    TerminalSubscription,
    TerminalValidation,
)

STALE = (ProcessMismatch, StaleRoute, StaleServer, StaleTerminal, TerminalNotReady)
SENDING = (*STALE, InputTooLarge, SendFailed)
STREAMING = (*STALE, LimitExceeded)
WAITING = (*STALE, LimitExceeded, TerminalGone, Timeout)


@family("terminal", scope=Scope.TERMINAL, title="Terminals", events=EVENTS, examples=EXAMPLES)
class TerminalMethods:
    """Drive terminals by their identity, with evidence of what became of each request.

    A terminal is named by the server's generation, its id and the pane that shows it; all three
    must fit, and nothing falls back to the focused pane. An error's `dispatch` says how far the
    request came: `not_started` and `rejected` have done nothing, `started` was begun and undone.
    """

    def __init__(self, session: Session, backend: Backend) -> None:
        self._session = session
        self._backend = backend

    @method("terminal.backend.inventory", access=Access.READ, revision=False, invalid=RefusedParams)
    async def inventory(self, params: NoParams) -> TerminalInventory:
        """List the live terminals of all workspaces."""
        rows, truncated = views.rows(self._session)
        return TerminalInventory(
            server_generation=self._session.generation, terminals=rows, truncated=truncated
        )

    @method("terminal.backend.snapshot", access=Access.READ, revision=False, invalid=RefusedParams)
    async def snapshot(self, params: NoParams) -> TerminalSnapshot:
        """List the live terminals as of one event.

        Subscribe first, take the snapshot on another connection, then drop the events up to its
        `event_sequence`: nothing is missed and nothing counted twice.
        """
        rows, truncated = views.rows(self._session)
        return TerminalSnapshot(
            server_generation=self._session.generation,
            event_sequence=self._session.events.sequence,
            terminals=rows,
            truncated=truncated,
        )

    @method(
        "terminal.backend.validate",
        access=Access.READ,
        errors=(ProcessMismatch, StaleRoute, StaleServer),
        revision=False,
        invalid=RefusedParams,
    )
    async def validate(self, params: TerminalLocator) -> TerminalValidation:
        """Say whether a terminal is alive.

        One that is gone is an answer here and not an error.
        """
        verdict = self._backend.verdict(params.located())
        if verdict is Verdict.GONE:
            return TerminalValidation(state="gone")
        if verdict is Verdict.NOT_READY:
            return TerminalValidation(state="unknown")
        self._backend.find(params.located())
        return TerminalValidation(state="alive")

    @method(
        "terminal.backend.processes",
        access=Access.READ,
        errors=STALE,
        revision=False,
        invalid=RefusedParams,
    )
    async def processes(self, params: TerminalLocator) -> TerminalProcesses:
        """Name the programs below a terminal, as a scan of the last seconds saw them."""
        locator = params.located()
        terminal = self._backend.find(locator)
        facts = await self._backend.scans.facts(terminal.id)
        return views.processes(locator, terminal, facts)

    @method(
        "terminal.backend.capture",
        access=Access.READ,
        errors=(*STALE, CaptureTooLarge),
        revision=False,
        invalid=RefusedParams,
    )
    async def capture(self, params: TerminalCapture) -> TerminalCaptured:
        """Return a terminal's text; sends the program nothing and moves nobody's view."""
        detection = params.mode == "detection"
        screen = await self._backend.capture(
            params.located(),
            "visible" if params.mode == "detection" else params.mode,
            min(params.lines, DETECTION_ROWS) if detection else params.lines,
            ansi=params.ansi,
        )
        return views.captured(params, screen)

    @method(
        "terminal.backend.wait_change",
        access=Access.READ,
        errors=WAITING,
        revision=False,
        invalid=RefusedParams,
    )
    async def wait_change(self, params: TerminalWaitChange, call: Call) -> TerminalChange:
        """Wait for output after a revision."""
        terminal = self._backend.find(params.located())
        seconds = params.timeout_ms / 1000
        revision = await wait_change(terminal, params.after_revision, seconds, call.gone)
        return TerminalChange(content_revision=revision)

    @method(
        "terminal.backend.wait_output",
        access=Access.READ,
        errors=WAITING,
        revision=False,
        invalid=RefusedParams,
    )
    async def wait_output(self, params: TerminalWaitOutput, call: Call) -> TerminalOutput:
        """Wait for a text among the newest lines, in a state after a revision."""
        revision = await wait_output(
            self._backend.find(params.located()),
            params.match,
            params.after_revision,
            params.timeout_ms / 1000,
            call.gone,
            self._backend.echoes,
        )
        return TerminalOutput(content_revision=revision)

    @method(
        "terminal.backend.type_literal",
        access=Access.WRITE,
        errors=SENDING,
        revision=False,
        invalid=RefusedParams,
    )
    async def type_literal(self, params: TerminalInput) -> TerminalAction:
        """Type a text as it is, without Enter."""
        self._backend.type_literal(params.located(), params.text)
        return TerminalAction(dispatch="queued")

    @method(
        "terminal.backend.paste_text",
        access=Access.WRITE,
        errors=SENDING,
        revision=False,
        invalid=RefusedParams,
    )
    async def paste_text(self, params: TerminalInput) -> TerminalAction:
        """Paste a text as the program asked to get one, without Enter."""
        await self._backend.paste(params.located(), params.text)
        return TerminalAction(dispatch="queued")

    @method(
        "terminal.backend.submit_text",
        access=Access.WRITE,
        errors=SENDING,
        revision=False,
        invalid=RefusedParams,
    )
    async def submit_text(self, params: TerminalInput) -> TerminalAction:
        """Paste a text and press Enter, as one action that nothing can come between."""
        await self._backend.paste(params.located(), params.text, enter=True)
        return TerminalAction(dispatch="queued")

    @method(
        "terminal.backend.send_key",
        access=Access.WRITE,
        errors=(*STALE, SendFailed),
        revision=False,
        invalid=RefusedParams,
    )
    async def send_key(self, params: TerminalKey) -> TerminalAction:
        """Press one key; cursor keys follow the mode that the program has set."""
        await self._backend.press(params.located(), params.key)
        return TerminalAction(dispatch="queued")

    @method(
        "terminal.backend.set_title",
        access=Access.WRITE,
        errors=STALE,
        revision=False,
        invalid=RefusedParams,
    )
    async def set_title(self, params: TerminalTitle) -> TerminalAction:
        """Label a terminal; an empty label clears it. The program is sent nothing."""
        self._backend.set_label(params.located(), params.title)
        return TerminalAction(dispatch="executed")

    @method(
        "terminal.backend.notify",
        access=Access.WRITE,
        errors=STALE,
        revision=False,
        invalid=RefusedParams,
    )
    async def notify(self, params: TerminalNotify) -> TerminalAction:
        """Notify people about a terminal."""
        self._backend.notify(params.located(), params.title, params.body)
        return TerminalAction(dispatch="executed")

    @method(
        "terminal.backend.create",
        access=Access.WRITE,
        errors=(*STALE, CreateFailed, LimitExceeded),
        revision=False,
        invalid=RefusedParams,
    )
    async def create(self, params: TerminalCreate) -> TerminalOpened:
        """Start a program in a new terminal and answer when it runs.

        Placement `workspace` puts it into a new tab of the folder's workspace, which is opened
        when it is not; `sibling` splits the pane of another terminal. Without `focus` nobody's
        view changes.
        """
        made = await create(self._session, self._backend, params.wanted())
        return views.created(params, self._session.generation, made)

    @method(
        "terminal.backend.close",
        access=Access.WRITE,
        errors=STALE,
        revision=False,
        invalid=RefusedParams,
    )
    async def close(self, params: TerminalLocator) -> TerminalAction:
        """Close a terminal and end its program, whatever input still waits for it."""
        await self._backend.close(params.located())
        return TerminalAction(dispatch="executed")

    @stream(
        "terminal.backend.observe",
        acknowledges=TerminalStream,
        frames=(TerminalFrame, TerminalResync),
        errors=STREAMING,
        invalid=RefusedParams,
    )
    async def observe(self, params: TerminalObserve, stream: Stream) -> None:
        """Follow a terminal's screen: the state now, then every newer one.

        A frame replaces the one before. Observing never changes the terminal's size.
        """
        locator = params.located()
        with self._backend.streaming(locator, control=False) as terminal:
            started = views.stream_started(params, self._session, terminal, control=False)
            frames = FrameStream(stream, terminal, locator, params.view(), sequence=self._sequence)
            await frames.run(started)

    @stream(
        "terminal.backend.control",
        access=Access.WRITE,
        acknowledges=TerminalStream,
        frames=(TerminalFrame, TerminalReply, TerminalResync),
        errors=(*STREAMING, ControlConflict),
        invalid=RefusedParams,
        listens=True,
    )
    async def control(self, params: TerminalObserve, stream: Stream) -> None:
        """Follow a terminal's screen and act on it over the same connection.

        Each line `{id, action, params}` is answered with its id, between the frames. Images and
        files are kept in private storage of the session, and their paths are pasted.
        """
        locator = params.located()
        with self._backend.streaming(locator, control=True) as terminal:
            started = views.stream_started(params, self._session, terminal, control=True)
            files = Files(self._backend, locator, self._session.world.executor)
            control = Control(self._backend, locator, files, stream)
            frames = FrameStream(
                stream,
                terminal,
                locator,
                params.view(),
                sequence=self._sequence,
                act=control.act,
            )
            try:
                await frames.run(started)
            finally:
                files.close()

    @stream(
        "terminal.backend.events.subscribe",
        acknowledges=TerminalSubscription,
        frames=(TerminalEventFrame, TerminalResync),
        errors=(Unavailable,),
        invalid=RefusedParams,
    )
    async def subscribe(self, params: NoParams, stream: Stream) -> None:
        """Turn the connection into a stream of the events of terminals.

        The sequence is that of all events, so it has gaps here. A reader that falls 256 events
        behind gets one `terminal.resync_required` and is cut off.
        """
        events = self._session.events
        subscription, _ = events.subscribe(terminal_only=True)
        try:
            await stream.acknowledge(TerminalSubscription(sequence=events.sequence))
            await forward(stream, subscription.frames())
        finally:
            subscription.close()

    def _sequence(self) -> int:
        return self._session.events.sequence
