"""Kinds of lines without an address: a question, a topic to study, or a remark."""

import re

from readtrack.infra.text.titles.cjk import CJK

_CLOSERS = " )）]】」』\"'”’*_。."
_ASKS = re.compile(
    r"(?:[?？]|とは|って何|ってなに|でしょうか|だろうか|ですか|ますか|ませんか|できるか|べきか|[るいたうの]のか|なのか|かな|かどうか|吗|嗎|呢|是什么|是什麼|为什么|怎么办)$"
)
_ASKS_FIRST = re.compile(
    r"^(?:为什么|為什麼|怎么|怎麼|怎样|如何|什么是|什麼是|何为|なぜ|どうして|どうやって|どうすれば|どのように)"
)
_DATED = re.compile(r"(?:19|20)\d\d\s?年|\d{1,2}\s?月|(?:19|20)\d\d[-/.]\d{1,2}")
_PROSE = re.compile(r"[。！!;；]|[.,]\s+[a-z]+\s+[a-z]+\s|(?:ます|です|でした|ました|ください)$")
_TO_DO = re.compile(
    r"^(?:todo|fixme|read|check|look|try|prepare|update|add|send|share|discuss|fix|ask|write|learn|study|find|implement|compare|investigate|understand|remember|see|watch|finish|"
    r"看|读|讀|试|試|学习|學習|了解|整理|调研|复习|研究一下|补)\b|"
    r"^(?:看|读|试|补)",
    re.IGNORECASE,
)
_FILLER = re.compile(r"(?<!\s)\s*(?:の話|のはなし|あたり|周り|まわり|について|に関して|など|等|とか|相关|相關|关于)$")
_NOUN_IN_KANA = re.compile(
    r"(?:違い|ちがい|まとめ|つながり|しくみ|仕組み|使い方|書き方|考え方|流れ|こと|もの|やり方|扱い|"
    r"振る舞い|読み|入り|取り|繰り返し|まとまり|あたり)$"
)
_ENDS_IN_HIRAGANA = re.compile("[\u3041-\u3096]$")
_LISTED = re.compile("[、,，;；]")
_LETTER = re.compile(r"[^\W\d_]")
_WORD = re.compile(r"[A-Za-z0-9][\w'’+.-]*")
_VERBS = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|do|does|did|can|could|should|would|will|must|need|needs|let|we|i|you|they|it)\b",
    re.IGNORECASE,
)
_MOST_LETTERS, _MOST_WORDS = 40, 5


def is_question(text: str) -> bool:
    """Return True for questions in English, Japanese or Chinese, with or without a question mark."""
    stripped = text.strip(_CLOSERS)
    if not _LETTER.search(stripped):
        return False
    return _ASKS.search(stripped[-40:]) is not None or _ASKS_FIRST.match(stripped) is not None


def is_task(text: str) -> bool:
    """Return True for a task, such as "read …" or "check …"."""
    return _TO_DO.match(text) is not None


def subject(text: str) -> str:
    """Return the topic of a short noun phrase ("SRD の話" -> "SRD"), "" for a sentence, task or date."""
    phrase = text.strip(" *_`:：・").removesuffix("¶").strip()
    if not _LETTER.search(phrase) or len(phrase) > _MOST_LETTERS or len(_LISTED.findall(phrase)) > 1:
        return ""
    if (
        is_task(phrase)
        or any(pattern.search(phrase) for pattern in (_DATED, _PROSE, _VERBS))
        or phrase.endswith((".", "…", ":", "："))
    ):
        return ""
    name = _FILLER.sub("", phrase).strip()
    if len(_WORD.findall(name)) > _MOST_WORDS or not name or _is_clause(name):
        return ""
    return name


def _is_clause(name: str) -> bool:
    """Return True for a CJK clause: a long phrase, or one ending in hiragana.

    A phrase that ends in hiragana ends in a verb or adjective, except for some nouns.
    """
    if _ENDS_IN_HIRAGANA.search(name):
        return _NOUN_IN_KANA.search(name) is None
    return len(name) > 24 and len(CJK.findall(name)) > 20
