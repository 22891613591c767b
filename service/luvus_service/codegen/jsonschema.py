"""JSON Schemas of wire models, as validation enforces them and as results are written.

Adds what the dispatcher adds around a model: `if_revision` to the parameters of a change,
`revision` to a result. Names of definitions stay short even when two families use the same one.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

from pydantic import BaseModel, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, models_json_schema
from pydantic_core import core_schema

from luvus_service.rpc.declare import EventSpec, MethodSpec
from luvus_service.rpc.registry import Catalogue
from luvus_service.rpc.scopes import Access

Schema: TypeAlias = dict[str, Any]
Mode: TypeAlias = Literal["validation", "serialization"]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
ROOT = "https://luvus.dev/protocol/uhp/v1/"
"""Where the schema identifiers live; nothing is fetched from there."""
LOCAL = "#/$defs/{model}"
SHARED = "#/components/schemas/{model}"

IF_REVISION: Schema = {
    "type": "integer",
    "minimum": 0,
    "description": "Run only if the state is still at this revision.",
}
REVISION: Schema = {
    "type": "integer",
    "minimum": 0,
    "description": "The revision of the state after the call.",
}


class WireSchema(GenerateJsonSchema):
    """Schemas without generated titles, in which a result's fields are always there.

    A field that is left out under a condition says so by `exclude_if`.
    """

    def field_title_should_be_set(self, schema: object) -> bool:
        """Keep titles out: they only repeat the names of the fields."""
        return False

    def field_is_required(
        self,
        field: core_schema.ModelField | core_schema.DataclassField | core_schema.TypedDictField,
        total: bool,
    ) -> bool:
        """Say whether a reader can count on a field, or a writer must send it."""
        if self.mode == "serialization" and field["type"] == "model-field":
            return field.get("serialization_exclude_if") is None
        if self.mode == "serialization" and field["type"] == "dataclass-field":
            return True
        return super().field_is_required(field, total)

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> Schema:
        """Let a reader do without the fields that a frame leaves out while they are None."""
        found = super().dataclass_schema(schema)
        omitted: tuple[str, ...] = getattr(schema["cls"], "omitted", ())
        if self.mode == "serialization" and omitted:
            required: list[str] = found.get("required", [])
            found["required"] = [name for name in required if name not in omitted]
        return found

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> Schema:
        """Leave defaults out of what is read: there a field is sent or missing for a reason."""
        if self.mode == "serialization":
            return self.generate_inner(schema["schema"])
        return super().default_schema(schema)


@dataclass(frozen=True, slots=True)
class Bundle:
    """The schemas of many models with one set of shared definitions."""

    definitions: dict[str, Schema]
    names: Mapping[tuple[type[BaseModel], Mode], str]

    def of(self, model: type[BaseModel], mode: Mode) -> Schema:
        """Return a copy of a model's own schema; what it refers to stays shared."""
        return copy.deepcopy(self.definitions[self.names[model, mode]])


def bundle(models: Iterable[tuple[type[BaseModel], Mode]], template: str = LOCAL) -> Bundle:
    """Return the schemas of models; `template` says where references point."""
    wanted = list(dict.fromkeys(models))
    if not wanted:
        return Bundle({}, {})
    found, document = models_json_schema(
        wanted, by_alias=True, ref_template=LOCAL, schema_generator=WireSchema
    )
    definitions, names = _shared(document, template)
    pointed: dict[tuple[type[BaseModel], Mode], str] = {
        (model, mode): names[str(found[model, mode]["$ref"]).removeprefix("#/$defs/")]
        for model, mode in wanted
    }
    return Bundle(definitions, pointed)


Bound: TypeAlias = tuple[str, Mode, TypeAdapter[Any]]
"""A type under the key that names it, with the direction in which it travels."""


def bundle_types(
    wanted: Iterable[Bound], template: str = LOCAL
) -> tuple[dict[str, Schema], dict[str, Schema]]:
    """Return shared definitions, and the schema of each type by its key."""
    found, document = TypeAdapter.json_schemas(
        wanted, by_alias=True, ref_template=LOCAL, schema_generator=WireSchema
    )
    definitions, names = _shared(document, template)
    return definitions, {key: _repoint(s, names, template) for (key, _), s in found.items()}


def _shared(document: Schema, template: str) -> tuple[dict[str, Schema], Mapping[str, str]]:
    """Return a document's definitions under their short names, and those names by the long ones."""
    definitions: dict[str, Schema] = document.get("$defs", {})
    names = _short_names(definitions)
    renamed = {
        names[name]: _without_title(_repoint(schema, names, template))
        for name, schema in definitions.items()
    }
    return dict(sorted(renamed.items())), names


def catalogue_models(catalogue: Catalogue) -> Iterator[tuple[type[BaseModel], Mode]]:
    """Yield every model of the product with the direction in which it travels."""
    for spec in catalogue.methods.values():
        yield spec.params, "validation"
        yield spec.result, "serialization"
        for frame in spec.frames:
            yield frame, "serialization"
    for event in catalogue.events.values():
        yield event.data, "serialization"


def document(model: type[BaseModel], mode: Mode, name: str) -> Schema:
    """Return a schema that stands alone: its references stay inside it."""
    found = bundle([(model, mode)])
    top = found.of(model, mode)
    return with_definitions(top, found.definitions, name)


def with_definitions(top: Schema, definitions: Mapping[str, Schema], name: str) -> Schema:
    """Return a schema under its own identifier with the definitions that it reaches."""
    schema: Schema = {"$schema": DIALECT, "$id": ROOT + name, **top}
    reached = reachable(top, definitions, "#/$defs/")
    if reached:
        schema["$defs"] = {key: definitions[key] for key in sorted(reached)}
    return schema


def events_document(events: Mapping[str, EventSpec]) -> Schema:
    """Return the catalogue of events: a property for each name, its schema that of the data."""
    models: list[tuple[type[BaseModel], Mode]] = [
        (spec.data, "serialization") for spec in events.values()
    ]
    found = bundle(models)
    properties = {
        name: {
            **({"description": spec.summary} if spec.summary else {}),
            "$ref": LOCAL.format(model=found.names[spec.data, "serialization"]),
        }
        for name, spec in sorted(events.items())
    }
    return {
        "$schema": DIALECT,
        "$id": ROOT + "event-catalog.schema.json",
        "title": "Events of the Universal Harness Protocol",
        "description": "Every key is the name of an event, its schema that of the event's data. "
        "Names may be added; skip the ones you do not know.",
        "type": "object",
        "properties": properties,
        "$defs": found.definitions,
    }


def guarded(schema: Schema, spec: MethodSpec) -> Schema:
    """Return a parameter schema with the guard that a change may carry."""
    if not takes_guard(spec):
        return schema
    properties = {**schema.get("properties", {}), "if_revision": copy.deepcopy(IF_REVISION)}
    return {**schema, "properties": properties}


def takes_guard(spec: MethodSpec) -> bool:
    """Say whether a call of the method may carry `if_revision`."""
    return spec.access is Access.WRITE and not spec.stream


def stamped(schema: Schema, spec: MethodSpec) -> Schema:
    """Return a result schema with the revision that the dispatcher adds."""
    if not spec.revision or spec.stream:
        return schema
    properties = {**schema.get("properties", {}), "revision": copy.deepcopy(REVISION)}
    return {
        **schema,
        "properties": properties,
        "required": [*schema.get("required", []), "revision"],
    }


def reachable(top: object, definitions: Mapping[str, Schema], prefix: str) -> set[str]:
    """Return the names of the definitions that a schema needs, directly or through others."""
    found: set[str] = set()
    waiting = list(references(top, prefix))
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(references(definitions[name], prefix))
    return found


def references(node: object, prefix: str) -> Iterator[str]:
    """Yield the name behind each reference of a schema."""
    for holder in _objects(node):
        target = holder.get("$ref")
        if isinstance(target, str) and target.startswith(prefix):
            yield target.removeprefix(prefix)


def resolve(schema: Schema, definitions: Mapping[str, Schema]) -> Schema:
    """Return what a reference stands for; anything else unchanged."""
    while "$ref" in schema:
        schema = definitions[str(schema["$ref"]).rsplit("/", 1)[-1]]
    return schema


def _objects(node: object) -> Iterator[Schema]:
    if isinstance(node, dict):
        holder = cast("Schema", node)
        yield holder
        for value in holder.values():
            yield from _objects(value)
    elif isinstance(node, list):
        for value in cast("list[object]", node):
            yield from _objects(value)


def _repoint(schema: Schema, names: Mapping[str, str], template: str) -> Schema:
    fresh = copy.deepcopy(schema)

    def point(target: str) -> str:
        return template.format(model=names[target.removeprefix("#/$defs/")])

    for holder in _objects(fresh):
        if isinstance(holder.get("$ref"), str):
            holder["$ref"] = point(holder["$ref"])
        if isinstance(holder.get("discriminator"), dict):
            discriminator: dict[str, Any] = holder["discriminator"]
            mapping: dict[str, str] = discriminator.get("mapping", {})
            discriminator["mapping"] = {key: point(target) for key, target in mapping.items()}
    return fresh


def _without_title(schema: Schema) -> Schema:
    if isinstance(schema.get("title"), str):
        return {key: value for key, value in schema.items() if key != "title"}
    return schema


def _short_names(definitions: Mapping[str, Schema]) -> dict[str, str]:
    # pydantic spells out the module of classes that share a name; the folder of the family, or
    # the folder and the file, is enough to tell them apart.
    found: dict[str, str] = {}
    for spelled in (_in_folder, _in_file, _plain):
        left = [name for name in definitions if name not in found]
        candidates = {name: spelled(name) for name in left}
        taken = [*candidates.values(), *found.values()]
        found |= {name: short for name, short in candidates.items() if taken.count(short) == 1}
    return found


def _in_folder(name: str) -> str:
    steps = name.split("__")
    return _plain(name) if len(steps) < 3 else _camel(steps[-3]) + _plain(steps[-1])


def _in_file(name: str) -> str:
    steps = name.split("__")
    return _plain("".join(_camel(step) for step in steps[-3:-1]) + steps[-1])


def _camel(step: str) -> str:
    return "".join(word.capitalize() for word in step.split("_"))


def _plain(name: str) -> str:
    return "".join(character for character in name if character.isalnum() or character == "_")
