"""What the first sentences of a note say about all its papers: "papers I've read", "things I'm hoping to read"."""

import re
from collections.abc import Sequence

from readtrack.ingest.parser.lines import TextLine

_WORKS = r"(?:papers?|articles?|publications?|books?|literature|things)"
_SAID_OF_ALL = {  # `all papers I've read`, `things I'm hoping to read soon`
    "read": re.compile(
        rf"\b{_WORKS}\b[^.!?]{{0,30}}\b(?:I|we)(?:['’]ve| have)(?: already| recently| previously)? read\b|"
        r"読んだ(?:論文|本|文献)を?の?(?:まとめ|メモ|記録|一覧|リスト|載せ)|(?:我|本人)(?:已经)?(?:读过|看过|读完)的?(?:论文|文章|书)",
        re.IGNORECASE,
    ),
    "to_read": re.compile(
        rf"\b{_WORKS}\b[^.!?]{{0,30}}\b(?:I|we)(?:['’]m| am|['’]re| are)? "
        r"(?:want|hope|hoping|plan|planning|intend|intending|going)(?:ed)? to read\b|読みたい(?:論文|本|文献)(?:の|を)|"
        r"(?:我|本人)?(?:想|打算|准备|计划)读的?(?:论文|文章|书)",
        re.IGNORECASE,
    ),
}
_UNSURE = re.compile(r"n['’]t\b|\b(?:not|never|or|some are|should|unread)\b|未读|未読|没有", re.IGNORECASE)
_SENTENCES = re.compile(r"(?<=[.!?])\s|(?<=[。！？])")
_BEGINS_LIST = ("- ", "* ", "+ ", "1.", "1)", "|", ">", "<", "```", "[")
_MAX_INTRODUCTION_LINES, _MAX_FRONT_LINES = 30, 120


def status_of_introduction(lines: Sequence[TextLine]) -> str | None:
    """Return the status that the sentences before the first list or address state, None without one or with several."""
    found: set[str] = set()
    texts = [line.text for line in lines[: _MAX_FRONT_LINES + _MAX_INTRODUCTION_LINES]]
    has_front = texts[:1] in (["---"], ["+++"]) and texts[0] in texts[1:_MAX_FRONT_LINES]
    start = texts.index(texts[0], 1) + 1 if has_front else 0
    for text in texts[start : start + _MAX_INTRODUCTION_LINES]:
        if text.startswith(_BEGINS_LIST) or "://" in text:
            break
        for sentence in _SENTENCES.split(text):
            if not _UNSURE.search(sentence):
                found |= {status for status, said in _SAID_OF_ALL.items() if said.search(sentence)}
    return found.pop() if len(found) == 1 else None
