"""The fields at the head of a note of a folder, as YAML. Imported by the first note that is read or written."""

from collections.abc import Iterable, Sequence
from typing import Any

import yaml  # type: ignore[import-untyped]

from readtrack.infra.errors import Invalid
from readtrack.infra.i18n import gettext as _

MOST_FIELDS = 20_000  # parts of it, as YAML counts: names, values, and where lists begin and end
DEEPEST = 8
_PARSER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # in C it is ten times faster; not every system has it


class _Dumper(yaml.SafeDumper):  # type: ignore[misc] # it has no types
    """Writes no anchors, which nobody reads."""

    def ignore_aliases(self, _data: Any) -> bool:  # noqa: ANN401 - as yaml has it
        return True


def load_fields(text: str) -> object:
    """What it says; None for what is no YAML, or uses anchors. Raises Invalid for more than is read."""
    try:
        return _build(yaml.parse(text, Loader=_PARSER))
    except (yaml.YAMLError, ValueError):
        return None


def dump_fields(fields: dict[str, Any]) -> str:
    """The fields in their order, each in a line of any length."""
    text: str = yaml.dump(fields, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=1_000_000)
    return text


def _build(parts: Iterable[Any]) -> Any:  # noqa: ANN401 - as yaml has it
    """Return what YAML says, every scalar as a word: other programs leave out the quotes that we set.

    Not by a loader of PyYAML: those compose recursively (the one in C crashes on deep nesting) and without a limit, and
    aliases multiply. Raises Invalid for more than is read.
    """
    open_lists: list[list[Any]] = [[]]
    for number, part in enumerate(parts):
        if number > MOST_FIELDS or len(open_lists) > DEEPEST:
            raise Invalid(_("The fields at its head are too many, or nested too deeply."))
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


def _mapping(flat: Sequence[Any]) -> dict[str, Any]:
    """The fields of names and values that stand in turn."""
    if not all(isinstance(name, str) for name in flat[::2]):
        raise yaml.YAMLError("a name of a field is no word")
    return dict(zip(flat[::2], flat[1::2], strict=True))
