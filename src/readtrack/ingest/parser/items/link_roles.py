"""Roles of links: the paper itself, its code, slides, a video, commentary, or a page.

The link text decides first, then the site.
"""

import re
from functools import lru_cache

from readtrack.infra.text.titles.vocabulary import CJK_LETTERS, VENUES
from readtrack.ingest.parser.items.find_links import TextLink, names_address

OWN = "own"
SHOWING = ("code", "video", "slides")  # kinds of addresses that show a paper, the closest first
# Schemes of which each identifier is that of one paper.
STRONG = frozenset(
    {"arxiv", "doi", "usenix", "openreview", "acl", "neurips", "nips", "pmlr", "cvf", "mlsys", "pvldb", "jmlr", "ieee"}
    | {"acm", "aaai", "s2"}
)

# Words of link texts that name the role of a link.
_WORDS: dict[str, str] = {
    OWN: """
        paper papers pdf pdfs ps abs abstract arxiv axriv arixv preprint preprints openreview oepnreview
        acm ieee ieeexplore usenix doi acl anthology aclanthology link links url here click html text
        fulltext published proceedings springer elsevier sciencedirect researchgate conference journal
        biorxiv medrxiv manuscript article original eprint download pubmed pmlr mlr cvf thecvf siam hal
        ssrn pvldb techreport report technical thesis camera ready whitepaper 📄 📃 📑 📜 📎 🔗 论文
        論文 原文 原论文 链接 鏈接 地址 论文链接 论文地址 下载 本文 リンク こちら ここ 論文リンク 原著
        논문 링크 点击这里 这里 传送门 文章
        статья статью ссылка ссылку препринт пдф оригинал текст άρθρο σύνδεσμος δημοσίευση מאמר המאמר קישור
        مقال مقالة ورقة الورقة رابط الرابط بحث लेख पेपर लिंक शोधपत्र บทความ ลิงก์ ลิงค์ งานวิจัย
        """,
    "code": """
        code codes github git gitlab gitee repo repos repository implementation implementations colab
        notebook notebooks software library sourcecode 💻 🐙 代码 源码 代碼 开源代码 代码链接 项目代码
        コード 実装 ソースコード 코드
        код коды исходники репозиторий реализация κώδικας קוד كود الكود شيفرة कोड โค้ด ซอร์สโค้ด
        """,
    "slides": """
        slide slides ppt pptx deck keynote slideshow スライド 幻灯片 课件 資料 📊 🖥
        слайды презентация διαφάνειες מצגת שקפים شرائح स्लाइड สไลด์
        """,
    "video": """
        video videos youtube bilibili talk talks presentation recording lecture webinar youku vimeo
        slideslive 🎥 📹 🎬 📺 🎦 动画 视频 影片 讲解视频 動画 ビデオ 発表動画 영상
        видео доклад лекция βίντεο וידאו סרטון הרצאה فيديو محاضرة वीडियो วิดีโอ
        """,
    "commentary": """
        blog blogs blogpost post posts tweet tweets twitter tweeprint thread threads x zhihu medium note
        notes review reviews summary explained explanation explainer interview news reddit discussion
        discussions commentary tutorial walkthrough podcast press wechat csdn substack linkedin mastodon
        bluesky annotated reading markdown 🐦 📝 📰 💬 ✍ 知乎 解读 解析 笔记 博客 公众号 讲解 阅读笔记 论文笔记
        论文解读 中文解读 評論 解説 記事 ブログ メモ まとめ 解説記事
        блог пост обзор заметка заметки конспект разбор σημειώσεις ιστολόγιο בלוג הערות مدونة ملاحظات ब्लॉग บล็อก
        """,
    "landing": """
        author authors resource resources
        project projects website websites homepage home site webpage page pages web demo demos dataset
        datasets data model models weights checkpoint checkpoints hf huggingface hugging face poster
        posters bib bibtex bibtext cite citation citations supplement supplementary supplemental supp
        suppl supmat sample samples appendix artifact artifacts leaderboard docs doc documentation benchmark playground
        scholar semantic material materials zenodo replicate space spaces trace traces mlr kaggle errata
        award modelscope dblp app tool toolkit api wiki package pypi stars star gallery results release
        🏠 🌐 🤗 📦 项目 主页 项目主页 数据集 数据 模型 官网 プロジェクト データ データセット サイト
        ページ デモ ポスター сайт страница проект данные датасет демо постер ιστοσελίδα δεδομένα אתר נתונים موقع
        بيانات वेबसाइट डेटा เว็บไซต์ ข้อมูล
        """,
}
_PREPRINT_DOIS = ("10.1101/", "10.2139/", "10.20944/", "10.21203/", "10.26434/", "10.31219/", "10.31234/", "10.36227/")
_FILLERS = frozenset(
    """
    the to of a an my our this for in on via at by with and or source short full long extended version versions v
    official unofficial read view get see open access online file pytorch torch tensorflow tf jax keras matlab
    python available caffe mxnet cpp c cuda reference main free part extra additional further optional required
    recommended
    的 版 と 中文 英文 日本語
    english chinese japanese korean ja zh en cn
    """.split()  # noqa: SIM905 - a list of words
)
_ROLE_OF = {word: role for role, words in _WORDS.items() for word in words.casefold().split()}
_VENUE_WORDS = frozenset(word for name in VENUES.casefold().split("|") for word in re.findall(r"[a-z]+", name))
# Words of other scripts include the signs of vowels and tones, which are no letters.
_SIGNS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0dff\u0e31-\u0e4e"
_TOKEN = re.compile(
    rf"[a-z]+|[0-9]+|[{CJK_LETTERS}]+|[\u2600-\u27bf\U0001f300-\U0001faff]|[^\W\d_](?:[^\W\d_]|[{_SIGNS}])*"
)
_SHORTCODE = re.compile(r":[a-z0-9_+-]{2,40}:")
_MAX_LABEL_CHARS, _MAX_WORDS = 60, 6
_NEVER_THE_PAPER = frozenset({"code", "slides"})
_BESIDE = re.compile(r"suppl?|appendi|poster|bib|slides|award|errata|artifact", re.IGNORECASE)
_TALK_SITES = re.compile(
    r"https?://(?:[a-z0-9-]+\.)*(?:twitter\.com|x\.com|reddit\.com|zhihu\.com|weixin\.qq\.com|csdn\.net|medium\.com|"
    r"jianshu\.com|qiita\.com|zenn\.dev|note\.com|cnblogs\.com|juejin\.cn|substack\.com|news\.ycombinator\.com|linkedin\.com|"
    r"threads\.net|bsky\.app|mastodon\.social)/",
    re.IGNORECASE,
)
_NOTE = re.compile(
    r"https?://(?:github|gitlab|gitee)\.com/(?P<path>[^?#]{3,200}/(?:blob|tree)/[^?#]{1,300})\.(?:md|org|txt|ipynb)",
    re.IGNORECASE,
)
_ON_WORKS = re.compile(
    r"(?<![A-Za-z])(?:[Rr]eading|[Rr]ead|[Pp]aper|[Nn]ote|[Ll]iterature|[Jj]ournal)s?(?![a-z])|(?<=[a-z])(?:Reading|Paper|Note)s?(?![a-z])|"
    r"笔记|论文|文献"
)
_DOCUMENTATION = re.compile(r"/(?:docs?|documentation|guides?)/|awesome|/(?:readme|index)$", re.IGNORECASE)
_KINDS = {"code": "code", "slides": "slides", "video": "video", "article": "commentary"}


@lru_cache(maxsize=2048)
def role_from_label(label: str) -> str:
    """Return the role that a link text names (own, code, slides, …), or "" if it is a name."""
    if len(label) > _MAX_LABEL_CHARS:
        return OWN if names_address(label) else ""
    text = _SHORTCODE.sub("", label.casefold()) if ":" in label else label.casefold()
    tokens = _TOKEN.findall(text)
    if not tokens or names_address(text):
        return OWN
    roles = [_ROLE_OF.get(token, "") for token in tokens]
    if len(tokens) > _MAX_WORDS or not all(map(_says_nothing, tokens, roles)):
        return ""
    return next((role for role in roles if role and role != OWN), OWN)


def has_name(link: TextLink) -> bool:
    """Return True if the link text is a name, usually the paper's."""
    return link.label is not None and not role_from_label(link.label)


def role_of(link: TextLink) -> str:
    """Return the role of the link for its paper."""
    if link.paper_kind in {"code", "slides", "video"}:
        return link.paper_kind
    label_role = role_from_label(link.label) if link.label else OWN
    if link.ref.scheme in STRONG or link.ref.scheme == "file":
        is_supplementary = label_role in _NEVER_THE_PAPER or (
            label_role and (link.ref.scheme == "doi" or _BESIDE.search(link.text))
        )
        return label_role if is_supplementary else OWN
    if label_role not in {OWN, ""}:
        return label_role
    if link.paper_kind == "paper":
        return OWN
    return "commentary" if _TALK_SITES.match(link.plain) else _KINDS.get(link.paper_kind, "landing")


def is_own(link: TextLink) -> bool:
    """Return True if the link leads to the paper itself: one of its identifiers, or its PDF. Its kind is "paper"."""
    return role_of(link) == OWN


def is_note(link: TextLink) -> bool:
    """Return True for a text in a repository, which may be somebody's note on a work."""
    return _NOTE.fullmatch(link.address) is not None


def is_note_on_works(link: TextLink) -> bool:
    """Return True for a text in a repository of notes on what somebody reads, as its address tells."""
    note = _NOTE.fullmatch(link.address)
    return note is not None and _ON_WORKS.search(note["path"]) is not None and not _DOCUMENTATION.search(note["path"])


def is_preprint(link: TextLink) -> bool:
    """Return True for an address at a preprint server."""
    return link.ref.scheme == "arxiv" or (link.ref.scheme == "doi" and link.ref.key.startswith(_PREPRINT_DOIS))


def calls_it_a_paper(label: str) -> bool:
    """Return True for link texts such as [pdf] or [Paper], which mark a paper whatever the address is."""
    tokens = set(_TOKEN.findall(label.casefold()[:_MAX_LABEL_CHARS]))
    return bool(tokens & {"paper", "pdf", "preprint", "论文", "論文", "manuscript"}) and role_from_label(label) == OWN


def _says_nothing(token: str, role: str) -> bool:
    return bool(role) or token in _FILLERS or token.isdigit() or token in _VENUE_WORDS
