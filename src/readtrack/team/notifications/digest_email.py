"""Text of the daily mail.

Names and titles are user input, so each is one line without control characters.
"""

import unicodedata
from collections.abc import Callable, Sequence

from readtrack.infra.i18n import format_number, ngettext
from readtrack.infra.i18n import gettext as _
from readtrack.team.notifications.messages import NotificationText

MAX_NOTIFICATIONS = 50  # notifications per mail; the inbox has the rest
_UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}  # line ends and direction marks


def render_subject(count: int) -> str:
    """Return the subject, which contains no user input."""
    message = ngettext("readtrack: {count} thing concerns you", "readtrack: {count} things concern you", count)
    return message.format(count=count)


def render_text(name: str, notifications: Sequence[NotificationText], *, count: int, link: Callable[[str], str]) -> str:
    """Return the text: notifications with addresses, the number of others, how to unsubscribe."""
    parts = [_("Hello {name},").format(name=to_plain_line(name)), _("this is what concerns you, the latest first.")]
    parts += [
        f"* {to_plain_line(notification.sentence)}\n  {link(notification.address)}"
        for notification in notifications[:MAX_NOTIFICATIONS]
    ]
    if count > MAX_NOTIFICATIONS:
        parts.append(
            _("And {count} more: {address}").format(
                count=format_number(count - MAX_NOTIFICATIONS), address=link("/notifications")
            )
        )
    else:
        parts.append(_("All of it: {address}").format(address=link("/notifications")))
    footer = _("Sent once a day at most. To change what is mailed to you: {address}")
    parts.append("--\n" + footer.format(address=link("/settings/notifications")))
    return "\n\n".join(parts) + "\n"


def to_plain_line(text: str) -> str:
    """Return the text as one line of visible characters."""
    characters = (" " if unicodedata.category(character) in _UNSEEN else character for character in text)
    return " ".join("".join(characters).split())
