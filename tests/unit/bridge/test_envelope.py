from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from luvus_bridge.envelope import MAX_DEPTH, Refusal, Request, parse

BAD_JSON = Refusal("0", "invalid_request", "bad json")

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, width=16) | TEXT
VALUES = st.recursive(
    SCALARS.filter(lambda value: value not in (float("inf"), float("-inf"))),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=12,
)
PARAMS = st.dictionaries(TEXT, VALUES, max_size=3)


def frame(**fields: Any) -> bytes:
    return json.dumps({"id": "1", "method": "pane.split", "params": {}} | fields).encode()


def test_a_usual_request_is_read() -> None:
    found = parse(b'{"id":"1","method":"pane.split","params":{"down":true}}')

    assert found == Request("1", "pane.split", None, b'{"down":true}', "object", ())


def test_a_request_with_a_token_is_read() -> None:
    found = parse(b'{"id":"2","method":"workspace.get","auth":"luv_tok_1","params":{"a":1}}')

    assert found == Request("2", "workspace.get", "luv_tok_1", b'{"a":1}', "object", ())


@given(
    params=PARAMS,
    order=st.permutations(["id", "method", "auth", "params"]),
    compact=st.booleans(),
    plain=st.booleans(),
    padding=st.sampled_from(["", " ", "\r", "\t "]),
)
def test_parameters_are_passed_on_as_they_were_written(
    params: dict[str, Any], order: list[str], compact: bool, plain: bool, padding: str
) -> None:
    separators = (",", ":") if compact else (" , ", " : ")
    written = json.dumps(params, separators=separators, ensure_ascii=not plain)
    members = {"id": '"a:b"', "method": '"m"', "auth": '"t:}{"', "params": written}
    text = ",".join(f'{padding}"{key}":{padding}{members[key]}' for key in order)

    found = parse(f"{padding}{{{text}{padding}}}{padding}".encode())

    assert found == Request("a:b", "m", "t:}{", written.encode(), "object", ())


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('{"id":"1","method":"m"}', "absent"),
        ('{"id":"1","method":"m","params":null}', "null"),
        ('{"id":"1","method":"m","params":[{"a":1}]}', "other"),
        ('{"id":"1","method":"m","params":"{}"}', "other"),
        ('{"id":"1","method":"m","params":0}', "other"),
    ],
)
def test_parameters_that_are_no_object_are_named_and_sent_as_an_empty_one(
    text: str, kind: str
) -> None:
    assert parse(text.encode()) == Request("1", "m", None, b"{}", kind, ())  # type: ignore[arg-type]


def test_keys_that_the_envelope_does_not_know_are_listed() -> None:
    found = parse(b'{"id":"1","method":"m","params":{"p":{}},"x":{},"\\u0079":1}')

    assert found == Request("1", "m", None, b'{"p":{}}', "object", ("x", "y"))


@pytest.mark.parametrize("extra", ['"x":{}', '"x":{"y":1}', '"x":[{}]', '"x":"}"'])
def test_an_unknown_key_after_the_parameters_is_no_part_of_them(extra: str) -> None:
    found = parse(b'{"id":"1","method":"m","params":{},%b}' % extra.encode())

    assert found == Request("1", "m", None, b"{}", "object", ("x",))


def test_an_unknown_key_in_place_of_the_parameters_is_listed() -> None:
    assert parse(b'{"id":"1","method":"m","x":1}') == Request(
        "1", "m", None, b"{}", "absent", ("x",)
    )


def test_numbers_keep_every_digit() -> None:
    found = parse(b'{"id":"1","method":"m","params":{"n":123456789012345678901234567890,"t":":"}}')

    assert isinstance(found, Request)
    assert found.params == b'{"n":123456789012345678901234567890,"t":":"}'


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b" ",
        b"nonsense",
        b'{"id":"1","method":"m","params":{}',
        b'{"id":"1","method":"m","params":{}} {}',
        b'{"id":"1","method":"m","params":{},}',
        b"{'id':'1'}",
        b'\xef\xbb\xbf{"id":"1","method":"m","params":{}}',
        b'{"id":"1","method":"m","params":{"a":"\xff"}}',
        b'{"id":"1","method":"m","params":{"a":"\\ud800"}}',
        b'{"id":"1","method":"m","params":{"\\udc00":1}}',
        b'{"id":"1","method":"m","params":{"a":NaN}}',
        b'{"id":"1","method":"m","params":{"a":-Infinity}}',
        b'{"id":"1","method":"m","params":{"a":1e999}}',
        b'{"id":"1","method":"m","params":{"a":"\x01"}}',
        b'{"id":"1","method":"m","params":{"a":"\n"}}',
        b'{"id":"1","method":"m","params":{}}\x00',
    ],
)
def test_what_is_no_json_is_refused(text: bytes) -> None:
    assert parse(text) == BAD_JSON


@pytest.mark.parametrize(
    "text",
    [
        b'{"id":"1","id":"1","method":"m","params":{}}',
        b'{"id":"1","method":"m","params":{},"params":{}}',
        b'{"id":"1","method":"m","params":{},"\\u0069d":"1"}',
        b'{"id":"1","method":"m","params":{"a":1,"a":1}}',
        b'{"id":"1","method":"m","params":{"a":1,"\\u0061":1}}',
        b'{"id":"1","method":"m","params":{"a":[[{"b":{"c":1,"c":2}}]]}}',
        b'{"id":"1","method":"m","params":{"a":":","b":1,"b":1}}',
        b'{"id":"1","method":"m","params":{},"x":[{"y":0,"y":0}]}',
    ],
)
def test_repeated_keys_are_refused_at_every_depth(text: bytes) -> None:
    assert parse(text) == BAD_JSON


@given(params=PARAMS.filter(bool), data=st.data())
def test_any_repeated_key_of_the_parameters_is_refused(
    params: dict[str, Any], data: st.DataObject
) -> None:
    key = data.draw(st.sampled_from(sorted(params)))
    members = [f"{json.dumps(name)}:{json.dumps(value)}" for name, value in params.items()]
    members.insert(data.draw(st.integers(0, len(members))), f"{json.dumps(key)}:0")

    text = f'{{"id":"1","method":"m","params":{{"in":[{{{",".join(members)}}}]}}}}'

    assert parse(text.encode()) == BAD_JSON


@given(st.binary(max_size=80))
def test_no_bytes_crash_the_parser(received: bytes) -> None:
    found = parse(received)

    assert isinstance(found, Request | Refusal)


@pytest.mark.parametrize("depth", [MAX_DEPTH - 1, MAX_DEPTH + 1, 900, 1020, 100_000])
@pytest.mark.parametrize(("opened", "closed"), [("[", "]"), ('{"a":', "}"), ('{":":', "}")])
def test_deep_nesting_is_refused_at_the_limit_and_never_crashes(
    depth: int, opened: str, closed: str
) -> None:
    nested = opened * (depth - 2) + "{}" + closed * (depth - 2)

    found = parse(b'{"id":"1","method":"m","params":{"p":%b}}' % nested.encode())

    assert isinstance(found, Request) == (depth < MAX_DEPTH)
    assert isinstance(found, Request) or found == BAD_JSON


@pytest.mark.parametrize("text", [b"[]", b"1", b'"id"', b"null", b"true"])
def test_a_request_that_is_no_object_is_refused(text: bytes) -> None:
    assert parse(text) == Refusal("0", "invalid_request", "a request must be a JSON object")


@pytest.mark.parametrize(
    "request_id", ["", "x" * 129, "a b", "a\n", "ä", "a/b", "1²", 1, None, True, [], {}]
)
def test_a_bad_id_is_answered_with_id_zero(request_id: Any) -> None:
    found = parse(frame(id=request_id))

    assert isinstance(found, Refusal)
    assert (found.id, found.code) == ("0", "invalid_request")
    assert "`id`" in found.message


def test_a_missing_id_is_answered_with_id_zero() -> None:
    found = parse(b'{"method":"m","params":{}}')

    assert isinstance(found, Refusal)
    assert (found.id, found.code) == ("0", "invalid_request")


@pytest.mark.parametrize("request_id", ["1", "x" * 128, "A.z_0:9-"])
def test_every_allowed_id_is_kept(request_id: str) -> None:
    found = parse(frame(id=request_id))

    assert isinstance(found, Request)
    assert found.id == request_id


@pytest.mark.parametrize("auth", ["", "a b", "x" * 257, "ä", "a\n", "a\x7f", 1, None, {}])
def test_a_bad_token_is_refused_without_repeating_it(auth: Any) -> None:
    assert parse(frame(auth=auth)) == Refusal(
        "1",
        "invalid_request",
        "`auth` must be a string of 1 to 256 printable ASCII characters without spaces",
    )


@pytest.mark.parametrize("auth", ["!", "~" * 256, 'a"b\\c'])
def test_every_allowed_token_is_kept(auth: str) -> None:
    found = parse(frame(auth=auth))

    assert isinstance(found, Request)
    assert found.auth == auth


@pytest.mark.parametrize("fields", [{"method": 1}, {"method": None}, {"method": ["m"]}])
def test_a_method_that_is_no_string_is_refused(fields: dict[str, Any]) -> None:
    assert parse(frame(**fields)) == Refusal("1", "invalid_request", "`method` must be a string")


@pytest.mark.parametrize(
    ("method", "shown"),
    [
        ("", "''"),
        ("a/b", "'a/b'"),
        ("a?b", "'a?b'"),
        ("%2e%2e/x", "'%2e%2e/x'"),
        ("pïng", "'p\\xefng'"),
        ("ping\n", "'ping\\n'"),
        ("x" * 129, "'" + "x" * 128 + "\\u2026'"),
    ],
)
def test_a_method_that_cannot_exist_is_refused_before_any_call(method: str, shown: str) -> None:
    found = parse(frame(method=method))

    assert found == Refusal("1", "invalid_request", f"unknown method {shown}")


def test_a_method_with_a_trailing_dot_is_for_the_app_to_judge() -> None:
    found = parse(frame(method="agent.keys."))

    assert isinstance(found, Request)
    assert found.method == "agent.keys."
