"""Words that are no title: a question, a task, or a phrase that names a subject to study."""

import re

from readtrack.infra.text.titles.clean import names_a_paper
from readtrack.infra.text.titles.vocabulary import CJK, LETTER
from readtrack.ingest.parser.headings.outline import no_topic_reason
from readtrack.ingest.parser.items.diary import is_errand

_CLOSERS = " )）]】」』\"'”’*_。．."
_ASKS = re.compile(
    r"(?:[?？]|とは|って何|ってなに|でしょうか|だろうか|ですか|ますか|ませんか|できるか|べきか|[るいたうの]のか|なのか|かな|かどうか|吗|嗎|呢|是什么|是什麼|为什么|怎么办)$"
)
_ASKS_FIRST = re.compile(
    r"^(?:为什么|為什麼|怎么|怎麼|怎样|如何|什么是|什麼是|何为|なぜ|どうして|どうやって|どうすれば|どのように)"
)
TALK = re.compile(
    r"(?:we|i|it|this|that|these|they|there|here|in|at|as|also|but|and|or|so|see|our|my|accepted|published|presented)\b",
    re.IGNORECASE,
)
_DATED = re.compile(
    r"今日|明日|昨日|今週|来週|先週|今天|明天|昨天|本周|下周|上周|(?:19|20)\d\d\s?年|\d{1,2}\s?月|(?:19|20)\d\d[-/.]\d{1,2}"
)
_PROSE = re.compile(r"[。！!;；]|．$|[.,]\s+[a-z]+\s+[a-z]+\s|(?:ます|です|でした|ました|ください)$")
_TO_DO = re.compile(
    r"^(?:todo|fixme|read|check|look|try|prepare|update|add|send|share|discuss|fix|ask|write|learn|study|find|implement|compare|investigate|understand|remember|see|watch|finish|"
    r"讀|試|学习|學習|了解|整理|调研|复习|研究一下)(?![\w-])|"
    r"^(?:看|读|试|补)",
    re.IGNORECASE,
)
_FILLER = re.compile(r"(?<!\s)\s*(?:の話|のはなし|あたり|周り|まわり|について|に関して|など|等|とか|相关|相關|关于)$")
_HIRAGANA = "\u3041-\u3096"
_NOUN_IN_KANA = re.compile(
    r"(?:違い|ちがい|まとめ|つながり|しくみ|仕組み|使い方|書き方|考え方|流れ|こと|もの|やり方|扱い|"
    r"振る舞い|読み|入り|取り|繰り返し|まとまり|あたり)$"
)
_CLAUSE = re.compile(  # a particle between words not in hiragana, a predicate, a reference to the paper at hand
    rf"[^\s{_HIRAGANA}](?:[はがをもにでへ]|から|まで|より|って)[^\s{_HIRAGANA}]|"
    r"(?:必要|不要|重要|可能|困難|未定|不明|微妙|予定|検討中|作業中|進行中|対応中|準備中|完了|参照|要確認|済)$|"
    r"^(?:本論文|本研究|著者|筆者|この|その|これ|それ|今日|昨日|明日|今週|来週|先週|本文|作者|这[篇个是]|该文|很|非常|值得|应该|需要|待补)"
)
_ENDS_IN_HIRAGANA = re.compile(f"[{_HIRAGANA}]$")
_IN_BRACKETS = re.compile(r"[(（][^()（）]*[)）]")
_LISTED = re.compile("[、,，;；]")
_LATIN_WORD = re.compile(r"[A-Za-z0-9][\w'’+.-]*")
_VERBS = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|do|does|did|can|could|should|would|will|must|need|needs|let|we|i|you|they|it)\b",
    re.IGNORECASE,
)
_MAX_CHARS, _MAX_WORDS = 40, 5
_MAX_HEADING_CHARS, _MAX_HEADING_WORDS = 90, 12


def is_question(text: str) -> bool:
    """Return True for questions in English, Japanese or Chinese, with or without a question mark."""
    stripped = text.strip(_CLOSERS)
    if not LETTER.search(stripped):
        return False
    return _ASKS.search(stripped[-40:]) is not None or _ASKS_FIRST.match(stripped) is not None


def is_task(text: str) -> bool:
    """Return True for a task, such as "read …" or "check …"."""
    return _TO_DO.match(text) is not None


def subject(text: str) -> str:
    """Return the topic of a short noun phrase ("SRD の話" -> "SRD"), "" for a sentence, task or date."""
    phrase = text.strip(" *_`:：・").removesuffix("¶").strip()
    if (
        _IN_BRACKETS.fullmatch(phrase)
        or not LETTER.search(phrase)
        or len(phrase) > _MAX_CHARS
        or len(_LISTED.findall(phrase)) > 1
        or "，" in phrase
    ):
        return ""
    if _is_statement(phrase) or is_errand(phrase) or phrase.endswith((".", "…", ":", "：", ",")):
        return ""
    name = _FILLER.sub("", phrase).strip()
    if len(_LATIN_WORD.findall(name)) > _MAX_WORDS or not name or _is_clause(name) or no_topic_reason(name):
        return ""
    return name


def heading_subject(text: str) -> str:
    """Return the topic of a longer noun phrase above a list of links, "" for a sentence, task, question or title."""
    phrase = text.strip(" *_`:：・")
    if not LETTER.search(phrase) or len(phrase) > _MAX_HEADING_CHARS or len(phrase.split()) > _MAX_HEADING_WORDS:
        return ""
    is_sentence = _is_statement(phrase) or is_question(phrase) or TALK.match(phrase) or _is_clause(phrase)
    if is_sentence or phrase.endswith((".", "…", "。", "．", "!", "！")) or names_a_paper(phrase):
        return ""
    return phrase


def _is_statement(phrase: str) -> bool:
    """Return True for a task, and for words with a date, a verb or the punctuation of a sentence."""
    return is_task(phrase) or any(pattern.search(phrase) for pattern in (_DATED, _PROSE, _VERBS))


def _is_clause(name: str) -> bool:
    """Return True for a CJK clause: a long phrase, one with a particle between its words, or one ending in hiragana.

    A phrase that ends in hiragana ends in a verb or adjective, except for some nouns.
    """
    if _CLAUSE.search(name):
        return True
    if _ENDS_IN_HIRAGANA.search(name):
        return _NOUN_IN_KANA.search(name) is None
    return len(name) > 24 and len(CJK.findall(name)) > 20
