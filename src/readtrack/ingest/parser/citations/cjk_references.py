"""References in Japanese and Chinese: names without spaces, titles in brackets of their own, journals behind.

`山田太郎（2015）「題名」『雑誌名』` · `张三：《题名》，《期刊名》2015年第2期。` · `山田太郎，題名，雑誌名，10 (2015)`
"""

import re

from readtrack.infra.text.titles.vocabulary import CJK, CJK_LETTERS
from readtrack.ingest.parser.vocabulary.author_names import IS_NO_CJK_NAME, CitationParts, names_in, surnames_in

_HAN = "\u3400-\u9fff々ヶ"
_KANA = "\u3041-\u3096\u30a1-\u30fa\u30fc"
_NAME = rf"(?:[{_HAN}]{{2,5}}|[{_HAN}]{{1,3}}\s[{_HAN}{_KANA}]{{1,4}}|[{_HAN}]{{1,3}}[{_KANA}]{{1,4}})"
_NAMES = rf"(?P<names>{_NAME}(?:\s?[,，、・;；]\s?{_NAME}){{0,12}})(?:\s?(?:ら|他|ほか|等|et al\.?))?"
_BODY = (  # an institution as the author
    rf"[{_HAN}]{{4,24}}(?:所|隊|队|館|馆|會|会|部|局|組|组|社|大学|大學|学院|學院)(?:編著|编著|編|编|著)?"
)
_YEAR = r"(?:19|20)\d\d"
_SPACED_NAME = re.compile(rf"[{_HAN}]{{1,3}}[ \u3000][{_HAN}{_KANA}]{{1,4}}")  # 山田 太郎
_OF_NO_NAME = re.compile(r"[学論论法化性系術术習习型機机会會究发開策育響响影]$|研究|技術|技术|学習|学习|分析|モデル")
_ROLE_LAST = re.compile(r"(?<=..)(?:主编|编著|編著|著|编|編|等|他|ほか|ら)$")
_LISTED = re.compile(r"\s?[,，、・;；]\s?")
_STOPS = ",，、．。:：;；"
_VOLUME = rf"(?:\s?[Vv]ol|\s?[Nn]o|\s?第|\s?\d{{1,4}}(?!\d)|\s?[（(]?{_YEAR}|\s?$|\s?[pP]{{1,2}}\.)"
_JOURNAL = rf"(?P<journal>(?=[^{_STOPS}]*[{CJK_LETTERS}])[^{_STOPS}\d「」『』《》（）()\[\]]{{2,40}}?)"
_QUOTED = re.compile(
    rf"(?:(?:{_NAMES}|(?P<body>{_BODY}))\s?(?:[（(](?P<year>{_YEAR})[a-z]?年?[)）])?[：:，,、．.]?\s?)?"
    r"(?:「(?P<corner>[^「」]{4,200})」|『(?P<double>[^『』]{2,200})』|《(?P<angle>[^《》]{2,200})》|"
    r"〈\*{0,2}(?P<thin>[^〈〉*]{4,200})\*{0,2}〉)(?P<rest>.*)",
    re.DOTALL,
)
_FRAMED_JOURNAL = re.compile(
    r"\s?[，,、．.：:]?\s?(?:[載载][^《》『』]{0,20})?(?:『(?P<corner>[^『』]{2,60})』|《(?P<angle>[^《》]{2,60})》)"
)
_NAMES_BEHIND = re.compile(rf"\s?{_NAMES}\s?(?=[（(『《])")
_INSIDE = re.compile(r"\s?[（(](?P<inside>[^（）()]{4,120})[)）][.．。]?")
_NAMES_FIRST = re.compile(  # `山田太郎（2015）題名．雑誌名`, `山田太郎，題名，雑誌名，10 (2015)`
    rf"{_NAMES}\s?(?:[（(](?P<year>{_YEAR})[a-z]?年?[)）]\s?[．.：:，,、]?\s?|"
    rf"[：:．.]\s?|[,，、]\s?(?:(?P<then>{_YEAR})[,，、]\s?)?)"
    rf"(?P<title>(?=[^\[\]]*[{CJK_LETTERS}])[^「」『』《》\[\]．。]{{6,120}}?)(?:[．。，,]|\.(?!\d)|\s)\s?"
    rf"{_JOURNAL}(?=[{_STOPS}.\s]{{0,2}}{_VOLUME})(?P<rest>.*)",
    re.DOTALL,
)
_TITLE_FIRST = re.compile(
    rf"(?P<title>(?=[^,，.．]{{0,120}}[{CJK_LETTERS}])[^,，.．「」『』《》\[\]（）()]{{8,120}})(?:[,，]\s?|[.．]\s?|\s?[（(])"
    rf"{_NAMES}(?:[,，、]|[.．]|\s)\s?{_JOURNAL}[,，、.．\s]{{0,2}}(?P<year>{_YEAR})年?[)）]?[.。]?"
)
_YEAR_FIRST = re.compile(
    rf"(?P<year>{_YEAR})\s{_NAMES}\s(?P<title>[{CJK_LETTERS}A-Za-z\d·：:“”、-]{{8,120}})\s(?P<journal>[{CJK_LETTERS}]{{2,30}})"
)
_ROLE = "著者?|共著|編著?|编著?|主编"
_NOBODY = re.compile(r"自分|不明|未知|私|我|明日|明天|今日|今天|.*(?:先生|さん|氏|完成)")
_ROLE_IN_BRACKETS = re.compile(  # `題名 (著: 山田太郎)`
    rf"(?P<title>[^()（）]{{2,120}}?)\s?(?P<series>[（(][^()（）]{{2,40}}[)）])?\s?"
    rf"[（(](?:{_ROLE})[:：]\s?(?P<names>[^()（）]{{2,60}})[)）]"
)
_ROLE_BEHIND = re.compile(  # `題名 山田 太郎 (著)`, `題名（文庫）Ada Lovelace (著)`
    rf"(?P<title>[^()（）]{{2,120}}?)(?:\s?(?P<series>[（(][^()（）]{{2,40}}[)）])\s?|\s)"
    rf"(?P<names>[{_HAN}]{{1,4}}\s[{_HAN}{_KANA}]{{1,4}}|[{_HAN}{_KANA}]{{2,8}}(?:\s[A-Z][a-z]+)?|"
    rf"[A-Z][\w.]*(?:\s[A-Z][\w.]*){{0,3}})\s?[（(](?:{_ROLE})[)）]"
)
_BOOK = re.compile(  # `カント『永遠平和のために』岩波文庫`, `余华《活着》作家出版社`
    rf"(?P<names>[{CJK_LETTERS}々・·][{CJK_LETTERS}々A-Za-z.,，、・·]{{1,40}}?)(?P<role>[編编]?著|主?[編编])?[:：，,]?\s?"
    r"[『《](?P<title>[^『』《》]{2,120})[』》](?P<volumes>上[/／・、]?(?:中[/／・、]?)?下[巻卷冊册]?)?[\s、，,(（]{0,3}"
    rf"(?P<series>[{CJK_LETTERS}A-Za-z\d・]{{0,16}}(?:出版[社会會局]?|書店|书店|書[房院]|书[房局]|文[庫库]|新書|選書|クラシックス|叢書|丛书|ブックス|"
    r"PHP研究所|印[书書]馆|春秋|ライブラリー|メチエ|(?<![会會华])社))"
    rf"[、，,]?\s?(?:(?P<year>{_YEAR})年?)?[)）]?[。.]?"
)
_KATAKANA = "[\u30a1-\u30fa\u30fc]"
_SURNAME = (  # of Chinese names, the most frequent
    "[王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许邓冯韩曹曾彭萧肖蔡潘田董袁于余叶蒋杜苏魏程吕丁沈任姚卢傅钟姜崔谭廖范汪陆金石戴贾韦夏邱方侯邹"
    "熊孟秦白江阎薛尹段雷黎史龙陶贺顾毛郝龚邵万钱严赖覃洪武莫孔费費孫陳劉張趙吳]"
)
_JAPANESE_SURNAME = (  # of two letters, the most frequent: a given name of one letter may follow
    "(?:佐藤|鈴木|高橋|田中|伊藤|渡辺|山本|中村|小林|加藤|吉田|山田|山口|松本|井上|木村|斎藤|斉藤|清水|山崎|池田|橋本|阿部|石川|山下|中島|石井|小川|前田|岡田|"
    "長谷川|藤田|後藤|近藤|村上|遠藤|青木|坂本|福田|太田|西村|藤井|金子|岡本|藤原|中野|三浦|原田|中川|松田|竹内|小野|田村|中山|和田|石田|森田|上田|内田|"
    "柴田|酒井|宮崎|横山|高木|安藤|宮本|大野|小島|工藤|谷口|今井|高田|増田|丸山|杉山|村田|大塚|新井|藤本|小山|平野|武田|河野|上野|野口|松井|千葉|菅原|"
    "岩崎|久保|木下|佐野|野村|松尾|菊地|菊池|市川|杉本|古川|大西|島田|水野|桜井|高野|吉川|山内|西田|飯田|西川|小松|北村|安田|川口|平田|中田|服部|岩田|"
    "土屋|川崎|福島|本田|樋口|秋山|田口|永井|中西|吉村|川上|大橋|石原|松岡|浜田|馬場|森本|矢野|浅野|松下|星野|吉岡|小池|野田|荒木|松浦|大谷|熊谷|川島)"
)
_AUTHOR = re.compile(
    rf"[{_HAN}]{{4,5}}|{_SURNAME}[{_HAN}]{{1,2}}|{_JAPANESE_SURNAME}(?![県市町村区駅寺屋家大本])[{_HAN}]|"
    rf"[{_HAN}]{{1,3}}\s[{_HAN}{_KANA}]{{1,4}}|"
    rf"{_KATAKANA}{{3,12}}(?:[・·]{_KATAKANA}{{1,12}}){{0,4}}|[{_HAN}]{{1,6}}[·・][{_HAN}]{{1,6}}"
)
_NO_AUTHOR = re.compile(  # what else stands before the name of a work
    r"[はがをにでもの訳译]$|[看买讲读陪订借買読貸]|映画|講演|発表|面談|展示|返却|購入|論文|報告|ゼミ|輪講|調査|参考書|教科書|図書|書籍|小説|漫画|"
    r"出張|担当|先生|老师|文庫|書店|出版|参加|名著|シリーズ|アマゾン|キンドル|セミナー|テキスト|レポート|マンガ|アニメ|ドラマ|"
    r"新刊|雑誌|[次今前]回|[自拙]著|新闻|采访|参观|推荐|报告|电影|展览"
)
_GLOSSED = re.compile(
    rf"(?P<gloss>(?=(?:[^{CJK_LETTERS}]{{0,6}}[{CJK_LETTERS}]){{4}})[^A-Za-z()（）]{{4,60}}?)[\s,，、]{{1,2}}"
    rf"(?P<rest>(?:[A-Z]|[(（]?{_YEAR})[^{CJK_LETTERS}]*(?:ら|他|等)?[^{CJK_LETTERS}]*)"
)
_LATIN_NAMES_AND_YEAR = re.compile(
    rf"(?P<names>[A-Z][^()（）\d:]{{1,100}}?)\s?(?:ら|他|等|et al\.?)?[,，\s]{{0,2}}"
    rf"[(（]?(?P<year>{_YEAR})[)）]?[,，\s]{{0,2}}(?P<more>.*)"
)
_YEAR_AND_LATIN_NAMES = re.compile(
    rf"[(（]?(?P<year>{_YEAR})[)）]?[,，\s]{{1,2}}(?P<names>[A-Z][^()（）\d:]{{1,100}}?)(?:,\s(?P<more>Nature|Science|Cell|Neuron|PNAS|[A-Z]{{3,8}}))?"
)
_YEAR_LAST = re.compile(rf"[,\s]{{1,2}}{_YEAR}$")
_MIN_TITLE_WORDS = 3
_ANY_YEAR = re.compile(rf"(?<!\d){_YEAR}(?!\d)")
_NUMBERS = re.compile(r"第?\s?\d[\d\s:：~〜–—-]*(?:年度?|月|巻|卷|号|期|頁|页|ページ)?|[（）()]")
_JOURNAL_ENDING = re.compile(
    r"(?:研究|科学|科學|学报|学報|学刊|杂志|雑誌|誌|论丛|論叢|论文集|論文集|紀要|会報|通报|评论|評論|学会|学会誌|経済|经济|学|"
    r"出版社|出版会|出版|书店|書店|書房|書院|印书馆|新聞社|文庫|大学|社)$"
)
_MIN_LETTERS, _MIN_TITLE, _MAX_CHARS = 6, 4, 600


def cite_cjk_reference(text: str) -> CitationParts | None:
    """Split a dated reference in Japanese or Chinese, or return None."""
    if text.isascii() or len(text) > _MAX_CHARS or not _ANY_YEAR.search(text) or len(CJK.findall(text)) < _MIN_LETTERS:
        return None
    return _cite_quoted(text) or _cite_glossed(text) or _cite_plain(text)


def cite_book(text: str) -> CitationParts | None:
    """Split `山田太郎『題名』出版社`, and what bookshops write: `題名 山田 太郎 (著)`, `題名 (著: 山田太郎)`."""
    if (book := _BOOK.fullmatch(text)) and (names := _split_authors(book["names"])):
        role = "" if book["role"] == "著" else book["role"]
        if book["volumes"] or role:  # kept as words
            rest = "，".join(filter(None, (book["series"], book["year"], book["volumes"], role)))
        else:
            rest = _join_source(book["series"], book["year"] or "").rstrip(" ,")
        return CitationParts(book["title"], names, rest)
    if not text.endswith((")", "）")) or text.isascii():
        return None
    match = _ROLE_IN_BRACKETS.fullmatch(text) or _ROLE_BEHIND.fullmatch(text)
    names = tuple(_LISTED.split(match["names"].strip())) if match else ()
    if match is None or len(CJK.findall(match["title"])) + len(match["title"].split()) < _MIN_TITLE:
        return None
    if any(_NOBODY.fullmatch(name) for name in names):
        return None
    return CitationParts(match["title"].strip(), names, (match["series"] or "").strip("（）()"))


def _cite_quoted(text: str) -> CitationParts | None:
    match = _QUOTED.match(text)
    if not match:
        return None
    title = match["corner"] or match["double"] or match["angle"] or match["thin"]
    names, rest = (match["body"],) if match["body"] else _split_names(match["names"]), match["rest"]
    if (match["names"] and not names) or len(CJK.findall(title)) < _MIN_TITLE:
        return None
    if not names and (behind := _NAMES_BEHIND.match(rest)):  # 「題名」山田太郎（雑誌名、2015年）
        names, rest = _split_names(behind["names"]), rest[behind.end() :]
    framed = _FRAMED_JOURNAL.match(rest)
    source = (names, framed["corner"] or framed["angle"]) if framed else _split_source(rest, names)
    year = match["year"] or _find_last_year(rest)
    if source is None or not year or not any(source):
        return None
    names, journal = source
    return CitationParts(title, names, _join_source(journal, year))


def _split_source(rest: str, names: tuple[str, ...]) -> tuple[tuple[str, ...], str] | None:
    """Return the names and the journal behind a title: `（雑誌名、2015年）`, `山田太郎，雑誌名，10 (2015)`."""
    inside = _INSIDE.fullmatch(rest)
    parts = re.split(r"[,，、．。：:]\s?", inside["inside"] if inside else rest.strip(" .．。，,、"))
    fields = [field for part in parts for field in ([part] if _SPACED_NAME.fullmatch(part) else part.split())]
    words = [word for field in fields if CJK.search(word := _NUMBERS.sub(" ", field).strip(" ()（）"))]
    names = names or _find_leading_names(words)
    words = [word for word in words if word not in names]
    if len(words) > 2 or (not inside and not names):
        return None
    journal = words[-1] if words else ""
    return (names, journal) if not journal or _may_be_journal(journal, rest) else None


def _cite_glossed(text: str) -> CitationParts | None:
    """Split `題名 Kriegeskorte and Douglas, 2018, The English Title` and `題名 (2019) Sutton et al.`.

    The English title is that of the work, and what stands before it tells what it is about.
    """
    match = _GLOSSED.fullmatch(text)
    if match is None:
        return None
    behind = _LATIN_NAMES_AND_YEAR.fullmatch(match["rest"]) or _YEAR_AND_LATIN_NAMES.fullmatch(match["rest"])
    names = surnames_in(behind["names"]) or names_in(behind["names"]) if behind else ()
    if behind is None or not names:
        return None
    more, gloss = behind["more"] or "", match["gloss"].strip(" ,，、")
    if len(more.split()) >= _MIN_TITLE_WORDS:
        return CitationParts(_YEAR_LAST.sub("", more), names, f"{behind['year']}; {gloss}")
    return CitationParts(gloss, names, _join_source(more, behind["year"]))


def _cite_plain(text: str) -> CitationParts | None:
    if "[" in text:
        return None
    for pattern in (_NAMES_FIRST, _TITLE_FIRST, _YEAR_FIRST):
        match = pattern.match(text)
        names = _split_names(match["names"]) if match else ()
        if not match or not names or len(CJK.findall(match["title"])) < _MIN_LETTERS:
            continue
        groups = match.groupdict("")
        is_dated = pattern is _NAMES_FIRST and match["year"]  # 山田太郎（2015）
        is_dotted = pattern is _TITLE_FIRST and text[match.end("title")] in ".．"  # 题名.作者.期刊.2021
        if not (is_dated or is_dotted) and not _may_be_journal(match["journal"], groups.get("rest", "")):
            continue
        year = groups["year"] or groups.get("then") or _find_last_year(groups.get("rest", ""))
        if year:
            return CitationParts(match["title"].strip(), names, _join_source(match["journal"].strip(), year))
    return None


def _may_be_journal(name: str, rest: str) -> bool:
    """Return True for the name of a journal or publisher, and for any name with a volume or pages behind."""
    return _JOURNAL_ENDING.search(name) is not None or any(char.isdigit() for char in _ANY_YEAR.sub("", rest))


def _split_names(text: str | None) -> tuple[str, ...]:
    """Return the names of a list, or () if one of them is no name: `读书笔记：《题名》`."""
    names = tuple(_LISTED.split(_ROLE_LAST.sub("", text))) if text else ()
    return () if any(_OF_NO_NAME.search(name) or IS_NO_CJK_NAME.search(name) for name in names) else names


def _split_authors(text: str) -> tuple[str, ...]:
    """Return the names before a book, or () if one of them may be another word: `書評『こころ』`."""
    names = tuple(filter(None, re.split("[,，、]", text)))  # `ル・ボン` is one
    no_names = (IS_NO_CJK_NAME, _OF_NO_NAME, _NO_AUTHOR)
    are_names = all(_AUTHOR.fullmatch(name) and not any(no.search(name) for no in no_names) for name in names)
    return names if are_names else ()


def _find_leading_names(words: list[str]) -> tuple[str, ...]:
    """Return the names that a list of fields begins with; the last field is no name."""
    names: list[str] = []
    for word in words[:-1]:
        found = _split_names(word) if re.fullmatch(_NAMES, word) else ()
        if not found:
            break
        names += found
    return tuple(names)


def _find_last_year(text: str) -> str:
    years = _ANY_YEAR.findall(text)
    return years[-1] if years else ""


def _join_source(journal: str, year: str) -> str:
    return f"In {journal}, {year}" if journal else year
