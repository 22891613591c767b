"""Events of workspaces."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from luvus_service.rpc.declare import event
from luvus_service.rpc.models import EventData

Index = Annotated[str, Field(description="The workspace's 0-based position.")]


@event("workspace.created")
class WorkspaceCreated(EventData):
    """A workspace was opened."""

    workspace: Index


@event("workspace.closed")
class WorkspaceClosed(EventData):
    """A workspace was closed; the position is the one it had."""

    workspace: Index


EVENTS = (WorkspaceCreated, WorkspaceClosed)
