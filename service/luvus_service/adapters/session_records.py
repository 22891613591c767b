"""Reads the lines of a session's file back into records; broken lines are counted and left out."""

from __future__ import annotations

import re
from typing import Any, cast, get_args

import orjson
from pydantic import TypeAdapter, ValidationError

from luvus_service.luxe.domain.records import FORMAT, Foreign, Moved, Record, SessionHeader, moved
from luvus_service.luxe.domain.store_ports import StoreFailure

_TYPE = re.compile(rb'\{"type":"(\w+)"')
_READERS: dict[str, TypeAdapter[Any]] = {}


def read_records(raw: bytes, name: str) -> tuple[SessionHeader, tuple[Record, ...], int]:
    """Return the header as it stands, the records, and how many lines were broken.

    Raises:
        StoreFailure: The header is missing, or of a newer version.
    """
    lines = raw.split(b"\n")
    header = read_header(lines[0], name)
    records: list[Record] = []
    skipped = 0
    for line in lines[1:]:
        if not line:
            continue
        try:
            records.append(_record(line))
        except ValueError:
            skipped += 1
            continue
        if isinstance(last := records[-1], Moved):
            header = moved(header, last)
    return header, tuple(records), skipped


def read_header(line: bytes, name: str) -> SessionHeader:
    """Return the header of a file's first line.

    Raises:
        StoreFailure: It is none, or of a newer version.
    """
    try:
        found = orjson.loads(line)
        version = found["version"]
        if found["type"] == "session" and isinstance(version, int) and version > FORMAT:
            raise StoreFailure("version", f"{name} was written by a newer Luxe (format {version})")
        return TypeAdapter(SessionHeader).validate_json(line)
    except (ValueError, KeyError, TypeError, ValidationError) as fault:
        raise StoreFailure("io", f"{name} is no session file: its first line is broken") from fault


def _record(line: bytes) -> Record:
    found = _TYPE.match(line)
    reader = _readers().get(found[1].decode()) if found is not None else None
    if reader is not None:
        record: Record = reader.validate_json(line)
        return record
    data: object = orjson.loads(line)
    if not isinstance(data, dict):
        raise ValueError("a record must be an object")
    return Foreign(cast("dict[str, Any]", data))


def _readers() -> dict[str, TypeAdapter[Any]]:
    if not _READERS:
        for cls in get_args(Record):
            tag = cls.__dataclass_fields__.get("type")
            if tag is not None:
                _READERS[tag.default] = TypeAdapter(cls)
    return _READERS
