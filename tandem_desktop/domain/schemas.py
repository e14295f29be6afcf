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

from pydantic_core import CoreSchema, InitErrorDetails, SchemaSerializer, SchemaValidator, ValidationError, core_schema

from tandem_desktop.domain.base import REQUIRED, FieldInfo, Frozen

Schema = dict[str, Any]
"""A `CoreSchema` while it is put together."""


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
    schema = _Schemas().of(annotation)
    return SchemaValidator(schema), SchemaSerializer(schema)


def schema_of(model: type[Frozen]) -> CoreSchema:
    found: CoreSchema = _Schemas().of(model)
    return found


def json_schema_of(model: type[Frozen]) -> dict[str, Any]:
    """As pydantic writes it, with classes and enumerations under `$defs`."""
    from pydantic.json_schema import GenerateJsonSchema

    return GenerateJsonSchema().generate(_Schemas(named=True).of(model))


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
            return core_schema.literal_schema(list(get_args(annotation)))
        if origin is tuple:
            return self._tuple(get_args(annotation))
        if origin is dict:
            keys, values = get_args(annotation)
            return core_schema.dict_schema(self.of(keys), self.of(values))
        if origin is frozenset:
            return core_schema.frozenset_schema(self.of(get_args(annotation)[0]))
        if isinstance(annotation, NewType):
            return self.of(annotation.__supertype__)
        if (plain := _PLAIN.get(annotation)) is not None:
            return plain()
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
            schema = core_schema.no_info_after_validator_function(rule.check, schema)
        if rule.json_schema is not None and self._named:
            told = rule.json_schema
            functions = {"pydantic_js_functions": [lambda schema, handler: dict(told)]}
            schema = {**schema, "metadata": functions}
            schema.pop("ref", None)  # it is written out in its place
        return schema

    def _union(self, kinds: tuple[Any, ...]) -> Any:
        others = [each for each in kinds if each is not type(None)]
        schemas = [self.of(each) for each in others]
        schema = schemas[0] if len(schemas) == 1 else core_schema.union_schema(schemas)
        return schema if len(others) == len(kinds) else core_schema.nullable_schema(schema)

    def _tagged(self, kinds: tuple[Any, ...], name: str) -> Any:
        """A union whose classes say in one field which of them it is."""
        choices = {tag: self.of(each) for each in kinds for tag in get_args(each.model_fields[name].annotation)}
        return core_schema.tagged_union_schema(choices, name, from_attributes=True, strict=False)

    def _tuple(self, kinds: tuple[Any, ...]) -> Any:
        if kinds[1:] == (...,):
            return core_schema.tuple_schema([self.of(kinds[0])], variadic_item_index=0)
        return core_schema.tuple_schema([self.of(each) for each in kinds])

    def _enum(self, kind: type[Enum]) -> Any:
        missing = None if kind._missing_.__func__ is Enum._missing_.__func__ else kind._missing_  # type: ignore[attr-defined]
        members = list(kind.__members__.values())
        return core_schema.enum_schema(kind, members, sub_type="str", missing=missing, ref=self._name(kind))

    def _model(self, model: type[Frozen]) -> Any:
        if model not in self._models:
            fields = {name: self._model_field(info) for name, info in model.model_fields.items()}
            made = core_schema.model_schema(
                model,
                core_schema.model_fields_schema(fields, model_name=model.__name__),
                custom_init=False,
                root_model=False,
                config={"title": model.__name__, "extra_fields_behavior": "forbid"},
                ref=self._name(model),
            )
            if model.check_together is not Frozen.check_together:
                made = core_schema.no_info_after_validator_function(checked_together, made)  # type: ignore[assignment]
            self._models[model] = made
        return self._models[model]

    def _model_field(self, field: FieldInfo) -> Any:
        schema = self._with_rules(field.annotation, field.metadata)
        if field.default_factory is not None:
            schema = core_schema.with_default_schema(schema, default_factory=field.default_factory)
        elif field.default is not REQUIRED:
            schema = core_schema.with_default_schema(schema, default=field.default)
        told = {"pydantic_js_updates": {"description": field.description}} if field.description else {}
        return core_schema.model_field(schema, metadata=told)

    def _name(self, kind: type) -> str | None:
        return f"{kind.__module__}.{kind.__qualname__}:{id(kind)}" if self._named else None


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


_PLAIN: dict[Any, Callable[[], Any]] = {
    Any: core_schema.any_schema,
    str: core_schema.str_schema,
    bool: core_schema.bool_schema,
    int: core_schema.int_schema,
    float: core_schema.float_schema,
    bytes: core_schema.bytes_schema,
    type(None): core_schema.none_schema,
    datetime: lambda: core_schema.datetime_schema(microseconds_precision="truncate"),
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
