"""Column names of exported tables and their fields.

From Zotero, Mendeley, Pocket, Raindrop, Instapaper, Notion, Scopus, and spreadsheets in English, Japanese and Chinese.
"""

from readtrack.infra.text.titles.vocabulary import words_of

# Names in lower case, without spaces and punctuation. "added" and the like are listed so that the date on which an item
# was saved is not taken for its publication or reading date.
_NAMES = {
    "title": """
title | papertitle | articletitle | documenttitle | paper | papername | nameofpaper | name | 标题 | 題名 | 题名 | 题目
題目 | 论文 | 論文 | 论文标题 | 論文タイトル | 论文题目 | 论文名 | 論文名 | 论文名称 | タイトル | 文献名 | 名称 | 名前
標題 | 书名""",
    "url": """
url | urls | link | links | paperlink | paperurl | paperurls | address | href | website | web | homepage | pdf | pdflink
pdfurl | arxivlink | arxivurl | sourceurl | webaddress | uri | articleurl | articlelink | fulltexturl
fulltext | 链接 | 鏈接 | 網址 | 网址 | リンク | アドレス | 论文链接 | 論文リンク | 地址 | 原文链接 | 原文""",
    "doi": "doi | doilink | doiurl | doi番号",
    "arxiv": "arxiv | arxivid | arxivnumber | arxivno | eprint | eprintid | arxiv番号 | arxiv编号",
    "code": """
code | codelink | codeurl | github | githuburl | githublink | repo | repository | 代码 | 代碼 | 代码链接 | コード
ソースコード | 实现""",
    "video": "video | videolink | youtube | talk | 视频 | 動画",
    "slides": "slides | slide | slideslink | スライド | 幻灯片",
    "authors": """
author | authors | authorlist | creator | creators | firstauthor | authorfullnames | 作者 | 著者 | 著者名 | 発表者
作者列表""",
    "year": """
year | publicationyear | pubyear | publishedyear | 年 | 年份 | 年度 | 発行年 | 出版年 | 发表年份 | 発表年
公開年""",
    "date": """
date | publicationdate | published | publishedon | publisheddate | datepublished | releasedate | released
submitted | publishedat | 发表日期 | 发表时间 | 出版日期 | 公開日 | 発行日 | 出版日 | 発表日 | 日期 | 日付 | 时间""",
    "venue": """
venue | conference | conferencename | conf | journal | journaltitle | publicationtitle | publication
booktitle | source | containertitle | proceedings | proceedingstitle | conferencejournal | venuejournal | sourcetitle
publishedin | 会议 | 會議 | 期刊 | 学会 | 掲載 | 会議 | 会议期刊 | 期刊会议 | 雑誌 | 掲載誌 | 発表先 | 出典 | 発表会議
会议名称 | 国際会議""",
    "publisher": "publisher | 出版社 | 出版者",
    "topics": """
tag | tags | folder | folders | collection | collections | manualtags | keyword | keywords | category | categories
subcategory | subfield | topic | topics | broadtopic | maintopic | subtopic | topicarea | theme | themes
subject | subjects | label | labels | area | field | researcharea | mendeleytags
authorkeywords | 标签 | 標籤 | 分类 | 分類 | 类别 | 主题 | 方向 | 领域 | 領域 | 关键词 | 关键字 | 研究方向
タグ | カテゴリ | カテゴリー | トピック | 分野 | フォルダ | フォルダー | キーワード | テーマ""",
    "status": """
status | state | readstatus | readingstatus | read | isread | done | progress | readstate | 状态 | 狀態 | 阅读状态
状態 | ステータス | 読了 | 既読 | 已读 | 进度 | 是否已读 | 読んだ | 進捗""",
    "read_on": """
readon | dateread | readdate | finished | finishedon | datefinished | readingdate | completed | completedon | lastread
读完日期 | 阅读日期 | 已读日期 | 阅读时间 | 読了日 | 読んだ日""",
    "rating": """
rating | score | stars | myrating | priority | importance | 评分 | 評分 | 评级 | 評価 | 重要度 | 推荐度 | おすすめ度""",
    "abstract": "abstract | abstractnote | 摘要 | 要旨 | アブストラクト | 抄録",
    "notes": """
note | notes | comment | comments | remark | remarks | annotation | annotations | description | summary | memo | tldr
excerpt | selection | takeaway | takeaways | keyidea | mynotes | thoughts | review | 备注 | 備註 | 笔记 | 说明 | 评论
简介 | 总结 | 概要 | 備考 | メモ | コメント | 感想 | 要約 | 一言 | 描述 | 核心思想""",
    "type": "type | itemtype | documenttype | publicationtype | entrytype | kind | 类型 | 種類 | 種別",
    "extra": "extra | archivelocation | archiveid",
    "added": """
added | dateadded | addedon | addeddate | created | createdat | createdtime | createddate | timestamp | timeadded
datesaved | saved | savedat | lastedited | lasteditedtime | modified | datemodified | updated | updatedat | accessdate
accessed | lastvisit | time | 添加时间 | 添加日期 | 创建时间 | 创建日期 | 追加日 | 登録日 | 作成日 | 作成日時
更新日 | 更新时间 | 收藏时间 | 保存日""",
    "other": """
id | key | no | number | index | citekey | citationkey | cursor | cover | highlights | favorite | starred | isbn | issn
pages | numpages | issue | volume | numberofvolumes | journalabbreviation | shorttitle | series | place | language
rights | archive | librarycatalog | callnumber | linkattachments | fileattachments | automatictags | editor
editors | domain | wordcount | length | citations | citedby | 序号 | 編號 | 编号 | 番号 | 语言
言語 | 引用数 | 引用 | 被引用数""",
}

FIELDS = {name: field for field, names in _NAMES.items() for name in words_of(names)}
FIELDS.pop("", None)
