"""Strict YAML files: an unknown key is an error that names the nearest known one."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from lft.core.errors import InputError, shown, unknown_name
from lft.core.files import read_text
from lft.core.records import Json, JsonObject


def read_yaml(path: Path) -> JsonObject:
    """The mapping in a YAML file; raises `InputError` for other content or a duplicate key."""
    import yaml

    class Strict(yaml.SafeLoader):  # type: ignore[misc]  # its loaders are untyped
        """Refuses duplicate keys, of which YAML silently takes the last, and binary values."""

        def construct_mapping(self, node: yaml.Node, deep: bool = False) -> object:
            seen = set()
            for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():
                name = (key.tag, key.value) if isinstance(key, yaml.ScalarNode) else None
                if name in seen:
                    raise self.fault(key, f"duplicate key {shown(key.value)}", "each key once")
                if name:
                    seen.add(name)
            return super().construct_mapping(node, deep)

        def binary(self, node: yaml.Node) -> object:
            raise self.fault(node, "a !!binary value", "text")

        def fault(self, node: yaml.Node, what: str, expected: str) -> InputError:
            return InputError(what, where=f"{path}:{node.start_mark.line + 1}", expected=expected)

    Strict.add_constructor("tag:yaml.org,2002:binary", Strict.binary)
    try:
        document = yaml.load(read_text(path), Loader=Strict)
    except InputError:
        raise
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # ValueError: an invalid date or number
        raise InputError(f"not YAML: {error}", where=path, expected="a YAML mapping") from error
    return checked_keys(document, None, where=path)


def checked_keys(document: object, known: Collection[str] | None, *, where: object) -> JsonObject:
    """`document`, checked to be a mapping whose keys are all `known` (None: any text).

    >>> checked_keys({"conut": 1}, ["count", "seed"], where="grid.yaml")
    Traceback (most recent call last):
    lft.core.errors.InputError: grid.yaml: unknown key 'conut'; expected count (did you mean this?), seed
    """
    if not isinstance(document, Mapping):
        raise InputError(f"found {shown(document)}", where=where, expected="a mapping, `key: value` lines")
    for key in document:
        if not isinstance(key, str):
            raise InputError(f"the key {shown(key)} is not text", where=where)
        if known is not None and key not in known:
            raise unknown_name("key", key, known, where=where)
    return dict(document)


def as_list(value: object) -> list[Json]:
    """A value, or a list of them, as a list.

    >>> as_list("a"), as_list(["a", "b"])
    (['a'], ['a', 'b'])
    """
    return list(value) if isinstance(value, (list, tuple)) else [value]
