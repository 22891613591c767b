"""One example in every spelling: newline JSON, HTTP, Python and the command line."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from typing import Any, cast

from luvus_service.codegen.commands import spell
from luvus_service.codegen.python_client import attribute, method_name
from luvus_service.codegen.python_types import identifier
from luvus_service.rpc.declare import Example, MethodSpec


def example_text(spec: MethodSpec, family: str, example: Example) -> str:
    """Return the example as Markdown."""
    blocks = [f"**Example.** {example.note}".strip(), _fence("sh", _socket(spec, example.params))]
    blocks.append(_fence("json", _pretty({"id": "1", "result": example.result})))
    if not spec.stream:
        blocks.append(_fence("sh", _http(spec, example.params)))
    blocks.append(_fence("python", _python(spec, family, example.params)))
    words = spell(spec, example.params)
    if words is not None:
        blocks.append(_fence("sh", shlex.join(words)))
    return "\n\n".join(blocks)


def _fence(language: str, text: str) -> str:
    return f"```{language}\n{text}\n```"


def _socket(spec: MethodSpec, params: Mapping[str, Any]) -> str:
    line = json.dumps({"id": "1", "method": spec.name, "params": params}, ensure_ascii=False)
    return f"printf '%s\\n' {shlex.quote(line)} | nc -U \"$LUVUS_SOCKET_PATH\""


def _http(spec: MethodSpec, params: Mapping[str, Any]) -> str:
    body = shlex.quote(json.dumps(params, ensure_ascii=False))
    return (
        f'curl --unix-socket ~/.luvus/http.sock "http://luvus/uhp/v1/{spec.name}" \\\n'
        f"  --json {body}"
    )


def _python(spec: MethodSpec, family: str, params: Mapping[str, Any]) -> str:
    name = method_name(family, spec.name)
    path = f"client.{attribute(family)}" + ("" if name == "__call__" else f".{name}")
    call = f"{path}({', '.join(f'{identifier(k)}={_literal(v)}' for k, v in params.items())})"
    if spec.stream:
        return f"for frame in {call}:\n    print(frame)"
    return f"result = {call}"


def _pretty(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _literal(value: object) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return f"[{', '.join(_literal(item) for item in cast('list[object]', value))}]"
    if isinstance(value, dict):
        pairs = cast("dict[str, object]", value).items()
        return f"{{{', '.join(f'{_literal(key)}: {_literal(item)}' for key, item in pairs)}}}"
    return repr(value)
