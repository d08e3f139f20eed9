"""YAML of strangers, read as plain texts, lists and mappings."""

import yaml  # type: ignore[import-untyped] # it publishes no types

_DEEPEST = 30


class PlainTextLoader(yaml.BaseLoader):  # type: ignore[misc] # as above
    """Makes texts of all scalars: a version 2.10 stays 2.10. Refuses anchors and depths: bombs are made of them."""

    _depth = 0

    def compose_node(self, parent: object, index: object) -> object:
        if self.check_event(yaml.AliasEvent) or getattr(self.peek_event(), "anchor", None) or self._depth > _DEEPEST:
            raise yaml.YAMLError("anchors, aliases and what lies deep are not read")
        self._depth += 1
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node


def load_yaml(text: str) -> object:
    """What it says; None for what is no YAML, or uses what is refused."""
    loader = None
    try:
        loader = PlainTextLoader(text)
        return loader.get_single_data()
    except (yaml.YAMLError, RecursionError, ValueError):
        return None
    finally:
        if loader is not None:
            loader.dispose()
