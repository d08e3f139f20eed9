"""Headings of table columns in several languages, and what the columns contain."""

import re
from functools import lru_cache

from readtrack.infra.text.titles.vocabulary import words_of

_NAMES = {
    "number": """
# | no | no. | nr | nr. | nº | n° | lfd. nr. | num | number | index | idx | s.no | s. no | sl no | id | 序号
序號 | 编号 | 編號
番号 | 项次
번호 | 순번""",
    "date": """
date | year | yr | yr. | when | time | month | publication date | pub date | publish date | published on
release date | published | released | release | submitted | submission date | publication year | pub. year
日期 | 时间 | 時間 | 年份 | 年
jahr | année | annee | año | datum | erscheinungsjahr | erschienen | fecha | anno
年度 | 年月 | 发表时间 | 发表日期 | 发布时间 | 发布日期 | 发表年份 | 首次公开 | 公開日 | 日付 | 発表年 | 出版年
投稿日
날짜 | 연도 | 년도 | 발행일 | 출판일 | 발행연도 | 출판연도 | 게재일""",
    "read_on": """
date read | read date | read on | reading date | finished | finished on | date finished | finish date | date completed
阅读日期 | 阅读时间 | 读完日期 | 读完时间 | 閱讀日期 | 読了日 | 読んだ日 | 読み終わった日 | 読み終えた日
읽은 날짜 | 읽은 날""",
    "title": """
title | work title | titel | titre | título | titulo | titolo | 标题 | 標題 | 题目 | 題目 | 題名 | 题名
タイトル | 文章标题 | 文章
제목""",
    "paper": """
paper | papers | paper title | article title | paper name | name of paper | title of paper
publication title | 论文题目 | 论文标题 | 论文名 | 论文名称 | 論文題目 | 論文名 | 論文タイトル | 文献名
文献题目 | article | articles | literature | reference paper | manuscript | study | studies | 论文 | 論文
文献 | paper/project | paper & code | 论文/文章 | 论文阅读
논문 | 논문명 | 논문 제목 | 논문제목""",
    "publication": """
publication | publications | reference | references | citation | full reference | full citation | 出版
参考文献 | 引用 | 引用格式 | 引文 | 引文格式 | 参考文献格式 | 引用文献
참고문헌""",
    "where": "where",
    "name": """
name | short name | method | methods | methodology | model | models | model name | approach | algorithm
algorithms | work | works | framework | system | dataset | datasets | dataset name | benchmark | project
project name | tool | tools | abbreviation | abbr | abbr. | acronym | alias | nickname | technique
technology | resource | 资源 | 資源 | 资料 | repo name | package | library | software | entry | item
topic/paper | 名字 | 名称 | 名稱 | 简称 | 簡稱 | 略称 | 别名 | 別名 | 名前 | 方法 | 方法名 | 模型 | 模型名 | 模型名称
手法 | 手法名 | モデル | 算法 | 工作 | 项目名称 | 数据集 | 数据集名称 | 框架 | 工具
이름 | 모델 | 모델명 | 방법 | 방법론 | 데이터셋 | 알고리즘""",
    "venue": """
venue | venues | appeared | appeared in | conf | conf. | conference | conferences | journal | published in
published at | publisher | pub | pub. | proceedings | conference/journal | venue/year | conf/journal | venue & year
konferenz | tagung | zeitschrift | konferenz/zeitschrift | conférence | conferencia | revue | revista
source venue | accepted | accepted by | 会议 | 會議 | 期刊 | 会议/期刊 | 期刊/会议 | 发表会议 | 发表期刊 | 发表
发表于 | 出处 | 出處 | 刊物 | 会議 | 学会 | 学会/論文誌 | 論文誌 | 掲載 | 掲載誌 | 掲載先 | 発表 | 発表先 | 会議名
ジャーナル | 来源期刊 | 收录 | 刊会 | 刊会简称 | 会议简称 | 期刊简称 | 会议名称 | 期刊名称
학회 | 저널 | 학술지 | 게재지 | 학회/저널""",
    "status": """
status | read | read? | done | done? | state | progress | reading status | finished? | check | checked | ✅
gelesen | lu | leído | statut | estado | 是否读完 | 读完 | 是否看完 | 读了吗
✔ | ✔️ | 状态 | 狀態 | 阅读状态 | 进度 | 進度 | 完成 | 是否已读 | 已读 | 是否阅读 | 阅读进度 | 完成情况
阅读 | 阅读情况 | 閱讀
ステータス | 状態 | 既読 | 進捗 | 読了
상태 | 읽음 | 완료 | 진행 상황""",
    "rating": """
rating | recom | recommend | recommendation | recommended | stars | star | ⭐ | ⭐️ | importance | 推荐
推荐度 | 推荐指数 | 评分 | 评级 | 星级 | 重要性 | 重要程度 | おすすめ | おすすめ度 | 評価 | 重要度
평점 | 별점 | 중요도""",
    "code": """
code | codes | github | repo | repos | repository | repositories | implementation | implementations
source code | open source | opensource | official code | official repo | code link | github repo | pytorch
tensorflow | weights | checkpoint | checkpoints | 代码 | 代碼 | 源码 | 代码链接 | 开源 | 开源代码 | 开源地址
代码地址 | コード | 実装 | 公式コード | ソースコード
코드 | 구현""",
    "link": """
link | links | url | urls | pdf | arxiv | arxiv id | arxiv link | doi | download | paper link | paper url
paper pdf | pdf link | resources | source | sources | abs | html | openreview | access | hyperlink | web
链接 | 鏈接 | 連結 | 论文链接 | 论文地址 | 地址 | 原文 | 原文链接 | 下载 | 下载地址 | 来源 | リンク
論文リンク | 出典 | リソース
링크 | 주소 | 논문 링크 | 출처""",
    "authors": """
author | authors | author(s) | autor | autoren | autor(en) | auteur | auteurs | autores | first author | writer
writers | 作者 | 第一作者 | 一作 | 著者
筆頭著者 | 执笔
저자 | 제1저자""",
    "affiliation": """
affiliation | affiliations | institute | institutes | institution | institutions | organization
organisation | organizations | org | company | lab | group | team | university | school | country
from | maintainer | developer | 机构 | 機構 | 单位 | 單位 | 团队 | 组织 | 公司 | 学校 | 所属 | 所属機関
機関 | 发布机构 | 作者单位 | 研究机构 | 大学
소속 | 기관""",
    "notes": """
note | notes | comment | comments | remark | remarks | description | desc | desc. | summary | summaries
bemerkung | bemerkungen | notiz | notizen | anmerkung | kommentar | remarque | remarques | notas | observaciones
tl;dr | tldr | highlight | highlights | contribution | contributions | main contribution | key idea
key ideas | main idea | idea | key points | insight | insights | takeaway | takeaways | details | overview
brief | introduction | intro | info | others | other | misc | memo | review | my notes | explanation | 备注
說明 | 说明 | 简介 | 簡介 | 笔记 | 筆記 | 评论 | 评价 | 总结 | 摘要总结 | 要点 | 亮点 | 描述 | 内容 | 介绍
解读 | 解说 | 贡献 | 创新点 | 核心思想 | 主要贡献 | メモ | 備考 | コメント | 概要 | 要約 | 説明 | 感想
まとめ | ひとこと | ノート
메모 | 비고 | 요약 | 정리 | 내용 | 설명 | 코멘트 | 한줄 요약""",
    "abstract": "abstract | abstracts | 摘要 | 抄録 | 초록",
    "media": """
slide | slides | ppt | video | videos | talk | talks | presentation | recording | poster | project page
projectpage | homepage | home page | website | web page | webpage | project website | site | demo | demos
blog | blogs | blog post | tweet | tweets | twitter | bibtex | bib | cite | data | supplement | supp
supplementary | huggingface | hugging face | hf | colab | model weights | 视频 | 視頻 | 影片 | 幻灯片 | 课件
项目主页 | 主页 | 项目 | 博客 | 讲解 | 視頻講解 | 视频讲解 | 动画 | 動画 | スライド | 発表資料
プロジェクト | プロジェクトページ | 解説
영상 | 발표자료 | 슬라이드 | 블로그""",
    "picture": """
cover | figure | fig | image | picture | img | teaser | thumbnail | preview | logo | duration | length
封面 | 图 | 图片 | 配图 | 时长 | 時長 | 画像 | 図""",
    "topic": """
topic | topics | tag | tags | category | categories | area | areas | field | research area | subject | domain
subfield | theme | themes | 主题 | 主題 | テーマ | 位置づけ | 位置付け | ジャンル
分类 | 分類 | 类别 | 類別 | 标签 | 標籤 | 方向 | 研究方向 | 领域 | 領域 | 分野 | カテゴリ | カテゴリー | タグ
トピック | ドメイン
주제 | 분야 | 카테고리 | 분류 | 태그 | 키워드""",
}
_ROLES = {name: role for role, names in _NAMES.items() for name in words_of(names)}
_CJK_NAMES = tuple(sorted((name for name in _ROLES if not name.isascii() and len(name) > 1), key=len, reverse=True))
_NAMES_PAPERS = frozenset({"title", "paper"})
_MARKUP = re.compile(r"!?\[([^\[\]]{0,200})\]\([^()]{0,500}\)|<[^<>]{0,200}>")
_BRACKETS = re.compile(r"(?<!\s)\s*[(（\[][^()（）\[\]]{0,80}[)）\]]")
_EDGES = " \t*_`:：~^📌📅📄🔗📝📖📚📙📎💻🏷🎯🔥🏆🗂🧾🗓"
_PARTS = re.compile(r"(?<!\s)(?:\s*[/／&,，、+|｜・·]\s*|\s+(?:and|or|y|und)\s+)")
_ANYWHERE = ("会议", "會議", "会議", "期刊", "学会", "链接", "リンク", "代码", "日期", "作者", "著者", "标题", "备注")
_NAMED = re.compile(r"(.{1,20})(?:名称|名稱|名字|名)")
_MAX_NAME_CHARS = 60


@lru_cache(maxsize=512)
def role_of(heading: str) -> str:
    """Return the role of a column by its heading, "" if unknown."""
    label = _MARKUP.sub(r"\1", heading).replace("&nbsp;", " ").replace("\ufe0f", "")
    label = " ".join(label.split()).strip(_EDGES).casefold()
    if not label or len(label) > _MAX_NAME_CHARS:
        return ""
    unbracketed = _BRACKETS.sub("", label).strip(_EDGES)
    for name in (label, unbracketed):
        if name in _ROLES:
            return _ROLES[name]
    parts = [role for part in _PARTS.split(unbracketed) if (role := _of_words(part))]
    return next((role for role in parts if role in _NAMES_PAPERS), parts[0] if parts else _of_words(unbracketed))


def _of_words(text: str) -> str:
    """Look up the longest known suffix ("official repository"), or a known beginning ("title of work")."""
    if text in _ROLES:
        return _ROLES[text]
    if not text.isascii():
        if (match := _NAMED.fullmatch(text)) and match[1] in _ROLES:
            return _ROLES[match[1]]
        matches = [name for name in _CJK_NAMES if text.endswith(name)] or [name for name in _ANYWHERE if name in text]
        return _ROLES[matches[0]] if matches else ""
    words = text.split()
    if not 2 <= len(words) <= 4:
        return ""
    if words[-1] in {"name", "names"} and words[-2] in _ROLES:
        return _ROLES[words[-2]]
    suffixes = (" ".join(words[start:]) for start in range(1, len(words)))
    return next(
        (_ROLES[end] for end in suffixes if end in _ROLES), _ROLES.get(words[0], "") if words[1] == "of" else ""
    )
