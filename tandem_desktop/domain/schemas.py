"""What `pydantic_core` is told of a value: its fields, their types and their rules.

The schemas are those that pydantic makes of the same annotations, for the few types that values have; any other type
is left to pydantic.
"""

import types
from collections.abc import Callable
from datetime import datetime
from enum import Enum
from inspect import get_annotations
from typing import Annotated, Any, ClassVar, Literal, NewType, Union, get_args, get_origin, get_type_hints

from pydantic_core import CoreSchema, InitErrorDetails, SchemaSerializer, SchemaValidator, ValidationError

from tandem_desktop.domain.base import REQUIRED, FieldInfo, Frozen

Schema = dict[str, Any]
"""A `CoreSchema`; written out, as the functions that make them take as long as the validators."""


def fields_of(model: type[Frozen]) -> dict[str, FieldInfo]:
    """The fields of a class, those of its base classes first."""
    owners = {name: each for each in reversed(model.__mro__) for name in get_annotations(each)}
    hints = get_type_hints(model, include_extras=True)
    return {
        name: _field(hint, vars(owners[name]).get(name, REQUIRED))
        for name, hint in hints.items()
        if hint is not ClassVar and get_origin(hint) is not ClassVar
    }


def _field(hint: Any, given: Any) -> FieldInfo:
    """A field by its annotation and by what is assigned to it in the class."""
    annotation, extras = (hint.__origin__, hint.__metadata__) if get_origin(hint) is Annotated else (hint, ())
    field = given if isinstance(given, FieldInfo) else FieldInfo(default=given)
    found = FieldInfo(field.default, field.default_factory)
    found.annotation, found.metadata = annotation, (*extras, *((field,) if field is given else ()))
    descriptions = [each.description for each in found.metadata if isinstance(each, FieldInfo) and each.description]
    found.description = descriptions[-1] if descriptions else None
    return found


def validator_of(model: type[Frozen]) -> SchemaValidator:
    return SchemaValidator(schema_of(model))


def serializer_of(model: type[Frozen]) -> SchemaSerializer:
    return SchemaSerializer(schema_of(model))


def parts_of(annotation: Any) -> tuple[SchemaValidator, SchemaSerializer]:
    """What reads and what writes values of a type."""
    schema = _SCHEMAS.of(annotation)
    return SchemaValidator(schema), SchemaSerializer(schema)


def schema_of(model: type[Frozen]) -> CoreSchema:
    found: CoreSchema = _SCHEMAS.of(model)
    return found


def named_schema_of(model: type[Frozen]) -> CoreSchema:
    """With the names by which pydantic tells classes and enumerations apart in a JSON schema."""
    found: CoreSchema = _Schemas(named=True).of(model)
    return found


def json_schema_of(model: type[Frozen]) -> dict[str, Any]:
    """As pydantic writes it, with classes and enumerations under `$defs`."""
    from pydantic.json_schema import GenerateJsonSchema

    return GenerateJsonSchema().generate(named_schema_of(model))


def refusal(model: str, name: str, value: Any, kind: str) -> ValidationError:
    """The error of setting a field."""
    details: InitErrorDetails = {"type": kind, "loc": (name,), "input": value}
    if kind == "no_such_attribute":
        details["ctx"] = {"attribute": name}
    return ValidationError.from_exception_data(model, [details])


class _Schemas:
    """Makes the schema of a type; with names for its parts where they are to be told apart in a JSON schema."""

    def __init__(self, *, named: bool = False) -> None:
        self._named = named
        self._models: dict[type, Any] = {}

    def of(self, annotation: Any) -> Any:
        """The schema of a type, with the rules that are annotated."""
        origin = get_origin(annotation)
        if origin is Annotated:
            return self._with_rules(annotation.__origin__, annotation.__metadata__)
        if origin is Union or origin is types.UnionType:
            return self._union(get_args(annotation))
        if origin is Literal:
            return {"type": "literal", "expected": list(get_args(annotation))}
        if origin is tuple:
            return self._tuple(get_args(annotation))
        if origin is dict:
            keys, values = get_args(annotation)
            return {"type": "dict", "keys_schema": self.of(keys), "values_schema": self.of(values)}
        if origin is frozenset:
            return {"type": "frozenset", "items_schema": self.of(get_args(annotation)[0])}
        if isinstance(annotation, NewType):
            return self.of(annotation.__supertype__)
        if (plain := _PLAIN.get(annotation)) is not None:
            return plain
        if isinstance(annotation, type) and issubclass(annotation, Frozen):
            return self._model(annotation)
        if isinstance(annotation, type) and issubclass(annotation, str) and issubclass(annotation, Enum):
            return self._enum(annotation)
        return _left_to_pydantic(annotation)

    def _with_rules(self, annotation: Any, extras: tuple[Any, ...]) -> Any:
        rules = [each for each in extras if isinstance(each, FieldInfo)]
        if len(rules) < len(extras):
            return _left_to_pydantic(Annotated[annotation, *extras])
        named = next((each.discriminator for each in rules if each.discriminator), "")
        schema = self._tagged(get_args(annotation), named) if named else self.of(annotation)
        for rule in rules:
            schema = self._ruled(schema, rule)
        return schema

    def _ruled(self, schema: Any, rule: FieldInfo) -> Any:
        if rule.rules:
            if unknown := rule.rules.keys() - _RULES.get(schema["type"], frozenset()):
                raise TypeError(f"{', '.join(sorted(unknown))} is no rule of a value of type {schema['type']}")
            schema = {**schema, **rule.rules}
        if rule.check is not None:
            schema = _then(rule.check, schema)
        if rule.json_schema is not None and self._named:
            told = rule.json_schema
            functions = {"pydantic_js_functions": [lambda schema, handler: dict(told)]}
            schema = {**schema, "metadata": functions}
            schema.pop("ref", None)  # it is written out in its place
        return schema

    def _union(self, kinds: tuple[Any, ...]) -> Any:
        others = [each for each in kinds if each is not type(None)]
        schemas = [self.of(each) for each in others]
        schema = schemas[0] if len(schemas) == 1 else {"type": "union", "choices": schemas}
        return schema if len(others) == len(kinds) else {"type": "nullable", "schema": schema}

    def _tagged(self, kinds: tuple[Any, ...], name: str) -> Any:
        """A union whose classes say in one field which of them it is."""
        choices = {tag: self.of(each) for each in kinds for tag in get_args(each.model_fields[name].annotation)}
        return {
            "type": "tagged-union",
            "choices": choices,
            "discriminator": name,
            "from_attributes": True,
            "strict": False,
        }

    def _tuple(self, kinds: tuple[Any, ...]) -> Any:
        if kinds[1:] == (...,):
            return {"type": "tuple", "items_schema": [self.of(kinds[0])], "variadic_item_index": 0}
        return {"type": "tuple", "items_schema": [self.of(each) for each in kinds]}

    def _enum(self, kind: type[Enum]) -> Any:
        missing = None if kind._missing_.__func__ is Enum._missing_.__func__ else kind._missing_  # type: ignore[attr-defined]
        members = list(kind.__members__.values())
        schema = {"type": "enum", "cls": kind, "members": members, "sub_type": "str", **self._name(kind)}
        return schema if missing is None else {**schema, "missing": missing}

    def _model(self, model: type[Frozen]) -> Any:
        if model not in self._models:
            fields = {name: self._model_field(info) for name, info in model.model_fields.items()}
            made: Schema = {
                "type": "model",
                "cls": model,
                "schema": {"type": "model-fields", "fields": fields, "model_name": model.__name__},
                "config": {"title": model.__name__, "extra_fields_behavior": "forbid"},
                **self._name(model),
            }
            if model.check_together is not Frozen.check_together:
                made = _then(checked_together, made)
            self._models[model] = made
        return self._models[model]

    def _model_field(self, field: FieldInfo) -> Any:
        schema = self._with_rules(field.annotation, field.metadata)
        if field.default_factory is not None:
            schema = {"type": "default", "schema": schema, "default_factory": field.default_factory}
        elif field.default is not REQUIRED:
            schema = {"type": "default", "schema": schema, "default": field.default}
        told = {"pydantic_js_updates": {"description": field.description}} if field.description else {}
        return {"type": "model-field", "schema": schema, "metadata": told}

    def _name(self, kind: type) -> dict[str, str]:
        return {"ref": f"{kind.__module__}.{kind.__qualname__}:{id(kind)}"} if self._named else {}


_SCHEMAS = _Schemas()


def _then(check: Callable[[Any], Any], schema: Schema) -> Schema:
    return {"type": "function-after", "function": {"type": "no-info", "function": check}, "schema": schema}


def checked_together(value: Frozen) -> Frozen:
    """The value, if its fields fit each other."""
    value.check_together()
    return value


def _left_to_pydantic(annotation: Any) -> Any:
    """As pydantic makes it for a field of a value; a dataclass is as strict as what it is in."""
    from pydantic import ConfigDict, TypeAdapter

    made: Any = TypeAdapter(tuple[annotation], config=ConfigDict(frozen=True, extra="forbid")).core_schema
    if made["type"] == "definitions":
        return {**made, "schema": made["schema"]["items_schema"][0]}
    return made["items_schema"][0]


_PLAIN: dict[Any, Schema] = {
    Any: {"type": "any"},
    str: {"type": "str"},
    bool: {"type": "bool"},
    int: {"type": "int"},
    float: {"type": "float"},
    bytes: {"type": "bytes"},
    type(None): {"type": "none"},
    datetime: {"type": "datetime", "microseconds_precision": "truncate"},
}
_NUMBERS = frozenset({"ge", "gt", "le", "lt"})
_LENGTHS = frozenset({"min_length", "max_length"})
_RULES = {
    "int": _NUMBERS,
    "float": _NUMBERS,
    "str": _LENGTHS | {"pattern"},
    "tuple": _LENGTHS,
    "dict": _LENGTHS,
}
