from __future__ import annotations

from typing import Any

import orjson
import schemathesis
from hypothesis import assume, settings

from luvus_service.asgi.app import build_app
from luvus_service.asgi.status import OF_KIND
from luvus_service.codegen.openapi import openapi
from luvus_service.rpc.dispatch import Dispatcher
from luvus_service.rpc.registry import Registry
from luvus_service.rpc.tokens import Tokens
from tests.unit.service.codegen.other_sample import Lids
from tests.unit.service.codegen.sample import CATALOGUE, Boxes


def described() -> dict[str, Any]:
    return openapi(CATALOGUE, "1.2.3", status_of_kind=OF_KIND, server_sent={"events": "box.watch"})


def app() -> Any:
    dispatcher = Dispatcher(
        Registry([Boxes(), Lids()]), Tokens(lambda: 0.0), revision=lambda: 3, strict_errors=True
    )
    return build_app(dispatcher, openapi=lambda: orjson.dumps(described()), health=dict, sse={})


SCHEMA = schemathesis.openapi.from_dict(described())
SCHEMA.app = app()
CALLS = SCHEMA.include(path_regex=r"^/uhp/v1/box", method="POST")


def test_the_document_satisfies_the_standard() -> None:
    schemathesis.openapi.from_dict(described()).validate()


def test_every_method_has_a_path_and_the_pages_have_theirs() -> None:
    verbs = {path: sorted(item) for path, item in described()["paths"].items()}

    assert verbs == {
        "/healthz": ["get"],
        "/openapi.json": ["get"],
        "/uhp/v1/box": ["post"],
        "/uhp/v1/box.halve": ["post"],
        "/uhp/v1/box.lid.get": ["post"],
        "/uhp/v1/box.list": ["post"],
        "/uhp/v1/box.move": ["post"],
        "/uhp/v1/box.note.type": ["post"],
        "/uhp/v1/box.split": ["post"],
        "/uhp/v1/box.watch": ["get"],
        "/uhp/v1/events": ["get"],
    }


def test_an_operation_lists_each_error_under_the_status_of_its_kind() -> None:
    responses = described()["paths"]["/uhp/v1/box.split"]["post"]["responses"]

    codes = {
        status: response["content"]["application/json"]["schema"]["allOf"][1]["properties"]["code"]
        for status, response in responses.items()
        if status != "200"
    }
    assert codes == {
        "400": {"enum": ["invalid_request"]},
        "403": {"enum": ["forbidden"]},
        "404": {"enum": ["sample_missing"]},
        "409": {"enum": ["no_session", "revision_conflict"]},
        "413": {"enum": ["frame_too_large"]},
        "500": {"enum": ["internal"]},
    }


def test_a_stream_is_described_as_a_web_socket_with_its_frames() -> None:
    stream = described()["paths"]["/uhp/v1/box.watch"]["get"]

    assert sorted(stream["responses"]) == ["101", "405"]
    assert stream["x-luvus-stream"] == {
        "params": {"$ref": "#/components/schemas/Watch"},
        "acknowledgement": {"$ref": "#/components/schemas/Watching"},
        "frames": [{"$ref": "#/components/schemas/Frame"}],
    }


def test_a_stream_served_as_events_takes_a_cursor() -> None:
    events = described()["paths"]["/uhp/v1/events"]["get"]

    names = [parameter["name"] for parameter in events["parameters"]]
    assert names == ["Last-Event-ID", "after_sequence"]
    assert list(events["responses"]["200"]["content"]) == ["text/event-stream"]


def test_a_body_is_required_only_where_a_parameter_is() -> None:
    paths = described()["paths"]

    required = {
        path: item["post"]["requestBody"]["required"]
        for path, item in paths.items()
        if "post" in item
    }
    assert required == {
        "/uhp/v1/box": False,
        "/uhp/v1/box.halve": False,
        "/uhp/v1/box.lid.get": False,
        "/uhp/v1/box.list": False,
        "/uhp/v1/box.move": True,
        "/uhp/v1/box.note.type": True,
        "/uhp/v1/box.split": False,
    }


@CALLS.parametrize()
@settings(max_examples=10, deadline=None, derandomize=True, database=None)
def test_the_app_answers_as_the_document_says(case: schemathesis.Case[Any]) -> None:
    # The guard belongs to the dispatcher, whose own tests cover it; here it stays away.
    assume(not isinstance(case.body, dict) or "if_revision" not in case.body)

    case.call_and_validate()
