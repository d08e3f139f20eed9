"""Words by which notes are understood, in the languages of the team: lists only."""


def _words(block: str) -> tuple[str, ...]:
    return tuple(word.strip() for line in block.strip().splitlines() for word in line.split("|"))


def _any_of(block: str) -> str:
    """For use inside a regular expression: the longer words first."""
    return "|".join(sorted(_words(block), key=len, reverse=True))


# Names by which sites sign the titles of their pages.
SITES = _any_of("""
知乎 | 知乎专栏 | 百度搜索 | 搜索 | 必应 | 搜索结果 | Google 搜索 | Google Search | Google 検索 | 検索 | Search
Bing | YouTube | Colab | Colaboratory | Google Colab | Open ATA | ATA | USENIX | PyTorch | 掘金 | 简书
CSDN博客 | CSDN | 博客园 | SegmentFault | 思否 | 哔哩哔哩 | 哔哩哔哩_bilibili | bilibili | 微信公众平台 | 微信
腾讯云开发者社区 | 阿里云开发者社区 | Qiita | Zenn | note | はてなブログ | GitHub | Medium | arXiv | arXiv.org
OpenReview | Speaker Deck | Docswell | SlideShare | Hugging Face | ACM Digital Library | IEEE Xplore
IEEE Conference Publication | Semantic Scholar | ScienceDirect | SpringerLink | Wikipedia
维基百科，自由的百科全书 | ウィキペディア | X | Twitter | Reddit | Stack Overflow | Hacker News | Substack
""")

# Link texts that say what is behind a link, not what it is called; and the words that stand before them.
GENERIC = _any_of(r"""
link | links | url | paper | papers | pdf | abs | abstract | arxiv | html | here | this | page | site | website
homepage | project | blog | blog ?post | post | article | code | github | repo | repository | source | slides?
ppt | pptx | deck | video | videos | talk | presentation | youtube | bilibili | poster | demo | docs?
documentation | note | notes | twitter | tweet | x | model | models | weights | dataset | data | huggingface
hugging face | openreview | acm | ieee | usenix | doi | bib | bibtex | cite | supplement | appendix | download
source code | extended version | tech(?:nical)? report | review | summary | thread | リンク | こちら | ここ
論文 | コード | スライド | 動画 | 解説 | 記事 | 链接 | 鏈接 | 论文 | 代码 | 原文 | 文章 | 视频 | 幻灯片 | 笔记
地址 | 点击这里 | 这里 | 传送门 | 项目
""")
GENERIC_FIRST = _any_of("""
link | links | link to
read | view | get | full | original | official | the | this | my | our | source | project | home | web
""")

# Conferences, journals and preprint servers, as people tag them.
VENUES = _any_of("""
AAAI | ACL | AISTATS | APNet | APSys | arXiv | ASE | ASPLOS | ATC | BMVC | CAV | CCGrid | CCS | CGO | CHI | CIDR
CIKM | CLUSTER | CoNLL | COLING | COLM | CoLLM | CoRL | CVPR | DAC | DATE | DSN | ECCV | EMNLP | EACL | ESEC
EuroPar | EuroSys | FAST | FCCM | FPGA | FPL | FSE | HiPC | HiPEAC | HotCarbon | HotCloud | HotMobile | HotNets
HotOS | HotStorage | HPCA | HPDC | ICASSP | ICC | ICCAD | ICCD | ICCV | ICDCS | ICDE | ICDM | ICLR | ICML | ICPE
ICPP | ICRA | ICS | ICSE | IISWC | IJCAI | IMC | INFOCOM | INTERSPEECH | IPDPS | IROS | ISCA | ISPASS | ISSCC
ISSTA | JMLR | JSSC | KDD | LREC | LICS | MASCOTS | MICRO | Middleware | MLArchSys | MLSys | MM | MobiCom
MobiSys | NAACL | Nature | NDSS | NeurIPS | NIPS | NSDI | OOPSLA | OSDI | PACT | PLDI | PODC | PODS | POPL
PPoPP | preprint | PVLDB | RecSys | RTSS | Science | SC | SIGCOMM | SIGGRAPH | SIGIR | SIGKDD | SIGMETRICS
SIGMOD | SoCC | SOSP | SPAA | SSP | STOC | SYSTOR | TACL | TACO | TC | TKDE | TMLR | TOCS | TOG | TOIS | TON
TOS | TPAMI | TPDS | UAI | UIST | USENIX ATC | USENIX Security | VEE | VLDB | VLSI | WSDM | WWW | S&P | Euro S&P
IEEE S&P
""")

# Headings that say what kind of list follows, not what it is about.
NO_TOPIC = _words("""
reference | references | bibliography | further reading | related reading | other | others | misc
miscellaneous | info | infos | information | update | updates | updated | news | changelog | history | link
links | url | urls | useful links | resource | resources | content | contents | table of contents | toc | index
note | notes | memo | memos | todo | to do | todos | task | tasks | introduction | intro | overview | about
license | licence | contributing | contribution | contributions | acknowledgement | acknowledgements
acknowledgment | acknowledgments | citation | cite | appendix | general | general info | unsorted
uncategorized | inbox | archive | paper | papers | paper list | papers list | list of papers | reading list
to read | toread | unread | read | reading | done | bookmarks | tabs | tmp | temp | draft | summary | abstract
conclusion | star history | legend | readme | article | articles | blog | blogs | book | books | video | videos
参考 | 参考文献 | 参考资料 | 参考資料 | 参考リンク | 参考链接 | 引用 | 文献 | 目次 | 目录 | 目錄 | その他 | 其他
其它 | 其他资料 | リンク | リンク集 | 链接 | メモ | 笔记 | 筆記 | 更新 | 更新履歴 | 更新日志 | 更新记录
お知らせ | 情報 | 关于 | はじめに | おわりに | 前言 | 简介 | 总结 | 概要 | 论文 | 論文 | 论文列表 | 論文リスト
未読 | 既読 | 未读 | 已读 | 待读 | 積読 | 阅读列表 | 読むもの | 読みたい | 凡例 | 图例 | 付録 | 附录 | 杂项
雑多 | 雑記 | 今日 | 昨日 | 资料 | 資料 | 文章 | 記事
""")

# Headings under which plain lines name or describe works.
REFERENCES = _words("""
reference | references | bibliography | further reading | related reading | 参考 | 参考文献 | 参考资料
参考資料 | 文献 | 引用文献
""")

# English words that titles write small.
SMALL = frozenset(
    _words("""
a | an | the | of | for | in | on | at | to | and | or | by | with | from | via | as | is | are | be | using
into | over | under | vs | through
""")
)
