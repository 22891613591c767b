"""The blocking client of the library."""

from __future__ import annotations

from luvus_client.caller import Caller


class LuvusClient(Caller):
    """Talks to the server of one session; holds no connection between calls.

    Without arguments it talks to the server of the pane that it runs in, or to the default
    session. Threads may share it.
    """

    events = Caller.follow
