"""Parameters and results of the integration methods."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from luvus_service.rpc.models import Cli, Params, Result
from luvus_service.rpc.spelling import Spelled


class Integration(Result):
    """One agent's integration."""

    agent: str = Field(description="The agent.")
    installed: bool = Field(description="Whether its hooks are installed, all of them.")


class IntegrationStatus(Result):
    """All integrations."""

    type: Literal["integration_status"] = "integration_status"
    integrations: list[Integration] = Field(description="In a fixed order.")


class IntegrationChange(Params):
    """Which agent, and that you mean it."""

    agent: Annotated[
        str,
        Field(
            min_length=1,
            max_length=64,
            description="An agent that `integration.status` lists.",
        ),
        Spelled("^[a-z0-9._-]+$", "must have only a to z, 0 to 9 and `._-`"),
        Cli(positional=True),
    ]
    confirm: Annotated[
        bool, Field(description="Must be true: files of another program are changed.")
    ] = False


class IntegrationInstalled(Result):
    """The hooks are installed."""

    type: Literal["integration_install"] = "integration_install"
    agent: str = Field(description="The agent.")
    installed: bool = Field(description="Whether they are.")


class IntegrationUninstalled(Result):
    """The hooks are removed."""

    type: Literal["integration_uninstall"] = "integration_uninstall"
    agent: str = Field(description="The agent.")
    installed: bool = Field(description="Whether something is still there.")
