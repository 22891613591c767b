"""Parameters and results of the dashboard's methods."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from luvus_service.rpc.models import Cli, Params, Result

LINK_S = 60


class WebStart(Params):
    """Where to listen, and what a login may do."""

    port: Annotated[
        int | None,
        Field(
            ge=1024,
            le=65535,
            description="The TCP port; 8717 when left out, or a free one when that is taken.",
        ),
    ] = None
    host: Literal["127.0.0.1", "::1"] = Field(
        default="127.0.0.1", description="The loopback address to listen on."
    )
    read_only: bool = Field(
        default=False, description="Whether the browser may look and change nothing."
    )


class WebLink(Result):
    """The dashboard is on, and here is a way in."""

    type: Literal["web_link"] = "web_link"
    url: str = Field(description="The address of the dashboard; worth a bookmark.")
    link: str = Field(description="Logs one browser in, once; not shown again.")
    expires_in_s: Literal[60] = Field(default=60, description="How long the link is good.")
    read_only: bool = Field(description="Whether the browser may change nothing.")


class WebStatus(Result):
    """Whether the dashboard is on."""

    type: Literal["web_status"] = "web_status"
    running: bool = Field(description="Whether it listens.")
    url: str | None = Field(description="The address of the dashboard, or null.")
    browsers: int = Field(description="How many browsers are logged in.")


class WebBrowser(Result):
    """A browser that is logged in."""

    browser: str = Field(description="The id of the login.")
    agent: str = Field(description="What the browser calls itself.")
    read_only: bool = Field(description="Whether it may change nothing.")
    since: int = Field(description="When it logged in, in Unix seconds.")
    expires: int = Field(description="When it has to log in again, in Unix seconds.")
    streams: int = Field(description="Requests and streams it has open now.")


class WebBrowsers(Result):
    """Who is logged in."""

    type: Literal["web_browsers"] = "web_browsers"
    browsers: list[WebBrowser] = Field(description="Oldest login first.")


class WebRevoke(Params):
    """Which browser."""

    browser: Annotated[
        str,
        Field(min_length=1, max_length=64, description="The id of the login."),
        Cli(positional=True),
    ]


class Done(Result):
    """It is done."""

    type: Literal["ok"] = "ok"
