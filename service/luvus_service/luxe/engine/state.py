"""The state a client sees: model, mode, whether a turn runs, what waits. Shown whole, in order.

Knows no turn and no file; whoever changes it calls `show`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from luvus_service.luxe.domain.events import Steered
from luvus_service.luxe.domain.permissions import Grant, Policy, Rule
from luvus_service.luxe.domain.session_events import StateChanged
from luvus_service.luxe.domain.values import Activity, Mode, Model, PermissionMode, ThinkingLevel
from luvus_service.luxe.engine.world import Choices, RuleBook

ACTIVITY_GAP_S = 0.2
"""Between two frames that only the activity makes necessary."""


class State:
    """Everything of `state_changed` that is not derived from other objects."""

    def __init__(self, choices: Choices, rules: RuleBook, emit: Callable[[object], None]) -> None:
        self._choices = choices
        self._rules = rules
        self._emit = emit
        self._later: asyncio.TimerHandle | None = None
        self._shown_at = float("-inf")
        self.session_id = ""
        self.model: Model | None = None
        self.thinking: ThinkingLevel = choices.thinking
        self.mode: Mode = choices.mode
        self.permission_mode: PermissionMode = choices.permission_mode
        self.auto_approve = choices.auto_approve
        self.granted: list[Rule] = []
        """Allow rules that `always` added."""
        self.turn_id: str | None = None
        self.activity: Activity = "idle"
        self.steering: list[Steered] = []
        self.permissions: Callable[[], tuple[str, ...]] = tuple
        self.questions: Callable[[], tuple[str, ...]] = tuple
        if self.bound_read_only:
            self.permission_mode = "read_only"

    @property
    def bound_read_only(self) -> bool:
        """Whether the session began read-only, or a file of rules says so: for good."""
        return self._choices.read_only or self._rules.mode() == "read_only"

    @property
    def read_only(self) -> bool:
        """Whether nothing may be changed, whatever anybody answers."""
        return self.permission_mode == "read_only"

    def policy(self) -> Policy:
        """Return what calls are judged by now."""
        return Policy(
            permission_mode=self.permission_mode,
            mode=self.mode,
            rules=(*self._rules.rules(), *self.granted),
            trusted=self._choices.trusted,
            home=self._choices.home,
            root=self._choices.cwd,
        )

    def grant(self, grants: Sequence[Grant]) -> None:
        """Allow for the rest of this process."""
        self.granted += [Rule("allow", g.tool, g.pattern, "session") for g in grants]

    def show(self) -> None:
        """Send the whole state now."""
        if self._later is not None:
            self._later.cancel()
            self._later = None
        self._shown_at = asyncio.get_running_loop().time()
        self._emit(self.shown())

    def shown(self) -> StateChanged:
        """Return the whole state as it is now."""
        return StateChanged(
            model=self.model,
            streaming=self.turn_id is not None,
            mode=self.mode,
            thinking=self.thinking,
            session_id=self.session_id,
            turn_id=self.turn_id,
            activity=self.activity,
            permission_mode=self.permission_mode,
            auto_approve=self.auto_approve,
            read_only=self.read_only,
            pending_permissions=self.permissions(),
            pending_questions=self.questions(),
            pending_steering=len(self.steering),
        )

    def act(self, activity: Activity) -> None:
        """Change what the session is doing; shown soon, at most five times a second."""
        if activity == self.activity:
            return
        self.activity = activity
        loop = asyncio.get_running_loop()
        wait = self._shown_at + ACTIVITY_GAP_S - loop.time()
        if wait <= 0:
            self.show()
        elif self._later is None:
            self._later = loop.call_later(wait, self.show)

    def close(self) -> None:
        """Show nothing more."""
        if self._later is not None:
            self._later.cancel()
            self._later = None
