"""Lines of a diary: "I read that paper" with its title and status, and chores and posts, which name no paper."""

import re
from dataclasses import dataclass
from functools import lru_cache

from readtrack.infra.text.titles.clean import clean_title, names_a_paper
from readtrack.infra.text.titles.prefix_tree import prefix_tree
from readtrack.infra.text.titles.vocabulary import CJK, CJK_LETTERS
from readtrack.ingest.parser.vocabulary.title_affixes import take_head

# Longest first: 読み終えた is read, 読み is nothing.
_VERBS_JA = {
    "read": (
        "読み終え(?:た|ました)|読み終わ(?:った|りました)|読み切った|読了(?:した|しました|済み)?|読んだ|読みました|精読した|"
        "再読(?:した)?|既読"
    ),
    "reading": (
        "読んでい(?:る|ます)|読んでる|読み始め(?:た|ました)|読みはじめ(?:た|ました)|読み進め(?:た|ました|る)|読書中|読みかけ"
    ),
    "to_read": "読みたい|読む予定|読もう|読む|積んだ|未読",
}
_VERBS_ZH = {
    "read": "读完|讀完|看完|读了|讀了|看了|读过|讀過|看过|看過|精读|精讀|重读|重讀|读毕|阅读了",
    "reading": "正在读|正在讀|正在看|在读|在讀|在看|开始读|開始讀|开始看|继续读|读到一半",
    "to_read": "想读|想讀|想看|要读|要讀|要看|准备读|打算读|待读|待讀|计划读",
}
_VERBS_EN = {
    "read": "(?:finished|done|re-?read|read|skimmed)(?: (?:reading|with))?",
    "reading": "(?:started|began|reading|am reading|still reading|halfway through)(?: (?:reading|on))?",
    "to_read": "(?:want to|will|should|need to|plan to|going to) read|to read",
}


def _any_status(verbs: dict[str, str]) -> str:
    return "|".join(f"(?P<{status}>{words})" for status, words in verbs.items())


_QUOTED = (
    r"(?:「(?P<a>[^「」]{2,300})」|『(?P<b>[^『』]{2,300})』|《(?P<c>[^《》]{2,300})》|“(?P<d>[^“”]{2,300})”|"
    r"\"(?P<e>[^\"]{2,300})\")"
)
_LATIN = rf"(?P<f>[A-Z0-9][^{CJK_LETTERS}。、！「」『』《》]{{3,300}}?)"
_TITLE = rf"(?:{_QUOTED}|{_LATIN})(?P<tag>\s?[(（][^()（）]{{2,40}}[)）])?"
_WHEN_JA = r"(?:(?:今日|昨日|今朝|今夜|先週|今週|朝|夜|午前|午後|電車|通勤)[^「『《A-Za-z]{0,10})?"
_KIND_JA = r"(?:(?:の)?(?:論文|論文の|記事|文献)(?:[:：、]?|は|を)?\s?)?"
_JA = re.compile(
    rf"{_WHEN_JA}{_KIND_JA}{_TITLE}\s?(?:という|の)?(?:論文|サーベイ|記事)?\s?(?:を|は|も|まで)?(?:ざっと|途中まで|一通り|やっと|軽く|さらっと|半分)?"
    rf"\s?(?:{_any_status(_VERBS_JA)})(?P<rest>[。、！!,.\s（(].{{0,500}}|)"
)
_WHEN_ZH = r"(?:(?:今天|昨天|今早|今晚|上午|下午|晚上|本周|上周|周末|刚刚|刚|终于|又|已经|我){1,3}[，,]?)?"
_ZH = re.compile(
    rf"{_WHEN_ZH}(?:{_any_status(_VERBS_ZH)})(?:了|过|一下|一遍|一篇|篇)?(?:论文|文章|综述|paper)?\s?[:：]?\s?{_TITLE}"
    rf"(?:这篇)?(?:的?论文|的?文章|一文|综述)?(?P<rest>(?:[。，！；]|\s?[{CJK_LETTERS}]).{{0,500}}|[.!]?)",
)
_EN = re.compile(
    r"(?:(?i:today|yesterday|finally|just|also)[,:]?\s)?(?:I(?:'ve| have| am)?\s)?"
    rf"(?i:{_any_status(_VERBS_EN)})[:：]?\s(?:the (?:paper )?)?(?:{_QUOTED}|{_LATIN})"
    r"(?P<tag>\s?[(（][^()（）]{2,40}[)）])?(?P<rest>[.;!]\s.{0,500}|[.!]?)"
)
_ONLY_PARTLY = re.compile(r"途中まで|半分|読みかけ|一半")
_VERB = re.compile(f"[読讀读积積看既]|{prefix_tree('read|finish|start|skim|done|began|halfway', any_case=True)}")
_MIN_LATIN_WORDS, _SURE_WORDS, _MIN_CJK_LETTERS = 2, 3, 6
_WORD = re.compile(r"[A-Za-z][\w'’-]*")
_CHORE = re.compile(
    r"(?i:todo\s?[:：]?\s)?(?i:reply|respond|answer|e-?mail|mail|call|phone|ping|buy|get|book|pay|order|clean|cook|pick|"
    r"submit|register|schedule|meet|attend|plan|review|merge|deploy|upgrade|install|configure|set|migrate|refactor|rerun|"
    r"run|debug|remind|organi[sz]e|draft|upload|download|print|sign|renew|cancel|apply|follow|talk|go|make|create|move|"
    r"rename|remove|delete|finish|wash|water|bring|return|fill|open|close|restart|test|try)\s(?=[a-z])|"
    r"(?i:discussed|talked|met|went|had|worked|fixed|wrote|debugged|spent|helped|attended|presented|submitted|merged|"
    r"deployed|tried|ran|watched|played|ate|slept|walked|visited|called|e-?mailed|bought|cleaned|cooked|got|gave|took|"
    r"continued|prepared|refactored|replied)\s|"
    r"(?i:meeting|lunch|dinner|breakfast|coffee|standup|stand-up|1:1|one-on-one|call|chat)\s(?i:with|at|about|in|on)\s"
)
_ERRAND = re.compile(
    r"(?:todo\s?[:：]?\s)?(?:(?:renew|pay|buy|refactor|reply|e-?mail|submit|install|deploy|upgrade|migrate|remind|upload|"
    r"download)\s|(?:clean|pick|set|follow|look|sign|back|wrap|catch)\sup\s)",
    re.IGNORECASE,
)
_VERB_FIRST = re.compile(
    rf"(?:(?i:today|finally|just)[,:]?\s)?(?:I(?:'ve| have| am)?\s)?(?:(?i:{_any_status(_VERBS_EN)})\s(?=[\"“])|"
    rf"(?:{_any_status({f'{status}_zh': verbs for status, verbs in _VERBS_ZH.items()})})了?\s?(?=《))"
)
_POST = re.compile(
    r"(?<!\S)[@#][^\W\d_]\w+|\bRT\b|\b(?:I|I['’]m|I['’]ve|I['’]d|my|lol|btw|tbh|imo|imho|omg|wow)\b|!(?:\s|$)|🧵|😀|😂|😅"
)


@dataclass(frozen=True, slots=True)
class DiaryReading:
    """What a line says about reading a paper.

    `remark`: the rest of the line. `is_sure`: the title cannot be a topic.
    """

    title: str
    status: str
    remark: str = ""
    is_sure: bool = False


@lru_cache(maxsize=128)
def find_reading(text: str) -> DiaryReading | None:
    """Return the paper of a line such as `「Title」を読んだ` or `读完 Title`, None if it says nothing of the kind."""
    if len(text) < _MIN_CJK_LETTERS or _VERB.search(text) is None:
        return None
    patterns = (_JA, _ZH) if CJK.search(text) else (_EN,)
    match = next((match for pattern in patterns if (match := pattern.fullmatch(text.strip()))), None)
    if match is None:
        return None
    quoted = next((match[name] for name in "abcde" if match[name]), "")
    title = (quoted or match["f"]).strip()
    is_english = not CJK.search(text)
    if not _is_title(title, is_quoted=bool(quoted), is_english=is_english):
        return None
    status = next(status for status in _VERBS_JA if match[status])
    if status == "read" and _ONLY_PARTLY.search(text[: match.start("rest")].replace(title, "")):
        status = "reading"
    words = len(_WORD.findall(title))
    return DiaryReading(
        f"{title}{match['tag'] or ''}", status, match["rest"].strip(" 。、，,.！!"), is_sure=words >= _SURE_WORDS
    )


def _is_title(title: str, *, is_quoted: bool, is_english: bool) -> bool:
    """Return True if the words can be a title. Without quotation marks they must be capitalized in English text."""
    plain = clean_title(take_head(title).title)
    if is_english:
        return names_a_paper(plain) or (is_quoted and len(_WORD.findall(plain)) >= _SURE_WORDS)
    if CJK.search(plain):
        return is_quoted and len(CJK.findall(plain)) >= _MIN_CJK_LETTERS
    return len(_WORD.findall(plain)) >= _MIN_LATIN_WORDS


def is_chore(text: str) -> bool:
    """Return True for a task or a report that is not about reading: `reply to Bob`, `Meeting with the team`."""
    return _CHORE.match(text) is not None


def is_errand(text: str) -> bool:
    """Return True for a chore whose first word is no noun, so that it cannot be a topic: `renew passport`."""
    return _ERRAND.match(text) is not None


def take_reading(text: str) -> tuple[str, str | None]:
    """Split a verb of reading from a quoted title that other words or an address follow, and return its status."""
    if _VERB.search(text) is None:
        return text, None
    match = _VERB_FIRST.match(text)
    status = next((status for status in _VERBS_EN if match and (match[status] or match[f"{status}_zh"])), None)
    return (text[match.end() :], status) if match else (text, None)


def is_post(text: str) -> bool:
    """Return True for talk in the first person, with hashtags or mentions, as on social networks."""
    return _POST.search(text) is not None
