"""The columns of exported tables by their names.

Those of Zotero, Mendeley, Pocket, Raindrop, Instapaper, Notion, Scopus, and spreadsheets in several languages.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from readtrack.infra.text.titles.vocabulary import words_of
from readtrack.ingest.parser.column_fields import NEEDED_FIELDS
from readtrack.ingest.parser.headings.vocabulary import squeeze_name

# Names in lower case, without spaces and punctuation. "added" and the like are listed so that the date on which an item
# was saved is not taken for its publication or reading date.
_COLUMN_NAMES = {
    "title": """
title | titles | papers | article | articles | work | works | papertitle | articletitle | documenttitle | paper
papername | nameofpaper | name | titel | titre | título | titulo | titolo | 标题 | 題名 | 题名 | 题目 | 題目
论文 | 論文 | 论文标题 | 論文タイトル | 论文题目
论文名 | 論文名 | 论文名称 | タイトル | 文献名 | 名称 | 名前 | 標題 | 书名 | 名字 | 文章 | 文献 | 文献题目
제목 | 논문 | 논문명 | 논문제목""",
    "url": """
url | urls | link | links | paperlink | paperurl | paperurls | address | href | website | web | homepage | pdf | pdflink
pdfurl | arxivlink | arxivurl | sourceurl | webaddress | uri | articleurl | articlelink | fulltexturl
fulltext | 链接 | 鏈接 | 網址 | 网址 | リンク | アドレス | 论文链接 | 論文リンク | 地址 | 原文链接 | 原文
링크 | 주소 | 논문링크""",
    "doi": "doi | doilink | doiurl | doi番号",
    "arxiv": "arxiv | arxivid | arxivnumber | arxivno | eprint | eprintid | arxiv番号 | arxiv编号",
    "code": """
code | codelink | codeurl | github | githuburl | githublink | repo | repository | 代码 | 代碼 | 代码链接 | コード
ソースコード | 实现
코드""",
    "video": "video | videolink | youtube | talk | 视频 | 動画",
    "slides": "slides | slide | slideslink | スライド | 幻灯片",
    "authors": """
autor | autoren | auteur | auteurs | autores | author | authors | authorlist | creator | creators | firstauthor
authorfullnames | 作者 | 著者 | 著者名 | 発表者
作者列表
저자""",
    "year": """
yr | jahr | erscheinungsjahr | année | año | anno | year | publicationyear | pubyear | publishedyear | 年 | 年份
年度 | 発行年 | 出版年 | 发表年份 | 発表年
公開年
연도 | 년도 | 출판연도""",
    "date": """
datum | fecha | date | publicationdate | published | publishedon | publisheddate | datepublished | releasedate
released
submitted | when | 发表日期 | 发表时间 | 出版日期 | 公開日 | 発行日 | 出版日 | 発表日 | 日期 | 日付 | 时间
날짜 | 발행일 | 출판일""",
    "venue": """
konferenz | tagung | zeitschrift | konferenzzeitschrift | conférence | conferencia | revue | revista
venue | conference | conferencename | conf | journal | journaltitle | publicationtitle | publication | booktitle
source | containertitle | proceedings | proceedingstitle | conferencejournal | venuejournal | sourcetitle
publishedin | publishedat | where | appearedin | 发表于 | 发表会议 | 发表期刊 | 刊物 | 掲載先 | 会議名 | 会议 | 會議
期刊 | 学会 | 掲載 | 会議 | 会议期刊 | 期刊会议 | 雑誌 | 掲載誌 | 発表先 | 出典 | 発表会議 | 会议名称 | 国際会議
학회 | 저널 | 학술지 | 게재지""",
    "reference": """
reference | references | citation | fullreference | fullcitation | bibliographicreference | apa | apacitation
apareference | 参考文献 | 引用文献 | 参考文献格式 | 引用格式""",
    "publisher": "publisher | 出版社 | 出版者",
    "topics": """
topic | category | subcategory | subfield | broadtopic | maintopic | subtopic | topicarea | theme | subject | area
field | researcharea | 分类 | 分類 | 类别 | 類別 | 子类 | 主题 | 方向 | 子方向 | 方向分类 | 领域 | 領域
子领域 | 研究方向 | カテゴリ | カテゴリー | トピック | 分野 | テーマ
주제 | 분야 | 카테고리 | 분류""",
    "class": "method | methods | approach | 手法 | 方法 | domain | ドメイン",
    "tags": """
tag | tags | manualtags | keyword | keywords | categories | topics | themes | subjects | areas | label | labels
mendeleytags | authorkeywords | 标签 | 標籤 | 关键词 | 关键字 | タグ | キーワード
태그 | 키워드""",
    "folders": "folder | folders | collection | collections | フォルダ | フォルダー | 文件夹",
    "status": """
status | state | readstatus | readingstatus | read | isread | done | progress | readstate | 状态 | 狀態 | 阅读状态
statut | estado | gelesen | lu | leído | 是否读完 | 读完 | 是否看完 | 完成情况
状態 | ステータス | 読了 | 既読 | 已读 | 进度 | 是否已读 | 読んだ | 進捗 | 阅读 | 閱讀
상태 | 읽음""",
    "read_on": """
readon | dateread | readdate | finished | finishedon | datefinished | readingdate | completed | completedon | lastread
finish | finishdate | 終了日 | 读完时间 | 结束日期 | 完成日期
读完日期 | 阅读日期 | 已读日期 | 阅读时间 | 読了日 | 読んだ日
읽은날짜 | 읽은날""",
    "rating": """
rating | score | stars | myrating | priority | importance | 评分 | 評分 | 评级 | 評価 | 重要度 | 推荐度 | おすすめ度
평점 | 별점 | 중요도""",
    "abstract": "abstract | abstractnote | 摘要 | 要旨 | アブストラクト | 抄録 | 초록",
    "notes": """
bemerkung | bemerkungen | notiz | notizen | anmerkung | kommentar | remarque | remarques | notas | observaciones
note | notes | comment | comments | remark | remarks | annotation | annotations | description | summary | memo | tldr
excerpt | selection | takeaway | takeaways | keyidea | mynotes | thoughts | review | 备注 | 備註 | 笔记 | 说明 | 评论
简介 | 总结 | 概要 | 備考 | メモ | コメント | 感想 | 要約 | 一言 | 描述 | 核心思想
메모 | 비고 | 요약 | 정리 | 설명 | 코멘트""",
    "type": "type | itemtype | documenttype | publicationtype | entrytype | kind | 类型 | 種類 | 種別",
    "extra": "extra | archivelocation | archiveid",
    "citation_key": "citekey | citationkey | bibtexkey | bibkey",
    "added": """
added | dateadded | addedon | addeddate | created | createdat | createdtime | createddate | timestamp | timeadded
datesaved | saved | savedat | lastedited | lasteditedtime | modified | datemodified | updated | updatedat | accessdate
accessed | lastvisit | time | 添加时间 | 添加日期 | 创建时间 | 创建日期 | 追加日 | 登録日 | 作成日 | 作成日時
更新日 | 更新时间 | 收藏时间 | 保存日""",
    "other": """
id | key | no | nr | lfdnr | number | index | cursor | cover | highlights | favorite | starred | isbn | issn
pages | numpages | issue | volume | numberofvolumes | journalabbreviation | shorttitle | series | place | language
rights | archive | librarycatalog | callnumber | linkattachments | fileattachments | automatictags | editor
editors | wordcount | length | citations | citedby | 序号 | 編號 | 编号 | 番号 | 语言
言語 | 引用数 | 引用 | 被引用数
번호""",
}
_FIELDS = {name: field for field, names in _COLUMN_NAMES.items() for name in words_of(names)}
_MAX_NAME_CHARS = 40
_ENOUGH_KNOWN_NAMES = 5  # known names that are enough in a header of dozens
_BRACKETS = re.compile(r"\s?\((?!\d+\))[^()]{1,30}\)")  # `My rating (1-5)`
_PARTS = re.compile(r"\s?[/&,]\s?")
MIN_KNOWN_COLUMNS = 2
NAMING_FIELDS = NEEDED_FIELDS - {"reference"}  # `Reference` is also the name of columns of other things
_OF_PUBLICATION = "publicationtitle"


@lru_cache(maxsize=256)
def field_of(name: str) -> str:
    """Return the field of a column by its name, or by a part of it: `Tagung/Zeitschrift`. "" if it is unknown."""
    parts = [name, _BRACKETS.sub("", name), *_PARTS.split(name)] if len(name) <= _MAX_NAME_CHARS else []
    return next((field for part in parts if (field := _FIELDS.get(squeeze_name(part)))), "")


def known_columns(names: Sequence[str]) -> list[str] | None:
    """Return the columns of a header line, or None if it is none."""
    columns = fields_of(names)
    field_names = {name for name in columns if name}
    if not field_names & NAMING_FIELDS:
        return None
    has_enough_names = len(field_names) * 2 >= len(names) or len(field_names) >= _ENOUGH_KNOWN_NAMES
    return columns if len(field_names) >= MIN_KNOWN_COLUMNS and has_enough_names else None


def fields_of(names: Sequence[str]) -> list[str]:
    """Return the field of each column. `Publication Title` is the paper beside `Venue`, else where a paper appeared."""
    keys = [squeeze_name(name) for name in names]
    is_paper = "venue" in keys and not any(key != _OF_PUBLICATION and key.endswith("title") for key in keys)
    return [
        "title" if is_paper and key == _OF_PUBLICATION else field_of(name)
        for key, name in zip(keys, names, strict=True)
    ]
