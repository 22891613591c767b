"""Reads the manifests: ours from the package, then the managed and the user's own from the home."""

from __future__ import annotations

import logging
import tomllib
from collections.abc import Iterator
from pathlib import Path

from luvus_service.uhp.domain.agents.manifests import (
    BadManifest,
    Catalog,
    Manifest,
    assemble,
    parse,
)

_log = logging.getLogger(__name__)

FILES = 256
"""Manifests read of one folder."""
FILE_BYTES = 262_144
BUILT_IN = Path(__file__).parent / "manifests"
EXAMPLE = "example.toml.txt"
"""Dropped into the user's folder; not loaded, because of its ending."""
_EXAMPLE = """\
# Copy this file to a name that ends in .toml, then run `luvus server reload-manifests`.
# Everything is compared in lower case.

agent = "myagent"            # leave it out for rules about all agents

[identity]
distinct = ["myagent"]       # means this agent wherever it is read
ambiguous = []               # counts for programs and titles, not for text on a screen
# replace = true             # forget the built-in names of this agent first

[[rule]]
state = "blocked"            # working, blocked, idle or done
priority = 300               # the highest wins, of equal ones the last
region = "screen"            # or "title"
any = ["allow this?"]        # at least one of them
all = []                     # every one of them
not = []                     # none of them
spinner = false              # a line starts with a spinner
"""


class ManifestFiles:
    """The manifests of one home."""

    def __init__(self, home: Path) -> None:
        self._home = home / "manifests"

    def load(self) -> Catalog:
        """Return all manifests together; a bad file is skipped with a warning."""
        self._drop_example()
        folders = (BUILT_IN, self._home / "managed", self._home)
        return assemble(manifest for folder in folders for manifest in _read(folder))

    def _drop_example(self) -> None:
        try:
            self._home.mkdir(mode=0o700)
            (self._home / EXAMPLE).write_text(_EXAMPLE, encoding="utf-8")
        except OSError:
            # It is there already, or the home cannot be written, which others will report.
            return


def _read(folder: Path) -> Iterator[Manifest]:
    try:
        paths = sorted(folder.glob("*.toml"))[:FILES]
    except OSError as error:
        _log.warning("the manifests in %s cannot be read: %s", folder, error)
        return
    for path in paths:
        manifest = _parsed(path)
        if manifest is not None:
            for fault in manifest.dropped:
                _log.warning("%s: %s", path, fault)
            yield manifest


def _parsed(path: Path) -> Manifest | None:
    try:
        if path.stat().st_size > FILE_BYTES:
            _log.warning("%s is skipped: it is larger than %d bytes", path, FILE_BYTES)
            return None
        return parse(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, BadManifest) as error:
        _log.warning("%s is skipped: %s", path, error)
        return None
