"""Runs of lines that are all titles, such as a reading list typed without addresses.

One line in sentence case may be a title, a remark or a task. A run of lines of the same form tells which: titles are
long, begin with a capital, end no sentence, ask nobody to do anything and use the words of a field.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean

from readtrack.infra.text.titles.clean import is_broken_off, names_a_paper
from readtrack.infra.text.titles.dates import iso_day, take_date
from readtrack.infra.text.titles.marks import take_marks
from readtrack.infra.text.titles.prefix_tree import prefix_tree
from readtrack.infra.text.titles.vocabulary import CJK, CJK_LETTERS, SMALL, words_of
from readtrack.ingest.parser.headings.vocabulary import PARTS_OF_NOTES
from readtrack.ingest.parser.items.diary import is_chore, is_post
from readtrack.ingest.parser.items.subjects import is_question, is_task
from readtrack.ingest.parser.vocabulary.author_names import surnames_in
from readtrack.ingest.parser.vocabulary.venues import take_tag

_MIN_LINES, _MIN_NAMED_LINES = 3, 2
_MIN_FITTING, _MIN_SCHOLARLY, _MAX_REMARKS, _MAX_QUESTIONS = 0.8, 0.6, 0.25, 0.34
_MIN_WORDS, _MIN_MEAN_WORDS, _MAX_WORDS, _MAX_CHARS = 3, 4.75, 40, 400
_MIN_SUBTITLE_WORDS = 3
_LATINATE_WEIGHT = 0.5
_MIN_PLAUSIBLE, _MAX_SAMPLED = 0.6, 200
_WORD = re.compile(r"[^\W\d_][\w'’.+/-]*")
_BEGINS = re.compile(rf"[\"'“‘「『《(]?(?:[A-Z0-9ÄÖÜÉÈÁÀÅØÇÑ]|[a-z]{{1,4}}[A-Z]|[a-z]{{2,8}}\d[a-z]|[{CJK_LETTERS}])")
_SHORT_TITLE = re.compile(r"[A-Z][\w'’+-]+(?: [A-Z][\w'’+-]+)")
_TITLE_CASE = re.compile(r"[A-Z][\w'’+-]+(?:\s(?:[A-Z][\w'’+-]*|of|the|and|in|for|on|a|with|to)){1,5}")
_YEAR = re.compile(r"(?:19|20)\d\d|['’]\d\d\b")
_CITED = re.compile(r"\bet al\b|[-–—(,]\s?[A-Z][\w'’-]+(?:,? (?:and|&) [A-Z][\w'’-]+)?,? [(]?(?:19|20)\d\d[)]{0,2}$")
_SIGNED = re.compile(r".{2,200}\s[-–—]{1,2}\s(?P<names>[^-–—:]{3,100})")
_OTHERS = re.compile(r"\bet\.?\s?al\b")
_ENDS_SENTENCE = re.compile(r"(?:[.。．!！;；…]|[:：,，、])$")
_SEVERAL_SENTENCES = re.compile(r"[a-z)\]][.!?;]\s+[A-Z][a-z']{0,12}\s[a-z]|[。！？；]\s?\S")
_TALK_WORDS = (
    "i|i'm|i've|i'd|we|we're|my|our|me|us|let's|please|don't|doesn't|didn't|isn't|wasn't|can't|it's|that's|there's|"
    "maybe|probably|actually|today|tomorrow|yesterday|tonight|asap|btw|fyi|lol|thx|thanks|etc|meeting|lunch|standup|"
    "should|could|would|was|were|had|did|got|went|matters|grows|needs|seem|seems|helps|wants|takes|week|month|agenda|"
    "minutes|budget|get|gets|works|fails|looks|uses|makes|gives|says|shows|means|depends|requires|contains|try|sudo|install"
)
_TALK = re.compile(
    rf"\b{prefix_tree(_TALK_WORDS, any_case=True)}\b(?!-)|"
    r"(?<!\S)(?:[@#]\w|--?[a-z])|\d{1,2}:\d\d|\bRT\b|[$€¥]\s?\d|^(?:to|for|if|see|use|note|with)\s|"
    r"[<>={}`\\]|~(?!\s[A-Z])|\w\(\)|\w/\w+/\w|\b(?:e\.g\.|i\.e\.)\b",
    re.IGNORECASE,
)
_LATINATE = re.compile(
    r"(?:[a-z]{2}(?:[st]ions?|ities|[ilr]ity|ments?|olog(?:y|ies)|ysis|yses|ics|nesses|ness|ances?|ences?|isms?|"
    r"ithms?|ectures?|ives?|ized?|izing|ised?|ising|able|ible|ical|ional|[aeiou]tors?|ormers?|ormer|ware)|"
    r"[a-z]{4}ing|[a-z]-[a-z]+)$",
    re.IGNORECASE,
)
_SCHOLARLY = frozenset(
    words_of("""
acid | adaptive | adult | adults | adversarial | agent | agents | aging | agricultural | algorithm | algorithms
analysis | approach | art | atmospheric | attention | authoritarian | automatic | autonomous | bacterial | based
bayesian | behavior | behavioral | behaviour | benchmark | biases | biological | bounds | brain | budget | cache
caches | caching | cancer | carbon | cell | cells | century | chemical | children | climate | clinical | cloud
clouds | cluster | clusters | coastal | coding | cognition | cognitive | colonial | competition | compiler
compilers | concurrent | conflict | consciousness | consensus | constraints | convex | core | crisis | cultural
culture | dark | data | database | databases | dataset | datasets | decision | decisions | deep | democracy
democratic | dense | depression | design | diffusion | discrete | disease | disorders | distributed | diversity
drought | drug | dynamic | dynamics | early | earth | ecological | ecology | economic | economics | economies
economy | ecosystem | ecosystems | education | effect | effects | efficient | electoral | embedding | embeddings
emotion | emotional | empirical | encoder | end-to-end | energy | environmental | epidemic | equations | error
ethics | evaluation | evidence | evolution | evolutionary | experimental | extinction | fast | few-shot | finance
financial | fisheries | flash | fluid | foraging | foreign | forest | forests | formal | framework | fuzzy | galaxies
galaxy | gender | gene | generative | genetic | genetics | genome | genomic | genomics | geometry | global | gpu
gpus | gradient | graph | graphs | growth | habitat | hardware | hash | health | heterogeneous | heuristics
hierarchical | high | historical | history | hormone | household | human | identity | ideology | image | images
immune | income | index | inequality | infants | infection | inference | inflation | information | institutions
interaction | international | inverse | judgment | justice | kernel | kernels | key-value | knowledge | labor
labour | land | language | languages | large | large-scale | latency | latent | law | layer | legal | life | linear
linguistic | literary | literature | llm | llms | local | logic | low | low-rank | machine | machines | magnetic
marine | market | markets | markov | mass | matrix | matter | mechanics | mechanisms | media | medical | medicine
memory | mental | metabolic | method | methods | microbial | migration | mind | model | models | molecular | monetary
monte | moral | mortality | motivation | movements | multi | music | mutation | mutations | national | natural
nature | network | networks | neural | nuclear | nutrient | ocean | oceanic | optical | optimal | organic
organizational | origin | origins | paradigm | parallel | parameter | parameters | pareto | party | patients
patterns | perception | performance | personality | phase | philosophy | physical | physics | plant | plants | plasma
policies | policy | political | politics | population | populations | postcolonial | poverty | power | practical
preferences | prevalence | probabilistic | processes | production | productivity | program | programs | proof
prospect | protein | proteins | protocol | protocols | psychological | psychology | public | quantum | query | race
racial | radiation | random | rank | rational | real-time | recurrent | reform | regime | regimes | regional
religion | religious | remote | reproductive | residual | resilience | resource | resources | response | responses
rights | risk | robot | robots | robust | role | rural | sampling | scalable | scale | scene | school | sea | secure
selection | self | semantic | sequence | sequences | sex | shared | signal | skills | social | societies | society
software | soil | solar | sovereignty | sparse | spatial | species | speech | spin | stability | stars | state
states | statistical | stellar | stochastic | storage | stream | streams | stress | structure | structured | study
supervised | survey | symptoms | synthesis | system | systems | technological | technology | temperature | temporal
tensor | tensors | theorem | theory | thermal | throughput | tissue | toward | towards | trade | training | trait
traits | transfer | transition | treatment | tree | trees | tropical | trust | tumor | turbulence | uncertainty
unified | universal | unsupervised | urban | utility | vaccine | value | variation | vector | vectors | via | video
viral | virtual | virus | vision | visual | voters | voting | wage | wages | war | warming | water | wave | waves
wealth | welfare | women | workers | world | youth | zero-shot
""")
)
_SCHOLARLY_CJK = re.compile(
    r"研究|手法|方法|方式|分析|解析|検討|提案|評価|設計|最適化|優化|优化|関する|基づく|基づいた|用いた|における|向けた|による|"
    r"のための|综述|綜述|算法|アルゴリズム|系统|システム|模型|モデル|技术|基于|基於|面向|框架|学习|学習|网络|ネットワーク|应用|応用|设计|"
    r"生成|構築|抽出|影響|効果|課題|展開|過程|関係|要因|特徴|実態|意義|診断|治療|比較|変化|構造|機能|調査|試み|考察|現状|展望|動向|"
    r"影响|对策|困境|机制|路径|探析|探究|探讨|现状|关系|效应|策略|治理|差异|演化|特征|规律|分布|实证|述评|进展|启示|视角|背景下|"
    r"视域|作用|变化|比较|"
    r"データセット|构建|抽取|数据集|推論|推理|识别|認識|检测|検出|评估|探索|高效|分散"
)
_CJK_REMARK = re.compile(
    r"(?:する|した|ます|です|ない|たい|こと|って|よう|べき|了|吧|呢|吗|一下)$|[→⇒]|[、，].*[、，]|^(?:今日|今天|明日|昨日)"
)
# `背景：…`, `提案手法：…`: a part of the notes on a paper.
_NOTE = re.compile(
    rf"[*_]{{0,3}}(?:{'|'.join(sorted(filter(CJK.match, PARTS_OF_NOTES), key=len, reverse=True))})[*_]{{0,3}}[:：]"
)


@dataclass(frozen=True, slots=True)
class _LineForm:
    """The form of one line. `words`: their number; CJK letters count half."""

    words: float = 0.0
    fits: bool = False  # it may be a title
    is_scholarly: bool = False
    is_named: bool = False  # it is a title by its capitals, venue or subtitle
    is_remark: bool = False  # a task, a sentence or talk
    is_task: bool = False
    is_likely: bool = False  # it may be a title among titles: a short one, or one with a final stop
    is_question: bool = False


def are_titles(lines: Sequence[str]) -> bool:
    """Return True if the lines, taken together, are a list of titles."""
    if _are_signed(lines) or (len(lines) > 1 and all(line.lower().endswith(".pdf") for line in lines)):
        return True
    forms = [_form_of(line) for line in lines]
    if len(forms) < _MIN_NAMED_LINES or fmean(form.words for form in forms) < _MIN_MEAN_WORDS:
        return False
    if len(forms) < _MIN_LINES:
        return all(form.is_named and form.words > _MIN_MEAN_WORDS and not form.is_remark for form in forms)
    return _have_the_form(forms)


def _are_signed(lines: Sequence[str]) -> bool:
    """Return True for lines such as `NICE - Dinh et al.`, of which a few may name all authors: `Raft - Ongaro`."""
    signed = sum(map(_is_signed, lines))
    names = [match["names"] for line in lines if (match := _SIGNED.fullmatch(line[:_MAX_CHARS]))]
    return signed > 1 and 2 * signed > len(lines) == len(names) and all(map(surnames_in, names))


def _is_signed(line: str) -> bool:
    match = _SIGNED.fullmatch(line[:_MAX_CHARS]) if " et" in line else None
    return match is not None and _OTHERS.search(match["names"]) is not None


def look_like_titles(lines: Sequence[str]) -> bool:
    """Return True if any number of lines have the form of titles, for the column of a table that may hold them."""
    forms = [_form_of(line) for line in lines[:_MAX_SAMPLED]]
    return bool(forms) and fmean(form.words for form in forms) >= _MIN_WORDS and _have_the_form(forms)


def could_be_titles(lines: Sequence[str]) -> bool:
    """Return True if most lines have the form of titles, for lines of which something else says that they are."""
    forms = [_form_of(line) for line in lines[:_MAX_SAMPLED]]
    return fmean(not form.is_remark and form.words > 0 for form in forms) >= _MIN_PLAUSIBLE if forms else False


def is_clear_title(line: str) -> bool:
    """Return True if a line has a venue, a subtitle or the capitals of a title, and is no remark."""
    form = _form_of(line)
    return form.is_named and not form.is_remark


def is_clear_or_short_title(line: str) -> bool:
    """Return True for a clear title, or a short one in title case such as `The Google File System`."""
    return is_clear_title(line) or (_TITLE_CASE.fullmatch(line) is not None and not is_task(line))


def may_be_among_titles(line: str) -> bool:
    """Return True if a line of a list of titles may be one itself."""
    form = _form_of(line)
    return (
        form.is_named
        or _is_signed(line)
        or line.lower().endswith(".pdf")
        or ((form.fits or form.is_likely) and not form.is_task)
    )


def _have_the_form(forms: Sequence[_LineForm]) -> bool:
    return (
        fmean(form.fits for form in forms) >= _MIN_FITTING
        and fmean(form.is_scholarly or form.is_named for form in forms) >= _MIN_SCHOLARLY
        and fmean(form.is_remark for form in forms) <= _MAX_REMARKS
        and fmean(form.is_question for form in forms) <= _MAX_QUESTIONS
    )


@lru_cache(maxsize=1024)
def _form_of(line: str) -> _LineForm:
    text = take_marks(line[:_MAX_CHARS]).remainder.strip(" *_`")
    title = (take_tag(_without_date(text)).remainder.strip() or text).replace("et al.", "et al")
    has_year = title != text or _YEAR.search(text) is not None
    words = _WORD.findall(title)
    count = len(words) + len(CJK.findall(title)) / 2
    is_sentence = not has_year and (
        _ENDS_SENTENCE.search(title) is not None or _SEVERAL_SENTENCES.search(title) is not None
    )
    is_todo = is_task(text) or is_chore(text) or is_post(text)
    is_likely = _SHORT_TITLE.fullmatch(title) is not None or (
        title.endswith(".") and _SEVERAL_SENTENCES.search(title) is None and is_scholarly(title)
    )
    fits = (
        _MIN_WORDS <= count <= _MAX_WORDS
        and len(line) <= _MAX_CHARS
        and _BEGINS.match(title) is not None
        and not is_broken_off(title)
        and not is_sentence
    )
    return _LineForm(
        count,
        fits=fits,
        is_scholarly=is_scholarly(title),
        is_named=fits
        and (title != text or _CITED.search(title) is not None or names_a_paper(title) or _has_subtitle(title)),
        is_remark=is_sentence or is_todo or is_talk(title),
        is_task=is_todo,
        is_likely=is_likely and _BEGINS.match(title) is not None,
        is_question=is_question(title),
    )


def _without_date(text: str) -> str:
    """Return a line without the date of its paper. A day before the words is that of a diary."""
    date = take_date(text)
    return text if iso_day(date.iso) and text.endswith(date.remainder) else date.remainder


@lru_cache(maxsize=256)  # The same words are looked at before an address and with it.
def is_talk(title: str) -> bool:
    """Return True for words of a sentence or conversation."""
    if CJK.search(title):
        return _CJK_REMARK.search(title) is not None or _NOTE.match(title) is not None
    return _TALK.search(title) is not None


def _has_subtitle(title: str) -> bool:
    name, _, subtitle = title.partition(": ")
    return bool(subtitle) and name[:1].isupper() and len(_WORD.findall(subtitle)) >= _MIN_SUBTITLE_WORDS


def is_scholarly(title: str) -> bool:
    """Return True if a third of the words that carry meaning belong to a field. Long Latinate words count half."""
    if CJK.search(title):
        return _SCHOLARLY_CJK.search(title) is not None
    meaningful = [word for word in _WORD.findall(title) if word.casefold() not in SMALL]
    weights = (1.0 if word.casefold() in _SCHOLARLY else _LATINATE_WEIGHT * _is_latinate(word) for word in meaningful)
    return 3 * sum(weights) >= len(meaningful) > 0


@lru_cache(maxsize=4096)  # The words of a field come again and again.
def _is_latinate(word: str) -> bool:
    return _LATINATE.search(word) is not None
