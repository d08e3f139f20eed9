"""The daily mail as text. Pure. Names and titles are anybody's words: each is one line without control characters."""

import unicodedata
from collections.abc import Callable, Sequence

from readtrack.infra.i18n import format_number, ngettext
from readtrack.infra.i18n import gettext as _
from readtrack.team.notifications.messages import NotificationText

MOST = 50  # notices in one letter; the inbox has the rest
_UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}  # a line end, or what turns the direction of all that follows


def render_subject(count: int) -> str:
    """Without any words of others."""
    said = ngettext("readtrack: {count} thing concerns you", "readtrack: {count} things concern you", count)
    return said.format(count=count)


def render_text(name: str, told: Sequence[NotificationText], *, count: int, link: Callable[[str], str]) -> str:
    """What happened, each with its address; how many more there are; how to have no more of these letters."""
    parts = [_("Hello {name},").format(name=to_plain_line(name)), _("this is what concerns you, the latest first.")]
    parts += [f"* {to_plain_line(said.sentence)}\n  {link(said.address)}" for said in told[:MOST]]
    if count > MOST:
        parts.append(
            _("And {count} more: {address}").format(count=format_number(count - MOST), address=link("/notifications"))
        )
    else:
        parts.append(_("All of it: {address}").format(address=link("/notifications")))
    choices = _("Sent once a day at most. To change what is mailed to you: {address}")
    parts.append("--\n" + choices.format(address=link("/settings/notifications")))
    return "\n\n".join(parts) + "\n"


def to_plain_line(text: str) -> str:
    """The same as one line of characters that are seen."""
    seen = (" " if unicodedata.category(character) in _UNSEEN else character for character in text)
    return " ".join("".join(seen).split())
