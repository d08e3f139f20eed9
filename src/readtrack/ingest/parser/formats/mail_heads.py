"""Heads of e-mails pasted or forwarded into notes: `From: …`, `Subject: …`. What follows is prose, without topics."""

import re

from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape, skip_lines
from readtrack.ingest.parser.reasons import CHAT_HEAD

_FIELD = re.compile(
    r"(?P<name>from|to|cc|bcc|subject|date|sent|reply-to|von|an|betreff|gesendet|de|à|objet|envoyé|para|asunto|"
    r"差出人|宛先|件名|日時|送信日時|送信者|发件人|收件人|主题|日期|发送时间|抄送|寄件者|收件者|主旨)\s?[:：]\s?\S.*",
    re.IGNORECASE,
)
_SAYS_IT = frozenset("from subject von betreff objet asunto 差出人 件名 送信者 发件人 主题 寄件者 主旨".split())  # noqa: SIM905 - a list of words
_NAME = "mail_heads"
_MIN_LINES = 2


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    names: list[str] = []
    text = page.lines[start].text
    if ":" not in text and "：" not in text:
        return None
    while field := _FIELD.fullmatch(page.text(start + len(names))):
        names.append(field["name"].casefold())
    if len(names) < _MIN_LINES or len(_SAYS_IT.intersection(names)) == 0 or len({*names}) < len(names):
        return None
    page.format_states[_NAME] = True
    page.outline.leave_weak()
    return skip_lines(page, start, start + len(names), CHAT_HEAD)


def holds_mail(page: NoteDocument) -> bool:
    """Return True if the head of an e-mail is above."""
    return _NAME in page.format_states


SHAPE = Shape(_NAME, 22, read)
