"""Parameters and result of `attach.pane`."""

from __future__ import annotations

from typing import Literal

from luvus_service.rpc.models import LenientParams, Result
from luvus_service.uhp.fields import PaneArgument, PaneId


class AttachPane(LenientParams):
    """Which pane."""

    pane: PaneArgument = None


class Attached(Result):
    """The pane fills its tab and has the focus."""

    type: Literal["ok"] = "ok"
    pane: PaneId
