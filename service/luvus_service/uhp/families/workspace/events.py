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


@event("workspace.moved")
class WorkspaceMoved(EventData):
    """A workspace has another position."""

    workspace: Annotated[str, Field(description="The 0-based position it had.")]
    to: Annotated[str, Field(description="The 0-based position it has now.")]


@event("workspace.block_moved")
class WorkspaceBlockMoved(EventData):
    """Some workspaces now stand together."""

    workspaces: Annotated[
        list[int], Field(description="The 0-based positions they had, in their new order.")
    ]
    positions: Annotated[
        list[int], Field(description="The 0-based positions they have now, in the same order.")
    ]


@event("workspace.metadata_reported")
class WorkspaceMetadataReported(EventData):
    """A workspace's branch or distance to upstream was reported, or git has another branch."""

    workspace: Index


EVENTS = (
    WorkspaceCreated,
    WorkspaceClosed,
    WorkspaceMoved,
    WorkspaceBlockMoved,
    WorkspaceMetadataReported,
)
