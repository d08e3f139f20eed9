"""What the first sentences of a note say about all its papers: "papers I've read", "things I'm hoping to read"."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, takewhile

from readtrack.infra.text.titles.marks import status_of
from readtrack.ingest.parser.lines import TextLine

_WORKS = r"(?:papers?|articles?|publications?|books?|literature|things)"
_REST = (  # when and about what: nothing that takes some of them out
    r"(?:,? (?:so far|recently|lately|soon|this year|over the (?:past|last)|during|since|in \d{4}|in the (?:past|next)|"
    r"on|about|for|that pertain|which pertain|and (?:my|some|short) (?:notes|summaries))\b[^.!?:]{0,80})?"
    r"(?: \(hopefully [^()]{0,100}\))?[.!:]?"
)
_WATCHED = r"(?: and [^,.:;!?]{2,40} (?:I|we)(?:['’]ve| have) (?:watched|seen|heard|attended))?"
_SAID_OF_ALL = {  # `all papers I've read`, `things I'm hoping to read soon`
    "read": re.compile(
        rf".{{0,60}}\b{_WORKS}(?: and {_WORKS})?,?(?: that| which)?"
        rf" (?:I|we)(?:['’]ve| have)(?: already| recently| previously)? read{_WATCHED}{_REST}|"
        rf"(?:this|the|here|below)\b[^,:;]{{0,30}}\b(?:records?|lists?|contains?|logs?)\b.{{0,12}}\b{_WORKS},?"
        rf"(?: that| which)? (?:I|we) read{_REST}|"
        r"(?!.{0,100}(?:予定|これから|今後|先輩|さん))[^。]{0,60}(?<!が)読んだ(?:論文|本|文献)(?:を|の)(?:まとめ|メモ|記録|一覧|リスト|載せ)"
        r"(?:て(?:おく|おきます|いく|いる|います)|です|である|る|ます|たもの)?[。．.]?|"
        r".{0,10}(?:我|本人)(?:已经)?(?:读过|看过|读完)的?(?:论文|文章|书)(?:，(?!.*[未没待除另要需想及荐和还在有])[^，。]{1,20})?[。．.]?",
        re.IGNORECASE,
    ),
    "to_read": re.compile(
        rf".{{0,60}}\b{_WORKS},?(?: that| which)? (?:I|we)(?:['’]m| am|['’]re| are)?"
        rf" (?:want|hope|hoping|plan|planning|intend|intending|going) to read{_REST}|"
        r".{0,20}読みたい(?:論文|本|文献)の?(?:まとめ|メモ|一覧|リスト)(?:の(?:まとめ|メモ))?(?:です|である)?[。．.]?|"
        r".{0,10}(?:我|本人)?(?:想|打算|准备|计划)读的?(?:论文|文章|书)[。．.]?",
        re.IGNORECASE,
    ),
}
_UNSURE = re.compile(
    r"n['’]t\b|\b(?:not|never|or|none|first|second|rest|only|most|some are|should|unread|thanks?|if)\b|"
    r"\b(?:few|last)\b(?! (?:few |two |three )?(?:days|weeks|months|years?))|未读|未読|没有",
    re.IGNORECASE,
)
_MARKED = re.compile(r"\[[ xX]\]|[✅☑✔✓⬜☐❌]|~~\S")  # states the status of one paper
_OTHER_STATUS = re.compile(
    r"#{1,6}\s(?P<name>.*(?:\bto[ -]read\b|\bunread\b|\bread next\b|未读|未読|待读|想读|読みたい|これから).*)",
    re.IGNORECASE,
)
_SENTENCES = re.compile(r"(?<=[.!?])\s|(?<=[。．！？])")
_BEGINS_LIST = ("- ", "* ", "+ ", "1.", "1)", "|", ">", "<", "```", "[")
_MAX_INTRODUCTION_LINES, _MAX_FRONT_LINES, _MAX_LINES = 30, 120, 2000


def status_of_introduction(lines: Sequence[TextLine]) -> str | None:
    """Return the status that the sentences before the first list or address state for all papers.

    None without one, with several, and where marks or headings state one for some.
    """
    texts = [line.text for line in lines[:_MAX_LINES]]
    has_front = texts[:1] in (["---"], ["+++"]) and texts[0] in texts[1:_MAX_FRONT_LINES]
    start = texts.index(texts[0], 1) + 1 if has_front else 0
    introduction = takewhile(
        lambda text: not text.startswith(_BEGINS_LIST) and "://" not in text,
        texts[start : start + _MAX_INTRODUCTION_LINES],
    )
    found: set[str] = set()
    for sentence in _sentences(introduction):
        found |= {status for status, said in _SAID_OF_ALL.items() if said.fullmatch(sentence)}
    if len(found) != 1 or any(_MARKED.search(text) or _states_otherwise(text) for text in texts):
        return None
    return found.pop()


def _sentences(lines: Iterable[str]) -> Iterator[str]:
    """Yield the sentences of paragraphs that are sure, which may go on in the next line, and those of each line."""
    for is_blank, group in groupby(lines, key=lambda text: not text):
        paragraph = [] if is_blank else list(group)
        for text in (" ".join(paragraph), *(paragraph if not _UNSURE.search(" ".join(paragraph)) else [])):
            yield from (sentence for part in _SENTENCES.split(text) if not _UNSURE.search(sentence := part.strip()))


def _states_otherwise(text: str) -> bool:
    """Return True for a heading such as `To read next`, whose status is not known for what is below."""
    heading = _OTHER_STATUS.match(text)
    return heading is not None and status_of(heading["name"].strip()) is None
