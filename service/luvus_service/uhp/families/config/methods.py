"""`config.*`: the configuration that all sessions of a home share."""

from __future__ import annotations

from luvus_service.rpc.declare import family, method
from luvus_service.rpc.errors import InvalidRequest
from luvus_service.rpc.models import NoParams
from luvus_service.rpc.scopes import Access, Scope
from luvus_service.uhp.engine.config import ConfigKeeper
from luvus_service.uhp.families.config.events import EVENTS
from luvus_service.uhp.families.config.examples import EXAMPLES
from luvus_service.uhp.families.config.models import ConfigPatch, ConfigResult


@family("config", scope=Scope.ADMIN, title="Configuration", events=EVENTS, examples=EXAMPLES)
class ConfigMethods:
    """Read and change the configuration.

    It is kept in `config.json` of the home and shared by all its sessions. Another session sees a
    change after `server.reload_config` or its next start.
    """

    def __init__(self, config: ConfigKeeper) -> None:
        self._config = config

    @method("config.get", access=Access.READ)
    async def get(self, params: NoParams) -> ConfigResult:
        """Return the configuration in force, defaults included."""
        return ConfigResult(config=self._config.current)

    @method("config.patch", access=Access.WRITE, errors=(InvalidRequest,))
    async def patch(self, params: ConfigPatch) -> ConfigResult:
        """Change fields of the configuration; they apply at once.

        Everything is checked first: an unknown field or a value that is not allowed changes
        nothing. The file is written afterwards, as soon as no other process holds its lock, and
        only the patched fields of it change.
        """
        return ConfigResult(config=self._config.patch(params.patch))
