"""What templates say in one language. Jinja's own way formats a sentence each time, also when nothing is filled in."""

from gettext import NullTranslations

from markupsafe import Markup


class TemplateTranslations:
    """The functions that templates call; what is filled in is escaped, the sentences themselves are ours."""

    def __init__(self, spoken: NullTranslations) -> None:
        self._spoken = spoken
        self._whole: dict[str, Markup] = {}  # sentences into which nothing is filled, ready to be shown

    def gettext(self, message: str, /, **values: object) -> Markup:
        if values:
            return Markup(self._spoken.gettext(message)) % values  # noqa: S704 - a sentence of ours
        whole = self._whole.get(message)
        if whole is None:
            whole = self._whole[message] = Markup(self._spoken.gettext(message)) % {}  # noqa: S704
        return whole

    def ngettext(self, one: str, many: str, num: int, /, **values: object) -> Markup:
        values.setdefault("num", num)
        return Markup(self._spoken.ngettext(one, many, num)) % values  # noqa: S704

    def pgettext(self, context: str, message: str, /, **values: object) -> Markup:
        return Markup(self._spoken.pgettext(context, message)) % values  # noqa: S704
