"""Language negotiation, and messages, dates and numbers in the current language.

English sentences are the message IDs; `locale/<language>/LC_MESSAGES/readtrack.po` has the translations, loaded on
first use. Stored texts (job errors, user content) are never translated, only what is rendered for the current request.
"""

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cache, lru_cache
from gettext import GNUTranslations, NullTranslations
from pathlib import Path
from typing import TYPE_CHECKING

from readtrack.infra import resources

if TYPE_CHECKING:
    from babel import Locale

ENGLISH = "en"
LANGUAGES = (ENGLISH, "ja", "zh-Hans")
# Pseudo-locale with accents, brackets and a third more length; shows untranslated and truncated texts.
PSEUDO = "en-XA"
_MAX_HEADER_CHARS = 200  # Maximum characters read of an Accept-Language header.
_PATTERNS = {
    "day": {"en": "d MMM y", "ja": "y年M月d日", "zh-Hans": "y年M月d日"},
    "month": {"en": "MMM y", "ja": "y年M月", "zh-Hans": "y年M月"},
    "weekday": {"en": "EEEE"},
    "long_day": {"en": "EEEE, d MMMM", "ja": "M月d日EEEE", "zh-Hans": "M月d日EEEE"},
    "short_day": {"en": "d MMM", "ja": "M月d日", "zh-Hans": "M月d日"},
    "short_month": {"en": "MMM", "ja": "M月", "zh-Hans": "M月"},
    "short_weekday": {"en": "EEE"},
}
_LOCALES = {"en": "en", "ja": "ja", "zh-Hans": "zh_Hans"}
_CHINESE = ("zh-cn", "zh-sg", "zh-hans", "zh-my")
_KEPT = re.compile(r"(%\([a-z_]+\)[sd]|%%|\{[^{}]*\}|<[^<>]*>|&[a-z]+;|`[^`]*`)")
_ACCENTED = str.maketrans("aceinouyACEINOUY", "áçéíñóúýÁÇÉÍÑÓÚÝ")


@dataclass
class _LanguageChoice:
    """The language of one request, shared by all threads that work for it."""

    language: str


_choice: ContextVar[_LanguageChoice | None] = ContextVar("readtrack_language", default=None)


def begin_request(accept_language: str) -> None:
    """Set the language for a new request from its Accept-Language header, until the user is known."""
    _choice.set(_LanguageChoice(negotiate_language(accept_language)))


def set_preferred_language(language: str) -> None:
    """Switch to the language the current user chose; blank keeps the negotiated one."""
    choice = _choice.get()
    if choice is not None and language:
        choice.language = language


def current_language() -> str:
    """Return the current language; English outside a request, as in the worker."""
    choice = _choice.get()
    return choice.language if choice is not None else ENGLISH


@contextmanager
def use_language(language: str) -> Iterator[None]:
    """Use a language within the block, e.g. for mail to a person. Blank means English."""
    token = _choice.set(_LanguageChoice(language or ENGLISH))
    try:
        yield
    finally:
        _choice.reset(token)


def negotiate_language(accept_language: str) -> str:
    """Return the supported language the Accept-Language header prefers, or English."""
    preferences = sorted(_parse_accept_language(accept_language[:_MAX_HEADER_CHARS]), key=lambda pair: -pair[0])
    return next((language for _, name in preferences if (language := _supported_language(name))), ENGLISH)


def gettext(message: str) -> str:
    """Translate a message into the current language."""
    return load_translations(current_language()).gettext(message) if current_language() != ENGLISH else message


def pgettext(context: str, message: str) -> str:
    """Translate a message whose meaning depends on the context."""
    return load_translations(current_language()).pgettext(context, message)


def ngettext(singular: str, plural: str, count: int) -> str:
    """Translate a message in the plural form for `count`. The caller fills in the number."""
    return load_translations(current_language()).ngettext(singular, plural, count)


def N_(message: str) -> str:  # noqa: N802 - the name that message extractors expect
    """Mark a message for extraction; it is translated when it is rendered."""
    return message


_ = gettext


@cache
def load_translations(language: str) -> NullTranslations:
    """Load the translations of a language."""
    if language == PSEUDO:
        return _Pseudo()
    path = _path(language)
    if language == ENGLISH or not path.is_file():
        return NullTranslations()
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    compiled = io.BytesIO()
    with path.open("rb") as file:
        write_mo(compiled, read_po(file, locale=_LOCALES[language]))
    compiled.seek(0)
    return GNUTranslations(compiled)


def format_day(moment: date) -> str:
    """Format a date, or the UTC day of a moment: 3 Dec 2025, 2025年12月3日."""
    return _format_pattern(_date(moment), "day", current_language())


def format_month(moment: date) -> str:
    """Format a month with its year."""
    return _format_pattern(_date(moment).replace(day=1), "month", current_language())


def format_weekday(moment: date) -> str:
    """Format the name of the weekday: Wednesday, 水曜日."""
    return _format_pattern(_date(moment), "weekday", current_language())


def format_long_day(moment: date) -> str:
    """Format a date without its year but with the weekday: Monday, 3 November."""
    return _format_pattern(_date(moment), "long_day", current_language())


def format_short(moment: date, unit: str) -> str:
    """Format a day, month or weekday in short form for charts: 3 Dec, Dec, Wed."""
    return _format_pattern(_date(moment), f"short_{unit}", current_language())


def format_number(value: float) -> str:
    """Format a number with the separators of the language: 12,345."""
    if isinstance(value, int) and 0 <= value < 1000:
        return str(value)
    from babel.numbers import format_decimal

    return format_decimal(value, locale=_locale())


def _date(moment: date) -> date:
    return moment.astimezone(UTC).date() if isinstance(moment, datetime) else moment


@lru_cache(maxsize=10_000)  # A list repeats the same dates.
def _format_pattern(moment: date, pattern_name: str, language: str) -> str:
    from babel.dates import format_date

    patterns = _PATTERNS[pattern_name]
    pattern = patterns.get(language, patterns[ENGLISH])
    formatted = format_date(moment, pattern, locale=_LOCALES.get(language, _LOCALES[ENGLISH]))
    return f"⟦{formatted}⟧" if language == PSEUDO else formatted


def _locale() -> "Locale":
    return _parsed(_LOCALES.get(current_language(), _LOCALES[ENGLISH]))


@cache
def _parsed(name: str) -> "Locale":
    from babel import Locale

    return Locale.parse(name)


def _path(language: str) -> Path:
    return resources.find("locale") / language / "LC_MESSAGES" / "readtrack.po"


def _parse_accept_language(accept_language: str) -> Iterator[tuple[float, str]]:
    for part in accept_language.split(","):
        name, _, weight = part.partition(";")
        try:
            yield float(weight.strip().removeprefix("q=") or 1), name.strip().lower()
        except ValueError:
            continue


def _supported_language(name: str) -> str:
    """Return the supported language for a language tag, or "".

    Traditional Chinese is not supported yet.
    """
    if name in {"zh", *_CHINESE}:
        return "zh-Hans"
    root = name.partition("-")[0]
    return root if root in LANGUAGES else ""


class _Pseudo(NullTranslations):
    def gettext(self, message: str) -> str:
        pseudo_text = "".join(map(self._disguised, _KEPT.split(message)))
        return f"⟦{pseudo_text}{' ·' * (len(message) // 6)}⟧"

    def pgettext(self, context: str, message: str) -> str:  # noqa: ARG002 - required by the base class
        return self.gettext(message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)

    @staticmethod
    def _disguised(segment: str) -> str:
        return segment if _KEPT.fullmatch(segment) else segment.translate(_ACCENTED)
