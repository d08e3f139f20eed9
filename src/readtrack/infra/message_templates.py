"""Translation of messages that are stored in English, such as why a line of notes became what it did."""

import re
from collections.abc import Collection, Iterable
from functools import cached_property, lru_cache

from readtrack.infra.i18n import ENGLISH, current_language, gettext

_SEMICOLON = re.compile("(”; “|; )")


class MessageTemplates:
    """Messages that were stored in English with their values filled in, and can still be translated.

    `templates`: the messages, with names in braces for the values. `lists`: the names of values that are such messages
    themselves, with semicolons between them.
    """

    def __init__(self, templates: Iterable[str], *, lists: Collection[str] = ()) -> None:
        self._templates, self._lists = tuple(templates), lists

    def translate(self, text: str) -> str:
        """Return the message in the current language, or unchanged if it is none of the templates."""
        if not text or current_language() == ENGLISH:
            return text
        match = self._match(text)
        if match is None:
            return gettext(text)
        template, values = match
        parts = {name: self._translate_list(value) if name in self._lists else value for name, value in values.items()}
        return gettext(template).format(**parts)

    def _translate_list(self, value: str) -> str:
        parts = _SEMICOLON.split(value)
        return "".join(part if index % 2 else self.translate(part) for index, part in enumerate(parts))

    @lru_cache(maxsize=2048)  # noqa: B019 - few instances, all module constants
    def _match(self, text: str) -> tuple[str, dict[str, str]] | None:
        """Return the template of a text, with its values."""
        for template, pattern in self._patterns:
            if found := pattern.fullmatch(text):
                return template, found.groupdict()
        return None

    @cached_property
    def _patterns(self) -> tuple[tuple[str, re.Pattern[str]], ...]:
        return tuple((template, _template_pattern(template)) for template in self._templates)


def _template_pattern(template: str) -> re.Pattern[str]:
    """Return a pattern that matches the template with any values."""
    parts = re.split(r"\{(\w+)\}", template)
    patterns = (f"(?P<{part}>.*?)" if index % 2 else re.escape(part) for index, part in enumerate(parts))
    return re.compile("".join(patterns), re.DOTALL)
