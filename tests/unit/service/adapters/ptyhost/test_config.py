"""The host's configuration on a command line."""

from __future__ import annotations

import json

from luvus_service.adapters.ptyhost.config import HostConfig


def test_a_configuration_reads_back_and_what_a_newer_version_adds_is_left_out() -> None:
    config = HostConfig("work", "/h", "/h/host.sock", "/h/server.log", ("python", "-P"))
    newer = json.dumps({**json.loads(config.to_json()), "added_later": 1})

    assert HostConfig.from_json(newer) == config
