"""Parameters and results of the configuration's methods."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from luvus_service.rpc.models import Cli, Params, Result
from luvus_service.uhp.engine.config_model import Config


class ConfigPatch(Params):
    """What to change."""

    patch: Annotated[
        dict[str, Any],
        Field(
            description="The fields to change, nested as in `config.get`; "
            "objects are merged, anything else is replaced."
        ),
        Cli(positional=True),
    ]


class ConfigResult(Result):
    """The configuration in force."""

    type: Literal["config"] = "config"
    config: Config = Field(description="Every key, with its default where none is set.")
