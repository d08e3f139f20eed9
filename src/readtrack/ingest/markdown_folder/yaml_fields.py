"""YAML front matter of a folder's notes. Imported when the first note is read or written."""

from collections.abc import Iterable, Sequence
from typing import Any

import yaml  # type: ignore[import-untyped]

from readtrack.infra.errors import Invalid
from readtrack.infra.i18n import gettext as _

MAX_FIELDS = 20_000  # YAML events: scalars, and starts and ends of collections
MAX_NESTING = 8
_PARSER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # ten times faster, but not available on every system


class _Dumper(yaml.SafeDumper):  # type: ignore[misc]  # PyYAML is untyped
    """YAML dumper without anchors and aliases."""

    def ignore_aliases(self, _data: Any) -> bool:  # noqa: ANN401 - PyYAML's signature
        return True


_Dumper.add_multi_representer(str, _Dumper.represent_str)  # names of people are strings that know their parts


def load_fields(text: str) -> object:
    """Parse YAML.

    Return None if it is invalid or uses aliases. Raise Invalid if it exceeds the limits.
    """
    try:
        return _build(yaml.parse(text, Loader=_PARSER))
    except (yaml.YAMLError, ValueError):
        return None


def dump_fields(fields: dict[str, Any]) -> str:
    """Return the fields as YAML in their order, each on one line."""
    text: str = yaml.dump(fields, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=1_000_000)
    return text


def _build(parts: Iterable[Any]) -> Any:  # noqa: ANN401 - any YAML value
    """Build the value of YAML events.

    Scalars are returned as strings: other programs remove the quotes of strings. PyYAML's own loaders are not used:
    they compose recursively (the C loader crashes on deep nesting), have no size limit, and expand aliases
    exponentially. Raise Invalid if the limits are exceeded.
    """
    open_lists: list[list[Any]] = [[]]
    for number, part in enumerate(parts):
        if number > MAX_FIELDS or len(open_lists) > MAX_NESTING:
            raise Invalid(_("The front matter is too long or too deeply nested."))
        if isinstance(part, yaml.AliasEvent):
            raise yaml.YAMLError("anchors are not read")
        if isinstance(part, yaml.ScalarEvent):
            open_lists[-1].append(part.value)
        elif isinstance(part, yaml.CollectionStartEvent):
            open_lists.append([])
        elif isinstance(part, yaml.CollectionEndEvent):
            inner = open_lists.pop()
            open_lists[-1].append(_mapping(inner) if isinstance(part, yaml.MappingEndEvent) else inner)
    (documents,) = open_lists
    return documents[0] if len(documents) == 1 else None


def _mapping(items: Sequence[Any]) -> dict[str, Any]:
    """Return the dict of a flat sequence of keys and values."""
    if not all(isinstance(name, str) for name in items[::2]):
        raise yaml.YAMLError("a name of a field is no word")
    return dict(zip(items[::2], items[1::2], strict=True))
