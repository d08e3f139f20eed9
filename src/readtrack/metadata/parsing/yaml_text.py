"""Safe loading of untrusted YAML as texts, lists and mappings."""

import yaml  # type: ignore[import-untyped] # has no type stubs

_MAX_NESTING = 30


class PlainTextLoader(yaml.BaseLoader):  # type: ignore[misc] # as above
    """A loader that keeps all scalars as text, so that version 2.10 stays 2.10.

    It rejects anchors and deep nesting to prevent YAML bombs.
    """

    _depth = 0

    def compose_node(self, parent: object, index: object) -> object:
        if (
            self.check_event(yaml.AliasEvent)
            or getattr(self.peek_event(), "anchor", None)
            or self._depth > _MAX_NESTING
        ):
            raise yaml.YAMLError("anchors, aliases and deep nesting are not supported")
        self._depth += 1
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node


def load_yaml(text: str) -> object:
    """Parse YAML. Return None if it is invalid or rejected."""
    loader = None
    try:
        loader = PlainTextLoader(text)
        return loader.get_single_data()
    except (yaml.YAMLError, RecursionError, ValueError):
        return None
    finally:
        if loader is not None:
            loader.dispose()
