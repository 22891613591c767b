from __future__ import annotations

from typing import Any

from luvus_service.codegen.agent_paths import agent_paths
from luvus_service.codegen.jsonschema import reachable
from luvus_service.luxe.catalogue import kinds
from luvus_service.luxe_wiring.described import agent_api

ERROR = "#/components/schemas/Error"
ONE = "/luxe/v2/sessions/{session_id}"


def test_every_action_is_a_path_and_every_frame_is_described() -> None:
    paths, definitions = agent_paths(agent_api(), ERROR)

    streams = paths[ONE]["get"]["x-luvus-stream"]
    frames = [frame["properties"]["kind"]["const"] for frame in streams["frames"]]
    assert {path.rpartition("/")[2] for path in paths if path.startswith(ONE + "/")} >= set(kinds())
    assert {"ready", "token_delta", "permission_requested", "turn_ended"} <= set(frames)
    assert [a["properties"]["kind"]["const"] for a in streams["actions"]] == sorted(kinds())
    known = {**definitions, "Error": {}}
    assert reachable(paths, known, "#/components/schemas/") <= set(known)


def test_what_acts_needs_every_scope_and_what_looks_needs_to_read() -> None:
    paths, _ = agent_paths(agent_api(), ERROR)

    needs = {
        f"{verb} {path}": operation["x-luvus-scope"]
        for path, item in paths.items()
        for verb, operation in item.items()
        if verb != "parameters"
    }
    readable = {key for key, scope in needs.items() if scope == "read"}
    assert readable == {
        "get /luxe/v2/sessions",
        f"get {ONE}",
        f"get {ONE}/pictures/{{sha256}}",
        "get /luxe/v2/stored",
    }


def test_a_field_is_optional_only_where_a_frame_leaves_it_out() -> None:
    _, definitions = agent_paths(agent_api(), ERROR)

    def optional(name: str) -> set[str]:
        schema: dict[str, Any] = definitions[name]
        return set(schema["properties"]) - set(schema["required"])

    assert optional("LuxeToolStarted") == {"input_truncated"}
    assert optional("LuxeToolActivityUpdated") == set()
    assert optional("LuxeSessionRow") == set()
