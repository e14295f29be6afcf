"""The frozen base class of all stored and published values."""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, Self, TypeVar, dataclass_transform

if TYPE_CHECKING:
    from pydantic import ConfigDict
    from pydantic_core import CoreSchema, SchemaSerializer, SchemaValidator

Value = TypeVar("Value")
REQUIRED: Any = object()
"""The default of a field that has none."""


NOTHING_ELSE: "ConfigDict" = {"extra": "forbid"}
"""For a stored dataclass: unknown fields are refused when it is read."""


class FieldInfo:
    """What is known of a field beside its type."""

    __slots__ = (
        *("annotation", "check", "default", "default_factory", "description", "discriminator", "json_schema"),
        *("metadata", "rules"),
    )

    def __init__(
        self,
        default: Any = REQUIRED,
        default_factory: Callable[[], Any] | None = None,
        description: str | None = None,
        discriminator: str = "",
        check: Callable[[Any], Any] | None = None,
        json_schema: dict[str, Any] | None = None,
        rules: dict[str, Any] | None = None,
    ) -> None:
        self.annotation: Any = None
        self.default = default
        self.default_factory = default_factory
        self.description = description
        self.discriminator = discriminator
        self.check = check
        self.json_schema = json_schema
        self.rules = rules or {}
        self.metadata: tuple[Any, ...] = ()
        """What its annotation says beside the type."""

    def is_required(self) -> bool:
        return self.default is REQUIRED and self.default_factory is None

    def get_default(self) -> Any:
        """The value where none is given."""
        return self.default if self.default_factory is None else self.default_factory()


def Field(  # noqa: N802 - reads like the name of a class, as with dataclasses and pydantic
    *,
    default: Any = REQUIRED,
    default_factory: Callable[[], Any] | None = None,
    description: str | None = None,
    discriminator: str = "",
    check: Callable[[Any], Any] | None = None,
    json_schema: dict[str, Any] | None = None,
    **rules: Any,
) -> Any:
    """A field's default and rules: `ge`, `gt`, `le`, `lt`, `min_length`, `max_length`, `pattern`.

    `check` gets the value after them, and answers it or raises `ValueError`. `json_schema` is what an agent is told in
    place of the type.
    """
    return FieldInfo(default, default_factory, description, discriminator, check, json_schema, rules)


class _BuiltWhenUsed:
    """A class attribute that `domain/schemas.py` makes when it is first asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type["Frozen"]) -> Any:
        from tandem_desktop.domain import schemas

        made = getattr(schemas, self._name)(owner)
        setattr(owner, _ATTRIBUTES[self._name], made)
        return made


_ATTRIBUTES = {
    "fields_of": "model_fields",
    "validator_of": "__pydantic_validator__",
    "serializer_of": "__pydantic_serializer__",
}
_MAKERS = {attribute: _BuiltWhenUsed(maker) for maker, attribute in _ATTRIBUTES.items()}
_put = object.__setattr__


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(Field,))
class Frozen:
    """A value. A change makes a new one.

    Its methods are those of a pydantic model, and `pydantic_core` validates and writes it by the same rules. Without
    pydantic itself, which costs as much as everything else that a short call does.
    """

    __slots__ = ("__dict__", "__pydantic_extra__", "__pydantic_fields_set__", "__pydantic_private__")

    model_config: ClassVar[dict[str, Any]] = {"frozen": True, "extra": "forbid"}

    if TYPE_CHECKING:
        model_fields: ClassVar[dict[str, FieldInfo]]
        __pydantic_validator__: ClassVar[SchemaValidator]
        __pydantic_serializer__: ClassVar[SchemaSerializer]

    def __init_subclass__(cls) -> None:
        for attribute, maker in _MAKERS.items():
            setattr(cls, attribute, maker)

    def __init__(self, /, **data: Any) -> None:
        self.__pydantic_validator__.validate_python(data, self_instance=self)

    @classmethod
    def model_validate(cls, value: Any) -> Self:
        """The value of an object, checked.

        Raises:
            ValidationError: it is none.
        """
        made: Self = cls.__pydantic_validator__.validate_python(value)
        return made

    @classmethod
    def model_validate_json(cls, data: bytes | str, *, strict: bool | None = None) -> Self:
        """The value of a JSON text, checked; with `strict` no value is read as one of another type.

        Raises:
            ValidationError: it is none.
        """
        made: Self = cls.__pydantic_validator__.validate_json(data, strict=strict)
        return made

    @classmethod
    def model_construct(cls, **values: Any) -> Self:
        """A value of what was checked already."""
        made = cls.__new__(cls)
        fields = {
            name: values[name] if name in values else info.get_default()
            for name, info in cls.model_fields.items()
            if name in values or not info.is_required()
        }
        _put(made, "__dict__", fields)
        _put(made, "__pydantic_fields_set__", set(values) & fields.keys())
        _put(made, "__pydantic_extra__", None)
        _put(made, "__pydantic_private__", None)
        return made

    def model_copy(self, *, update: Mapping[str, Any] | None = None) -> Self:
        """The same value with other fields, which are not checked."""
        made = self.__copy__()
        if update:
            made.__dict__.update(update)
            made.model_fields_set.update(update)
        return made

    def model_dump(self, **how: Any) -> dict[str, Any]:
        """As a dictionary, with the options of `pydantic_core.SchemaSerializer`."""
        dumped: dict[str, Any] = self.__pydantic_serializer__.to_python(self, **how)
        return dumped

    def model_dump_json(self, **how: Any) -> str:
        """As JSON, with the options of `pydantic_core.SchemaSerializer`."""
        return self.__pydantic_serializer__.to_json(self, **how).decode()

    @classmethod
    def model_json_schema(cls) -> dict[str, Any]:
        """A JSON schema, for an agent that is asked for such a value."""
        from tandem_desktop.domain import schemas

        return schemas.json_schema_of(cls)

    @property
    def model_fields_set(self) -> set[str]:
        """The fields that were given."""
        given: set[str] = self.__pydantic_fields_set__  # type: ignore[attr-defined]
        return given

    def check_together(self) -> None:
        """Called when all fields are valid; raises `ValueError` where they do not fit each other."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> "CoreSchema":
        """For a pydantic model with such a field."""
        from tandem_desktop.domain import schemas

        return schemas.named_schema_of(cls)

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        yield from self.__dict__.items()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Frozen):
            return NotImplemented
        if type(self) is not type(other):
            return False
        if self.__dict__ == other.__dict__:
            return True
        fields = type(self).model_fields
        if self.__dict__.keys() <= fields.keys() and other.__dict__.keys() <= fields.keys():
            return False
        return all(self.__dict__.get(name) == other.__dict__.get(name) for name in fields)  # without cached properties

    def __hash__(self) -> int:
        fields = self.__dict__
        return hash(tuple(fields.get(name) for name in type(self).model_fields))

    def __repr__(self) -> str:
        fields = type(self).model_fields
        told = ", ".join(f"{name}={value!r}" for name, value in self.__dict__.items() if name in fields)
        return f"{type(self).__name__}({told})"

    def __setattr__(self, name: str, value: Any) -> None:
        from tandem_desktop.domain import schemas

        known = name in type(self).model_fields
        raise schemas.refusal(type(self).__name__, name, value, "frozen_instance" if known else "no_such_attribute")

    def __delattr__(self, name: str) -> None:
        from tandem_desktop.domain import schemas

        raise schemas.refusal(type(self).__name__, name, None, "frozen_instance")

    def __copy__(self) -> Self:
        made = self.__new__(type(self))
        _put(made, "__dict__", self.__dict__.copy())
        _put(made, "__pydantic_fields_set__", self.model_fields_set.copy())
        _put(made, "__pydantic_extra__", None)
        _put(made, "__pydantic_private__", None)
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        from copy import deepcopy

        made = self.__copy__()
        _put(made, "__dict__", deepcopy(self.__dict__, memo))
        return made

    def __getstate__(self) -> tuple[dict[str, Any], set[str]]:
        return self.__dict__, self.model_fields_set

    def __setstate__(self, state: tuple[dict[str, Any], set[str]]) -> None:
        _put(self, "__dict__", state[0])
        _put(self, "__pydantic_fields_set__", state[1])
        _put(self, "__pydantic_extra__", None)
        _put(self, "__pydantic_private__", None)


class AnyModel(Protocol):
    """A value, or a model of pydantic: the arguments of a tool, or the answer to a question."""

    @classmethod
    def model_validate(cls, obj: Any, /) -> Self: ...

    @classmethod
    def model_json_schema(cls) -> dict[str, Any]: ...


class ValueType(Generic[Value]):
    """Reads and writes values of a type that is no class of ours, such as a union or a tuple of values."""

    def __init__(self, annotation: Any) -> None:
        self._annotation = annotation
        self._made: tuple[SchemaValidator, SchemaSerializer] | None = None

    def _parts(self) -> "tuple[SchemaValidator, SchemaSerializer]":
        if self._made is None:
            from tandem_desktop.domain import schemas

            self._made = schemas.parts_of(self._annotation)
        return self._made

    def validate_python(self, value: Any) -> Value:
        made: Value = self._parts()[0].validate_python(value)
        return made

    def validate_json(self, data: bytes | str) -> Value:
        made: Value = self._parts()[0].validate_json(data)
        return made

    def dump_json(self, value: Value, **how: Any) -> bytes:
        return self._parts()[1].to_json(value, **how)

    def dump_python(self, value: Value, **how: Any) -> Any:
        return self._parts()[1].to_python(value, **how)
