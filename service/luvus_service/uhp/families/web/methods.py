"""`web.*`: the dashboard."""

from __future__ import annotations

from luvus_service.rpc.declare import family, method
from luvus_service.rpc.errors import Unavailable
from luvus_service.rpc.models import NoParams
from luvus_service.rpc.scopes import Access, Scope
from luvus_service.uhp.domain.dashboard import DashboardFailed
from luvus_service.uhp.engine.errors import NotFound
from luvus_service.uhp.engine.session import Session
from luvus_service.uhp.families.web.examples import EXAMPLES
from luvus_service.uhp.families.web.models import (
    Done,
    WebBrowser,
    WebBrowsers,
    WebLink,
    WebRevoke,
    WebStart,
    WebStatus,
)


@family("web", scope=Scope.ADMIN, title="Dashboard", examples=EXAMPLES)
class WebMethods:
    """Open Mission Control in a browser on this machine, and see who is logged in to it.

    It is off until asked for and listens on a loopback address only. A browser logs in with a link
    that is good once and for a minute; what it may do then is fixed by the login. A server that is
    replaced under its panes keeps the dashboard and its logins; a server that is stopped does not.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    @method("web.start", access=Access.WRITE, errors=(Unavailable,), revision=False)
    async def start(self, params: WebStart) -> WebLink:
        """Turn the dashboard on, unless it is, and return a login link."""
        dashboard = self._session.world.dashboard
        try:
            await dashboard.start(params.host, params.port)
        except DashboardFailed as error:
            raise Unavailable(str(error)) from error
        link = dashboard.link(read_only=params.read_only)
        return WebLink(url=str(dashboard.url), link=link, read_only=params.read_only)

    @method("web.stop", access=Access.WRITE, revision=False)
    async def stop(self, params: NoParams) -> Done:
        """Log every browser out and turn the dashboard off.

        The answer comes first, since it may be a browser that asks.
        """
        self._session.tasks.start(self._session.world.dashboard.stop(), "end of the dashboard")
        return Done()

    @method("web.status", access=Access.READ, revision=False)
    async def status(self, params: NoParams) -> WebStatus:
        """Say whether the dashboard is on, and where."""
        dashboard = self._session.world.dashboard
        url = dashboard.url
        return WebStatus(running=url is not None, url=url, browsers=len(dashboard.browsers()))

    @method("web.sessions", access=Access.READ, revision=False)
    async def sessions(self, params: NoParams) -> WebBrowsers:
        """List the browsers that are logged in."""
        found = self._session.world.dashboard.browsers()
        return WebBrowsers(
            browsers=[
                WebBrowser(
                    browser=one.id,
                    agent=one.agent,
                    read_only=one.read_only,
                    since=one.since,
                    expires=one.expires,
                    streams=one.streams,
                )
                for one in found
            ]
        )

    @method("web.revoke", access=Access.WRITE, errors=(NotFound,), revision=False)
    async def revoke(self, params: WebRevoke) -> Done:
        """Log one browser out; its open streams end at once."""
        if not self._session.world.dashboard.revoke(params.browser):
            raise NotFound(f"no browser is logged in as {params.browser!r}; see web.sessions")
        return Done()
