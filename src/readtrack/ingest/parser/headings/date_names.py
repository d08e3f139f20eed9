"""Headings that are dates: days, weeks, months, weekdays, years, in English, Japanese and Chinese."""

import re
import unicodedata

from readtrack.infra.text.titles.dates import MONTHS
from readtrack.infra.text.titles.vocabulary import LETTER_OR_DIGIT

_MONTH = rf"(?:{'|'.join(sorted(MONTHS, key=len, reverse=True))})\.?"
_WEEKDAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?s?\.?"
_NEEDS_NO_NUMBER = re.compile(
    rf"(?<![^\W\d_])(?:{_MONTH}|{_WEEKDAY}|today|yesterday|tomorrow|(?:this|last|next|previous)\s(?:week|month|year))"
    r"(?![^\W\d_])|"
    r"[月火水木金土日]曜日?|\([月火水木金土日]\)|(?<=\d)\s[月火水木金土日](?!\w)|(?:星期|礼拜|周)[一二三四五六日天](?!\w)|[一二三四五六七八九十]{1,2}月|"
    r"(?:今|先|来|本|上|下)(?:週|周|月|日)|昨日|明日"
)
_NEEDS_NUMBER = re.compile(
    r"(?<![^\W\d_])(?:weeks?|kw|cw|days?|fy|q[1-4]|h[12]|spring|summer|autumn|fall|winter|early|mid|late)(?![^\W_])|"
    r"(?<=\d)-?w\d\d?(?![^\W_])|(?<![\w-])w\d\d(?![^\W_])|第?\s?\d{1,2}\s?[週周]目?|\d{1,4}\s?[年月日号](?:度|頃)?|"
    r"令和|平成|[上下]半期|[上中下]旬|[春夏秋冬](?:学期)?(?!\w)"
)
_NUMBER = re.compile(r"(?<![^\W\d_])#?\d{1,8}(?:st|nd|rd|th)?(?![^\W\d_])")
_JOINER = re.compile(r"(?<![^\W_])(?:of|the|to|and|from|until|since|before|after|week)(?![^\W_])|から|まで")
_WEATHER = re.compile(  # of a diary, behind the day
    r"(?<!\w)[晴曇雨雪阴陰云雲雷风風霧雾霾れりのち時々大小中暴阵多少转轉間有一]{1,8}(?!\w)|(?<!\w)-?\d{1,2}\s?(?:°c?|℃|度)(?!\w)|"
    r"(?<![^\W\d_])(?:sunny|cloudy|rainy?|snowy?|windy|foggy)(?![^\W\d_])"
)
_TIME = r"\d{1,2}(?:[.:]\d\d)?\s?(?:[ap]m)?"
_DAY = (
    rf"(?:{_WEEKDAY},?\s)?(?:{_MONTH}\s\d{{1,2}}(?:st|nd|rd|th)?(?![\w.])|\d{{1,2}}(?:st|nd|rd|th)?\s{_MONTH}(?!\w)|"
    rf"\d{{1,2}}月\d{{1,2}}日)(?:\s?[(（][^\W\d]{{1,9}}[)）])?(?:,?\s{_TIME}(?:\s?[-–]\s?{_TIME})?)?"
)
_WHOLE_DAY = re.compile(rf"{_DAY}[:：,]?", re.IGNORECASE)
# `March 4th: Building Trust`; behind a mere space the day may be part of a name: `September 11 attacks`.
_DAY_FIRST = re.compile(rf"{_DAY}(?:\s?[:：|｜]\s?|\s[-–—]\s)(?P<rest>[^\W\d_].+)", re.IGNORECASE)
_MAX_CHARS, _MAX_LOOKED_AT = 60, 300


def is_date(name: str) -> bool:
    """Return True if a name has no words but those of dates: `3/1 (Fri)`, `Week of March 4`, `第12週`.

    Bare numbers are section numbers, and `SAT` is no Saturday.
    """
    if len(name) > _MAX_CHARS or (name.isupper() and name.isalpha()):
        return False
    rest = unicodedata.normalize("NFKC", name).casefold()
    rest, words = _NEEDS_NO_NUMBER.subn(" ", rest)
    if not words and not any(map(str.isdecimal, name)):
        return False
    rest, units = _NEEDS_NUMBER.subn(" ", rest)
    if not words and not units:
        return False
    rest = _WEATHER.sub(" ", rest)
    return LETTER_OR_DIGIT.search(_JOINER.sub(" ", _NUMBER.sub(" ", rest))) is None


def is_day(text: str) -> bool:
    """Return True for a day without its year, with or without a time: `February 18th, 3.30pm-4.30pm`."""
    return _WHOLE_DAY.fullmatch(text[:_MAX_LOOKED_AT]) is not None


def without_day(name: str) -> str:
    """Return what a name says behind its day, all of it if it begins with none: `March 4th: Trust` is `Trust`."""
    match = _DAY_FIRST.fullmatch(name[:_MAX_LOOKED_AT])
    return match["rest"] if match else name
