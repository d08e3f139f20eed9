"""Word lists for headings and field labels."""

import re

from readtrack.infra.text.titles.vocabulary import words_of

_ANYTHING_BUT_WORDS = re.compile(r"[\W_]+")
_EMOJI = re.compile("[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d]+\\s?")
_IN_BRACKETS = re.compile(r"\s?[(（][^()（）]{0,30}[)）]")
_MAX_NAME_CHARS = 40


def squeeze_name(name: str) -> str:
    """Return only the letters and digits in lower case, for comparison with word lists."""
    return _ANYTHING_BUT_WORDS.sub("", name.casefold())


# Labels of fields below a paper's heading.
FIELD_NAMES = {
    "title": words_of("""
title | paper title | article title | full title | original title | 题目 | 題目 | 标题 | 標題 | 论文题目 | 论文标题
论文名称 | 论文名 | 文章标题 | 文章题目 | 英文标题 | タイトル | 論文名 | 論文タイトル | 原題 | 題名
paper name | name of paper | name of the paper | 제목 | название | заголовок
titel | titre | título
"""),
    "paper": words_of("""
paper | the paper | article | original paper | preprint | 论文 | 論文 | 文献 | 原论文 | 논문
"""),
    "link": words_of("""
link | links | url | urls | source url | pdf url | arxiv abs | abs url | abs | original url
openreview url | doi link | paper link | paper url | link to paper | pdf | pdf link | arxiv
arxiv id | arxiv link
arxiv url | doi | source | address | full text | paper pdf | openreview | acm | ieee | 链接 | 鏈接 | 论文链接
论文地址 | 原文链接 | 原文地址 | 原文 | 地址 | 下载地址 | 论文下载 | 文章链接 | リンク | 論文リンク | 論文url | 元論文
出典 | 링크 | ссылка
"""),
    "authors": words_of("""
author | authors | by | who | written by | first author | 作者 | 论文作者 | 第一作者 | 著者 | 著者名 | 筆者 | 저자
автор | авторы | autoren | auteurs | autores
"""),
    "venue": words_of("""
venue | where | conference | conf | journal | published in | publication | published at | publisher | appeared in
proceedings | booktitle | presented at | 会议 | 會議 | 会議 | 期刊 | 学会 | 學會 | 发表 | 发表于 | 发表会议 | 发表期刊
publication title | proceedings title | conference name | container title | book title
会议期刊 | 期刊会议 | 出处 | 来源 | 刊物 | 掲載 | 掲載誌 | 掲載先 | 発表 | 発表先 | 発表会議 | 学会名 | 会議名 | 학회
журнал | конференция | zeitschrift | revue | revista
"""),
    "date": words_of("""
year | yr | date | published | published on | publication date | publication year | publish date
date published | issued
published date | submitted | submitted on | submission date | release date | 年份 | 年 | 时间 | 發表時間 | 发表时间
发布时间 | 发表日期 | 发表年份 | 日期 | 出版年 | 出版时间 | 発表年 | 発行年 | 公開日 | 投稿日 | 発表日 | 年度 | 일자
год | дата | jahr | année | año
"""),
    "read_on": words_of("""
read on | date read | read date | reading date | read at | finished | finished on | date finished | 阅读时间
阅读日期 | 读于 | 閱讀日期 | 読んだ日 | 読了日 | 読書日
"""),
    "status": words_of("""
status | reading status | read status | state | progress | read? | 进度 | 阅读进度 | 進捗
状态 | 阅读状态 | 狀態 | ステータス | 状態 | 상태
"""),
    "rating": words_of("""
rating | score | stars | my rating | 评分 | 推荐度 | 评级 | 評価 | 重要度
"""),
    "topics": words_of("""
tag | tags | keyword | keywords | topic | topics | category | categories | subject | subjects | area
field | 标签
關鍵詞 | 关键词 | 关键字 | 分类 | 主题 | 领域 | タグ | キーワード | カテゴリ | 分野 | 키워드
"""),
    "abstract": words_of("""
abstract | 摘要 | アブストラクト | 초록
"""),
    "extra": words_of("""
subtitle | 副标题 | 副題 | サブタイトル
code | codes | github | source code | repo | repository | implementation | official code | code link
项目页 | project
project page | project website | homepage | website | web | demo | slides | slide | video | talk
blog | blog post
poster | dataset | datasets | data | model | notes | note | remark | remarks | comment | comments | review
tweet | discussion | 代码 | 代码链接
代码地址
源码 | 开源代码 | affiliation | affiliations | institution | institutions | organization | organizations
机构 | 作者单位 | 单位 | 所属
所属機関 | 项目 | 项目主页 | 项目地址 | 主页 | 数据集 | 视频 | コード | 実装 | プロジェクト
プロジェクトページ | スライド | 動画 | 코드
"""),
    "presenter": words_of("""
presenter | presenters | speaker | presented by | discussant | 発表者 | 担当 | 担当者 | 紹介者 | 司会 | 主讲 | 主讲人
报告人 | 分享人 | 讲者 | 汇报人
"""),
}

# Headings of sections about the list itself, such as its license.
ABOUT_THE_LIST = words_of("""
contributing | contribute | how to contribute | contribution | contributions | contribution guidelines
contribution guide | contributing guidelines | contribution guideline | contributors
our contributors | maintainers
authors and contributors | license | licence | licensing | copyright | star history | stargazers
stargazers over time | star | stars | star history chart | sponsor | sponsors | support us
support this project
contact | contact us | contacts | disclaimer | donate | acknowledgement | acknowledgements
acknowledgment
acknowledgments | thanks | credits | feedback | code of conduct | changelog | change log | 贡献 | 贡献者
如何贡献
贡献指南 | 参与贡献 | 许可 | 许可证 | 许可协议 | 版权 | 版权声明 | 致谢 | 鸣谢 | 联系方式 | 联系我们 | 联系 | 免责声明
star 历史 | star 趋势 | 赞助 | 更新日志 | ライセンス | 貢献 | コントリビュート | 謝辞 | お問い合わせ | 連絡先
免責事項
""")
CITE_THE_LIST = words_of("""
citation | citations | citing | cite | cite us | how to cite | cite this | cite this work
cite our work | bibtex
citation and acknowledgement | please cite | to cite | 引用 | 引用格式 | 如何引用 | 引用方法 | 引用本项目 | 引用我们
""")

# Headings within the notes on one paper.
PARTS_OF_NOTES = words_of("""
abstract | summary | tldr | tl dr | tl;dr | introduction | intro | background | motivation
motivations | problem
problem statement | problem definition | goal | goals | key idea | key ideas | key points
main idea | main ideas
idea | ideas | insight | insights | key insight | key insights | contribution | contributions
main contributions
method | methods | methodology | approach | model | model architecture | architecture | design
implementation
algorithm | algorithms | training | details | experiment | experiments | experimental results
experimental setup
evaluation | evaluations | result | results | findings | key findings | discussion | limitation
limitations
weaknesses | strengths | pros | cons | pros and cons | strengths and weaknesses | conclusion
conclusions
future work | related work | related works | my thoughts | thoughts | comments | notes | note
my notes | takeaways
discussion questions | suggested discussion questions
key takeaways | questions | open questions | critique | review | overview | datasets | dataset
metrics | loss
loss function | what | why | how | analysis | ablation | ablation study | ablations | info
information | metadata
prior solution | prior solutions | solution | solutions | challenge | challenges | interesting points
good points | bad points | keyidea | hot takes | additional comments | my opinion | further reading
link | links | paper | code | references | reference | citation | highlights | quotes | 摘要 | 概述 | 总结 | 小结
简介 | 引言 | 介绍 | 背景 | 研究背景 | 动机 | 问题 | 研究问题 | 方法 | 模型 | 模型结构 | 创新点 | 贡献 | 主要贡献
核心思想 | 核心内容 | 主要内容 | 实验 | 实验结果 | 结果 | 结论 | 讨论 | 局限 | 不足 | 优点 | 缺点 | 优缺点 | 思考
个人思考 | 个人理解 | 评价 | 笔记 | 论文信息 | 基本信息 | 相关工作 | 启发 | 疑问 | 论文要点 | 设计要点 | 参考文献
参考资料 | 概要 | 要約 | 一言でいうと | 一言で言うと | どんなもの | どんなもの？ | 先行研究と比べてどこがすごい
先行研究と比べてどこがすごい？ | 技術や手法のキモはどこ | 技術や手法のキモはどこ？ | 技術や手法の肝は？
どうやって有効だと検証した | どうやって有効だと検証した？ | 議論はある | 議論はある？ | 議論はあるか
次に読むべき論文は | 次に読むべき論文は？ | 論文情報 | 手法 | 提案手法 | 結果 | 実験 | 考察 | 結論 | まとめ | 感想
コメント | 課題 | 目的 | 新規性 | 貢献 | 検証方法 | 関連研究 | メモ | 所感
""")

# Summaries of folds that hide notes on the paper above.
FOLDS_OF_NOTES = PARTS_OF_NOTES + words_of("""
click to expand | click to view | click to show | expand | show | show more | more | read more | details | detail
see more | short abstract | full abstract | paper abstract | bibtex | bib | show bibtex | tl;dr summary | figures
展开 | 点击展开 | 点击查看 | 详情 | 折叠 | 查看更多 | 詳細 | 続きを読む | 展開
""")

# Headings of the fields below a paper's title.
FIELDS_OF_PAPER = words_of("""
metadata | meta | meta data | info | information | paper info | paper information | paper details
basic info
basic information | bibliographic information | citation info | source | 元信息 | 元数据 | 基本信息 | 论文信息
文献信息 | 书目信息
来源 | 論文情報 | 書誌情報 | 基本情報 | メタ情報
""")

_KEY_OF = {name: key for key, names in FIELD_NAMES.items() for name in names}


def key_of(name: str) -> str:
    """Return the key of a label, also for "Venue / source" and "Code (robot)", or "" if it is unknown."""
    text = name if name.isascii() else _EMOJI.sub("", name)
    text = _IN_BRACKETS.sub("", text) if "(" in text or "（" in text else text
    text = text.casefold().replace("-", " ").replace("_", " ")
    if len(text) > _MAX_NAME_CHARS:
        return ""
    key = _KEY_OF.get(" ".join(text.split()), "")
    return key or next((key for part in text.split("/") if (key := _KEY_OF.get(" ".join(part.split()), ""))), "")
