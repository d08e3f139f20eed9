"""Lines of a diary: "I read that paper" with its title and status, and chores and posts, which name no paper."""

import re
from dataclasses import dataclass
from functools import lru_cache

from readtrack.infra.text.titles.clean import clean_title, names_a_paper
from readtrack.infra.text.titles.marks import may_hold_status, status_of, take_number
from readtrack.infra.text.titles.prefix_tree import prefix_tree
from readtrack.infra.text.titles.vocabulary import CJK, CJK_LETTERS, LETTER
from readtrack.ingest.parser.vocabulary.title_affixes import take_head

# Longest first: 読み終えた is read, 読み is nothing.
_VERBS_JA = {
    "read": (
        "読み終え(?:た|ました)|読み終わ(?:った|りました)|読み切った|読了(?:した|しました|済み)?|読んだ|読みました|精読した|"
        "読み直し(?:た|ました)|読破(?:した|しました)?|目を通し(?:た|ました)|再読(?:した)?|一読(?:した)?|既読"
    ),
    "reading": (
        "読んでい(?:る|ます)|読んでる|読み(?:始|はじ|進)め(?:た|ました|ます|る)|読書中|読み中|読みかけ|"
        r"(?<=[(（])[1-9]/[1-9]\d?(?:くらい|ぐらい|ほど|まで)?"
    ),
    "to_read": "読みたい|読む予定|読みます|読もう|読んでお(?:いて|く|き)|読みましょう|読む|積んだ|積ん読|積読|未読",
    "dropped": "挫折(?:した|しました)?|力尽きた|断念(?:した|しました)?|諦めた|放棄(?:した|しました)?",
}
_VERBS_ZH = {
    "read": "读完|讀完|看完|读了|讀了|看了|读过|讀過|看过|看過|精读|精讀|重读|重讀|读毕|阅读了",
    "reading": "正在读|正在讀|正在看|在读|在讀|在看|开始读|開始讀|开始看|继续读|读到一半",
    "to_read": "想读|想讀|想看|要读|要讀|要看|准备读|打算读|待读|待讀|计划读",
    "dropped": "放弃|放棄|弃读|棄讀",
}
_VERBS_LAST_ZH = {  # after the title, where more of them are plain
    "reading": r"(?:读|讀|看)了?一半|(?:读|讀|看)到[^，。；,.;()（）]{1,10}|在读|在讀|在看",
    "read": "已?(?:读|讀|看)完|已读|已讀|读过|讀過|看过|看過|(?<!值得)(?<!推荐)精读|读毕",
    "to_read": "未读|未讀|待读|待讀|还没读|没读|还没看|(?:还没|没)来得及[读看]|积读|想读|要读",
    "dropped": "放弃|放棄|弃读|棄讀|弃",
}
_VERBS_EN = {
    "to_read": (
        "(?:want to|will|should|need to|plan to|going to)(?: also)? read|to read|"
        "(?:in|on) (?:my|the) (?:to-read )?(?:queue|list|pile)|finish reading|skim|à lire|lire|zu lesen|lesen|"
        "por leer|leer"
    ),
    "read": (
        r"(?:finished|done|re-?read(?!\s?:)|(?<!re-)read|skimmed)(?: (?:reading|with))?|glanced over|"
        "first[- ]pass read|j'ai lu|lu|relu|gelesen|leído"
    ),
    "reading": "(?:started|began|reading|am reading|still reading|half ?way through|half through)(?: (?:reading|on))?",
    "dropped": "(?:gave up|giving up|dropped)(?: (?:on|reading))?",
}


def _any_status(verbs: dict[str, str]) -> str:
    return "|".join(f"(?P<{status}>{words})" for status, words in verbs.items())


_QUOTED = (
    r"(?:「(?P<corner>[^「」]{2,300})」|『(?P<double_corner>[^『』]{2,300})』|《(?P<angle>[^《》]{2,300})》|“(?P<curly>[^“”]{2,300})”|"
    r"\"(?P<straight>[^\"]{2,300})\"|«\s?(?P<guillemets>[^«»]{2,300}?)\s?»|`(?P<backtick>[^`']{8,300})')"
)
_QUOTES = ("corner", "double_corner", "angle", "curly", "straight", "guillemets", "backtick")
_LATIN = rf"(?P<unquoted>[A-Z0-9][^{CJK_LETTERS}。、！「」『』《》]{{3,300}}?)"
_TITLE = rf"(?:{_QUOTED}|{_LATIN})(?P<tag>\s?[(（][^()（）]{{2,40}}[)）])?"
_WHEN_JA = r"(?:(?:今日|昨日|今朝|今夜|先週|今週|朝|夜|午前|午後|電車|通勤)[^「『《A-Za-z]{0,10})?"
_LABEL_JA = r"(?:[^\sA-Za-z0-9「『《“\"。、]{1,10}(?:[:：]|は|で|に)\s?)?"  # 夜：, 午後は, 電車で
_KIND_JA = r"(?:(?:の)?(?:論文|論文の|記事|文献)(?:[:：、]?|は|を)?\s?)?"
_VENUE_JA = r"(?:(?P<venue>[A-Z][A-Za-z&]{1,11}\s?['’]?\s?\d{2,4})\s?の\s?)?"
_HOW_JA = (  # after a particle, a few words may say how or when: を半分まで読む, は明日読む
    r"(?:(?:を|は|も|に|まで)(?:[^\sA-Za-z。、「」『』]{1,12}?)?|→)?"
    r"(?:ざっと|途中まで|一通り|やっと|軽く|さらっと|半分)?"
)
_JA = re.compile(
    rf"(?:{_WHEN_JA}|{_LABEL_JA}){_KIND_JA}{_VENUE_JA}{_TITLE}\s?(?:という|の)?(?:論文|サーベイ|記事)?\s?{_HOW_JA}"
    rf"\s?[(（]?(?:{_any_status(_VERBS_JA)})[)）]?(?P<rest>[。、！!,.\s（(].{{0,500}}|)"
)
_WHEN_ZH = r"(?:(?:今天|昨天|今早|今晚|上午|下午|晚上|本周|上周|周末|刚刚|刚|终于|又|已经|我){1,3}[，,]?)?"
_ZH = re.compile(
    rf"{_WHEN_ZH}(?:{_any_status(_VERBS_ZH)})(?:了|过|一下|一遍|一篇|篇)?(?:论文|文章|综述|paper)?\s?[:：]?\s?{_TITLE}"
    rf"(?:这篇)?(?:的?论文|的?文章|一文|综述)?(?P<rest>(?:[。，！；]|\s?[{CJK_LETTERS}]).{{0,500}}|[.!]?)",
)
_ZH_LAST = re.compile(
    rf"{_WHEN_ZH}(?:把|将)?\s?{_TITLE}\s?(?:[—–-]{{1,2}}|[，→])?\s?(?:这篇)?(?:的?论文)?\s?[(（【]?(?:已经|终于|基本|才)?"
    rf"(?:{_any_status(_VERBS_LAST_ZH)})了?[)）】]?(?P<rest>[。，！；,.\s].{{0,500}}|)"
)
_ZH_LABEL = re.compile(
    rf"(?:读|讀|看|阅读|精读)(?:论文|論文|文章|paper)?\s?[:：]\s?{_TITLE}(?P<rest>[。，！；].{{0,500}}|)"
)
_EN = re.compile(
    r"(?:(?i:today|yesterday|finally|just|also)[,:]?\s)?(?:I(?:'ve| have| am)?\s)?"
    rf"(?i:{_any_status(_VERBS_EN)})\s?[:：]?\s(?:the (?:paper )?)?(?:{_QUOTED}|{_LATIN})"
    r"(?P<tag>\s?[(（][^()（）]{2,40}[)）])?(?P<rest>(?:[.;!]\s|(?<=[\"”»'])[\s,]).{0,500}|[.!]?)"
)
# What a sentence says about the titles before or after its verb.
_SAID_AFTER = re.compile(
    rf"(?:{_any_status(_VERBS_JA)})|"
    rf"(?:{_any_status({f'{status}_zh': words for status, words in _VERBS_LAST_ZH.items()})})|"
    r"(?P<unsure>読まず|読めず|読んでいない|没看|没读)"
)
_READ_SOON_ZH = r"(?P<later>打算|准备|計画|计划|想|要|还没|下周|明天)[^，。；\s]{0,6}?[读讀看]"
# Without 了, only at the beginning of a clause or behind a time: 今天看《…》, not 建议看, 必读.
_BARE_ZH = r"(?<![^\s，。；：:、天午晚早上周我已])[读看]"
_READ_ZH = _any_status({**_VERBS_ZH, "read": f"{_VERBS_ZH['read']}|{_BARE_ZH}"})
_READ_JA = _any_status({f"{status}_ja": words for status, words in _VERBS_JA.items()})
_READ_EN = _any_status({f"{status}_en": f"(?i:{words})" for status, words in _VERBS_EN.items()})
_SAID_BEFORE = re.compile(
    rf"(?:{_READ_SOON_ZH}|(?:{_READ_ZH})|(?:{_READ_JA})(?=\s?[→:：])|"
    rf"(?P<later_ja>積んでいる|積んである|積ん読|これから読む|読みたい)|\b(?:{_READ_EN}))"
    r"(?:了|过|一下|一遍|一篇|篇)?(?:的?论文|文章|综述|もの|本)?(?:\s(?:the|through|this|paper|on|a|an)){0,3}"
    r"[\s:：→《「『“\"*_]{0,3}$"
)
_OF_OTHERS = re.compile(  # `did anyone read`, `nobody has read`, `do read`
    r"\b(?:anyone|anybody|everyone|everybody|nobody|no one|people|you|they|he|she|do|did|don['’]t|didn['’]t|not|"
    r"never|has|must|please|can|could|who|others?)\s(?:\w+\s)?$",
    re.IGNORECASE,
)
_ONLY_PARTLY = re.compile(r"途中まで|半分|読みかけ|一半")
_IN_BRACKETS = re.compile(r"[(（][^()（）]{4,40}[)）]")
_LATER = re.compile("明日|来週|今度|あとで|後で")
_VERB_CJK = re.compile("[読讀读積积看既弃棄折]|断念|諦め|力尽き|目を通|[(（][1-9]/")
_VERB_LATIN = re.compile(
    f"{prefix_tree('read|finish|start|skim|glance|done|began|halfway|lire|lesen|leer|leído|gave up', any_case=True)}|"
    r"dropped|\b(?:[Ll]u|relu|[Gg]elesen)\b"
)
_PIECES = re.compile(rf"[\s]*[,，、。;；()（）\[\]\n—→\x00]+[\s]*|\s-\s|(?<=[{CJK_LETTERS}])\s(?=[{CJK_LETTERS}])")
_SURE_SIGNS = "✅✔☑✓☐⬜"
_MAX_PIECES, _NEAR = 4, 40
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
_VERB_BEFORE_LINK = re.compile(  # "Read [Title](address)" may be a task
    r"(?:(?i:today|finally|just)[,:]?\s)?(?:I(?:'ve| have)?\s(?i:just\s|finally\s)?"
    r"(?P<by_me>read)(?!.*\b(?:tomorrow|every|each|daily|weekly)\b)|"
    r"(?i:(?P<read>finished(?: reading)?|skimmed(?: through)?|glanced (?:over|through|at)|first[- ]pass read)|"
    r"(?P<reading>started reading|began reading)|(?P<dropped>gave up(?: on)?)))\s?(?=\[)"
)
_ANSWERS = frozenset({"no", "yes", "n", "y", "x"})  # a status only in a column; elsewhere `11, no. 3`
_POST = re.compile(
    r"(?<!\S)[@#][^\W\d_]\w+|\bRT\b|\b(?:I|I['’]m|I['’]ve|I['’]d|my|lol|btw|tbh|imo|imho|omg|wow)\b|!(?:\s|$)|🧵|😀|😂|😅"
)


def find_status(before: str, after: str) -> str | None:
    """Return the status that the words before or after a title in a sentence state."""
    return _find_status_behind(after) or _find_status_before(before[-_NEAR:])


def may_state_status(before: str, after: str) -> bool:
    """Return False if the words before and after a title state no status wherever they are cut. A cheap prefilter."""
    return may_hold_status(after) or (bool(before) and _find_status_before(before[-_NEAR:]) is not None)


def _find_status_behind(after: str) -> str | None:
    for piece in _PIECES.split(after, maxsplit=_MAX_PIECES)[:_MAX_PIECES]:
        if piece.strip().casefold() in _ANSWERS:
            continue
        if (status := status_of(piece)) and (LETTER.search(piece) or piece.strip()[:1] in _SURE_SIGNS):
            return status
    said = _SAID_AFTER.search(after, 0, _NEAR) if not after.isascii() else None
    if said and not said["unsure"]:
        status = next(status for status in _VERBS_JA if said[status] or said.groupdict().get(f"{status}_zh"))
        is_partly = status in {"read", "to_read"} and _ONLY_PARTLY.search(after, 0, said.end()) is not None
        return "reading" if is_partly and not _LATER.search(after, 0, said.end()) else status
    if not said and _ONLY_PARTLY.search(after, 0, _NEAR) and not after.isascii():
        return "reading"
    return None


def _find_status_before(words: str) -> str | None:
    said = _SAID_BEFORE.search(words)
    if said is None or (said["read_en"] and _OF_OTHERS.search(words, 0, said.start())):
        return None
    if said["later"] or said["later_ja"]:
        return "to_read"
    return next((status for status in _VERBS_JA if any(said[f"{status}{end}"] for end in ("", "_en", "_ja"))), None)


@dataclass(frozen=True, slots=True)
class DiaryReading:
    """What a line says about reading a paper.

    `remark`: the rest of the line. `is_sure`: the title cannot be a topic.
    """

    title: str
    status: str | None
    remark: str = ""
    is_sure: bool = False


@lru_cache(maxsize=128)
def find_reading(text: str) -> DiaryReading | None:
    """Return the paper of a line such as `「Title」を読んだ` or `读完 Title`, None if it says nothing of the kind."""
    if len(text) < _MIN_CJK_LETTERS:
        return None
    is_english = not CJK.search(text)
    if not is_english and not _VERB_CJK.search(text):
        return None
    words_only = take_number(text.strip())
    patterns = (_EN,) if is_english else (_JA, _ZH, _ZH_LAST, _ZH_LABEL)
    match = next((match for pattern in patterns if (match := pattern.fullmatch(words_only))), None)
    if match is None or (is_english and not _VERB_LATIN.search(text)):
        return None
    quoted = next((match[mark] for mark in _QUOTES if match[mark]), "")
    title = (quoted or match["unquoted"]).strip()
    if match["backtick"] and not names_a_paper(title):  # `a command' as well
        return None
    if not _is_title(title, is_quoted=bool(quoted), is_english=is_english):
        return None
    groups = match.groupdict()
    status = next((status for status in _VERBS_JA if groups.get(status)), None)
    how = words_only[: match.start("rest")].replace(title, "")
    if status in {"read", "to_read"} and _ONLY_PARTLY.search(how) and not _LATER.search(how):
        status = "reading"
    words = len(_WORD.findall(title))
    tag = match["tag"] or (f" ({groups['venue']})" if groups.get("venue") else "")
    remark = match["rest"].strip(" 。、，,.！!")
    if not tag and _IN_BRACKETS.fullmatch(remark):  # Title を読んだ（OSDI 2020）
        tag, remark = f" {remark}", ""
    return DiaryReading(f"{title}{tag}", status, remark, is_sure=words >= _SURE_WORDS)


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
    if before_link := _VERB_BEFORE_LINK.match(text):
        return text[before_link.end() :], "read" if before_link["by_me"] else before_link.lastgroup
    match = _VERB_FIRST.match(text)
    status = next((status for status in _VERBS_EN if match and (match[status] or match[f"{status}_zh"])), None)
    return (text[match.end() :], status) if match else (text, None)


def is_post(text: str) -> bool:
    """Return True for talk in the first person, with hashtags or mentions, as on social networks."""
    return _POST.search(text) is not None
