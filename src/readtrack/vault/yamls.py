"""The fields at the head of a note of a folder, as YAML. Imported by the first note that is read or written."""

from typing import Any

import yaml  # type: ignore[import-untyped]


class _Loader(yaml.BaseLoader):  # type: ignore[misc] # it has no types
    """Knows words, lists and names of fields; no anchors, which could multiply. What looks like a number, a time or a
    yes is a word: other programs leave out the quotes that we set.
    """

    def compose_node(self, parent: Any, index: Any) -> Any:  # noqa: ANN401 - as yaml has it
        if self.check_event(yaml.events.AliasEvent):
            raise yaml.YAMLError("anchors are not read")
        return super().compose_node(parent, index)


class _Dumper(yaml.SafeDumper):  # type: ignore[misc] # it has no types
    """Writes no anchors, which nobody reads."""

    def ignore_aliases(self, _data: Any) -> bool:  # noqa: ANN401 - as yaml has it
        return True


def loaded(text: str) -> object:
    """What it says; None for what is no YAML, or uses anchors."""
    try:
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - made of BaseLoader
    except (yaml.YAMLError, ValueError, RecursionError):
        return None


def dumped(fields: dict[str, Any]) -> str:
    """The fields in their order, each in a line of any length."""
    text: str = yaml.dump(fields, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=1_000_000)
    return text
