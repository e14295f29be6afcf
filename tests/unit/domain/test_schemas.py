"""Values are checked without pydantic, and exactly as pydantic checks classes of the same annotations."""

import copy
import importlib
import pickle
import pkgutil
from collections.abc import Iterator
from enum import Enum
from functools import cached_property
from typing import Annotated, Any, ClassVar, get_args, get_origin, get_type_hints

import pydantic
import pytest
from pydantic import AfterValidator, ConfigDict, WithJsonSchema
from pydantic_core import ValidationError

import tandem_desktop
from tandem_desktop.domain import schemas
from tandem_desktop.domain.base import REQUIRED, Field, FieldInfo, Frozen, ValueType


def subclasses(kind: type) -> Iterator[type]:
    for each in kind.__subclasses__():
        yield each
        yield from subclasses(each)


def every_value() -> list[type[Frozen]]:
    for module in pkgutil.walk_packages(tandem_desktop.__path__, "tandem_desktop."):
        if ".ui" not in module.name:
            importlib.import_module(module.name)
    return [each for each in subclasses(Frozen) if each.__module__.startswith("tandem_desktop.")]


class Pydantic:
    """Makes classes of pydantic from the annotations of ours."""

    def __init__(self) -> None:
        self.made: dict[type, Any] = {}

    def model(self, ours: type[Frozen]) -> Any:
        if ours not in self.made:
            hints = get_type_hints(ours, include_extras=True)
            fields = {
                name: (self.annotation(hint), self.default(hint, ours.model_fields[name]))
                for name, hint in hints.items()
                if get_origin(hint) is not ClassVar
            }
            config = ConfigDict(frozen=True, extra="forbid")
            self.made[ours] = pydantic.create_model(ours.__name__, __config__=config, **fields)
        return self.made[ours]

    def default(self, hint: Any, field: FieldInfo) -> Any:
        annotated = hint.__metadata__ if get_origin(hint) is Annotated else ()
        rules = {name: rule for each in field.metadata[len(annotated) :] for name, rule in each.rules.items()}
        if field.default_factory is not None:
            return pydantic.Field(default_factory=field.default_factory, description=field.description, **rules)
        default = ... if field.default is REQUIRED else field.default
        return pydantic.Field(default, description=field.description, **rules)

    def annotation(self, hint: Any) -> Any:
        if isinstance(hint, type) and issubclass(hint, Frozen):
            return self.model(hint)
        if get_origin(hint) is Annotated:
            extras = [part for each in hint.__metadata__ for part in self.extra(each)]
            return Annotated[self.annotation(hint.__origin__), *extras]  # type: ignore[return-value]
        parts = tuple(self.annotation(each) if each is not ... else each for each in get_args(hint))
        if not parts or parts == get_args(hint):
            return hint
        return hint.copy_with(parts) if hasattr(hint, "copy_with") else self.joined(hint, parts)

    def joined(self, hint: Any, parts: tuple[Any, ...]) -> Any:
        if get_origin(hint) in (tuple, dict, frozenset):
            return get_origin(hint)[parts]
        whole = parts[0]
        for each in parts[1:]:
            whole = whole | each
        return whole

    def extra(self, extra: Any) -> list[Any]:
        if not isinstance(extra, FieldInfo):
            return [extra]
        told = {"description": extra.description} if extra.description else {}
        named = {"discriminator": extra.discriminator} if extra.discriminator else {}
        return [
            *([pydantic.Field(**extra.rules, **told, **named)] if extra.rules or told or named else ()),
            *([AfterValidator(extra.check)] if extra.check else ()),
            *([WithJsonSchema(extra.json_schema)] if extra.json_schema else ()),
        ]


SAID_ELSEWHERE = {"ref", "metadata", "custom_init", "root_model", "computed_fields", "default_factory_takes_data"}


def plain(schema: Any, parts: dict[str, Any]) -> Any:
    """A schema without names of its parts and without what is for JSON schemas."""
    if isinstance(schema, dict):
        if schema.get("type") == "definitions":
            return plain(schema["schema"], {**parts, **{each["ref"]: each for each in schema["definitions"]}})
        if schema.get("type") == "definition-ref":
            return plain(parts[schema["schema_ref"]], parts)
        if schema.get("type") == "function-after" and schema["function"]["function"] is schemas.checked_together:
            return plain(schema["schema"], parts)
        return {key: plain(value, parts) for key, value in schema.items() if key not in SAID_ELSEWHERE}
    if isinstance(schema, list | tuple):
        return [plain(each, parts) for each in schema]
    if isinstance(schema, type) and not issubclass(schema, Enum):
        return schema.__name__
    return schema


def test_each_value_is_checked_by_the_schema_that_pydantic_makes_of_its_annotations() -> None:
    values, pydantics = every_value(), Pydantic()
    assert len(values) > 200
    for ours in values:
        theirs = pydantics.model(ours)
        theirs.model_rebuild()
        assert plain(schemas.schema_of(ours), {}) == plain(theirs.__pydantic_core_schema__, {}), ours


class Part(Frozen):
    """A part."""

    size: Annotated[int, Field(ge=1, description="How large.")]


class Whole(Frozen):
    """Some parts."""

    parts: tuple[Part, ...] = ()
    words: dict[str, str] = Field(default_factory=dict)

    @cached_property
    def size(self) -> int:
        return sum(each.size for each in self.parts)


class Even(Frozen):
    """Two numbers."""

    first: int
    second: int = 2

    def check_together(self) -> None:
        if self.first > self.second:
            raise ValueError("the first is larger")


@pytest.mark.parametrize(
    "given", [{"parts": [{"size": 0}]}, {"parts": [{"size": "many"}]}, {"parts": [{}]}, {"sizes": 1}, [], None]
)
def test_what_is_no_such_value_is_refused(given: Any) -> None:
    with pytest.raises(ValidationError):
        Whole.model_validate(given)


def test_a_field_is_not_set_and_not_deleted() -> None:
    part = Part(size=3)
    with pytest.raises(ValidationError, match="frozen"):
        part.size = 4  # type: ignore[misc]
    with pytest.raises(ValidationError):
        part.colour = "red"  # type: ignore[attr-defined]
    with pytest.raises(ValidationError):
        del part.size
    assert part == Part(size=3)


def test_values_with_the_same_fields_are_equal_and_of_one_hash_whatever_was_computed_of_them() -> None:
    one, other = Whole(parts=(Part(size=1), Part(size=2))), Whole(parts=(Part(size=1), Part(size=2)))
    assert one.size == 3  # kept in one of them
    assert one == other
    assert one != Whole(parts=(Part(size=1),))
    assert Part(size=1) != Even(first=1)
    assert hash(Part(size=1)) == hash(Part(size=1))
    assert "size=1" in repr(one)


def test_a_copy_is_another_value_and_the_first_one_stays() -> None:
    first = Whole(parts=(Part(size=1),), words={"a": "b"})
    changed = first.model_copy(update={"words": {}})
    assert (first.words, changed.words) == ({"a": "b"}, {})
    assert changed.model_fields_set == {"parts", "words"}
    for again in (copy.copy(first), copy.deepcopy(first), pickle.loads(pickle.dumps(first)), Whole(**dict(first))):
        assert again == first
        assert again.model_dump_json(exclude_unset=True) == first.model_dump_json(exclude_unset=True)


def test_fields_that_do_not_fit_each_other_are_refused() -> None:
    assert Even(first=1).second == 2
    with pytest.raises(ValidationError, match="the first is larger"):
        Even.model_validate_json(b'{"first": 3}')


def test_no_two_values_share_a_default_that_was_made_for_one() -> None:
    Whole().words["a"] = "b"
    assert Whole().words == {}
    assert Whole.model_construct().words == {}


def test_a_rule_that_its_type_cannot_have_is_an_error_and_not_ignored() -> None:
    class Wrong(Frozen):
        flag: Annotated[bool, Field(ge=1)]

    with pytest.raises(TypeError, match="ge"):
        Wrong(flag=True)


def test_values_stand_in_models_of_pydantic_and_their_json_schema_is_that_of_pydantic() -> None:
    class Model(pydantic.BaseModel):
        part: Part

    assert Model.model_validate_json('{"part": {"size": 2}}').part == Part(size=2)
    assert Model(part=Part(size=2)).model_dump() == {"part": {"size": 2}}
    assert Whole.model_json_schema()["$defs"]["Part"] == {
        "additionalProperties": False,
        "description": "A part.",
        "properties": {"size": {"description": "How large.", "minimum": 1, "title": "Size", "type": "integer"}},
        "required": ["size"],
        "title": "Part",
        "type": "object",
    }


def test_a_type_without_a_class_is_read_and_written() -> None:
    parts: ValueType[tuple[Part, ...]] = ValueType(tuple[Part, ...])
    assert parts.validate_json(b'[{"size": 1}]') == (Part(size=1),)
    assert parts.dump_json((Part(size=1),)) == b'[{"size":1}]'
    with pytest.raises(ValidationError):
        parts.validate_json(b'[{"size": 0}]')
