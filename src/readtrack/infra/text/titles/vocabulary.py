"""Word lists for parsing notes, in the team's languages, and the CJK letters, written without spaces between words."""

import re

from readtrack.infra.text.titles.prefix_tree import prefix_tree

# Parts of names of other journals and conferences.
VENUE_WORDS = (
    r"Transactions|Trans\.|Journal|Proceedings|Proc\.|Conference|Conf\.|Workshops?|Symposium|Letters|Magazine|Surveys|"
    r"(?:Master'?s?|PhD|Ph\.D\.|MSc|Doctoral|Bachelor'?s?)\s(?:Thesis|Dissertation)|Dissertation|White\s?paper|"
    r"Tech(?:nical)?\.?\sReport|Under\sreview|Nature\s[A-Z][a-z]+(?:\s[A-Z][a-z]+)?|Science\s[A-Z][a-z]+|"
    r"IEEE\s[A-Z][a-z]+|Commun(?:ications|\.)\sof\sthe\sACM"
)
CJK_LETTERS = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"  # For use in a regex character class.
CJK = re.compile(f"[{CJK_LETTERS}]")
LETTER = re.compile(r"[^\W\d_]")
LETTER_OR_DIGIT = re.compile(r"[^\W_]")


def words_of(block: str) -> tuple[str, ...]:
    """Return the words of a list separated by bars and line breaks."""
    return tuple(word.strip() for line in block.strip().splitlines() for word in line.split("|"))


def _any_of(block: str) -> str:
    """Return a regex alternation of the words, longest first."""
    return "|".join(sorted(words_of(block), key=len, reverse=True))


# Site names in page titles.
SITES = _any_of("""
知乎收藏 | 百度学术 | 百度文库 | 豆瓣 | 中国知网 | 万方数据 | J-STAGE | CiNii Research |
知乎 | 知乎专栏 | 百度搜索 | 搜索 | 必应 | 搜索结果 | Google 搜索 | Google Search | Google 検索 | Google 学术搜索
Google Scholar | 検索 | Search | Bing | YouTube | Colab | Colaboratory | Google Colab | USENIX
PyTorch | 掘金 | 简书 | CSDN博客 | CSDN | 博客园 | SegmentFault | 思否 | 哔哩哔哩 | 哔哩哔哩_bilibili | bilibili
微信公众平台 | 微信 | 腾讯云开发者社区 | 阿里云开发者社区 | Qiita | Zenn | note | はてなブログ | GitHub | Medium
arXiv | arXiv.org | arXiv Vanity | arxiv-vanity | alphaXiv | OpenReview | Speaker Deck | Docswell | SlideShare
Hugging Face | ACM Digital Library | ACM DL | IEEE Xplore | IEEE Conference Publication | IEEE Journals & Magazine
IEEE Journals and Magazine | IEEE Xplore Full-Text PDF | ACL Anthology | Papers With Code | Papers with Code
ResearchGate | Request PDF | Academia.edu | Semantic Scholar | ScienceDirect | SpringerLink | Springer
Springer Nature Link | Wiley Online Library | Nature | Science | PNAS | PLOS ONE | bioRxiv | medRxiv | JSTOR | PubMed
DeepAI | CatalyzeX | Connected Papers | Hugging Face Papers | NeurIPS Proceedings | The Morning Paper
the morning paper | Microsoft Research | Google Research | Google AI Blog | Meta Research | Meta AI Research
AI at Meta | Google DeepMind | DeepMind | OpenAI | Apple Machine Learning Research | NVIDIA | NVIDIA Technical Blog
NVIDIA Developer | NVIDIA Research | IBM Research | AWS | Towards Data Science | Wikipedia | 维基百科，自由的百科全书
ウィキペディア | X | Twitter | Reddit | Stack Overflow | Hacker News | Substack | LinkedIn | Cornell University | JMLR
PMLR | CVF Open Access | ar5iv
""")

# Link texts that name the kind of target instead of a title.
GENERIC = frozenset(
    words_of("""
author | authors | link | links | url | urls | paper | papers | pdf | pdfs | abs | abstract | arxiv | ar5iv | alphaxiv
html | here | this | page | site | website | homepage | project | blog | blogpost | post | article | code | codes
github | gitlab | repo | repository | source | slide | slides | ppt | pptx | deck | video | videos | talk
presentation | youtube | bilibili | poster | demo | doc | docs | documentation | note | notes | twitter | tweet | x
model | models | weights | dataset | datasets | data | huggingface | hugging face | hf | openreview | acm | acm dl
acm digital library | ieee | ieee xplore | usenix | springer | nature | sciencedirect | neurips | pmlr | cvf | doi
bib | bibtex | cite | citation | supp | suppl | supplement | supplementary | supplementary material | supplemental
appendix | download | source code | extended version | extended abstract | tech report | technical report | full text
fulltext | preprint | camera ready | camera-ready | review | reviews | summary | thread | colab | notebook | tutorial
leaderboard | benchmark | scholar | google scholar | semantic scholar | zhihu | medium | reddit | wiki | media | news
文 | 📄 | 🔗 | 🤗 | статья | ссылка | препринт | пдф | код | репозиторий | слайды | презентация | видео | доклад | сайт
страница | проект | блог | здесь | тут | άρθρο | σύνδεσμος | κώδικασ | διαφάνειεσ | βίντεο | εδώ | ιστοσελίδα | מאמר
המאמר | קישור | קוד | מצגת | שקפים | וידאו | סרטון | אתר | כאן | مقال | مقالة | ورقة | رابط | بحث | كود | الكود | شرائح
فيديو | موقع | هنا | लेख | पेपर | लिंक | कोड | स्लाइड | वीडियो | वेबसाइट | यहाँ | บทความ | ลิงก์ | ลิงค์
งานวิจัย | โค้ด
สไลด์ | วิดีโอ | เว็บไซต์ | ที่นี่
""")
)
# The same in languages written without spaces; they can be combined: 论文链接, 記事はこちら.
GENERIC_CJK = _any_of("""
リンク | リンク先 | こちら | ここ | これ | 論文 | 原論文 | 元論文 | 本文 | 原文 | コード | 実装 | 公式実装 | 公式
スライド | 発表資料 | 資料 | 動画 | 解説 | 解説記事 | 記事 | ブログ | まとめ | メモ | 詳細 | 詳しく | ページ | サイト
プロジェクト | プロジェクトページ | ソース | ソースコード | ダウンロード | 参照 | 出典 | 链接 | 鏈接 | 連結 | 论文
代码 | 代碼 | 源码 | 文章 | 视频 | 視頻 | 幻灯片 | 笔记 | 筆記 | 地址 | 点击 | 点击这里 | 这里 | 此处 | 点此 | 戳这里
传送门 | 项目 | 主页 | 官网 | 数据 | 数据集 | 模型 | 演示 | 下载 | 全文 | 摘要 | 译文 | 翻译 | 讲解 | 解读 | 博客
知乎 | 知乎专栏 | 公众号 | 微信 | 링크 | 논문 | 코드 | 여기
""")
# Words allowed before generic words, and words that can end a combination.
GENERIC_FIRST = frozenset(
    words_of("""
link | links | to | of | in | on | at | for | with | and | read | view | get | see | open | full | short | long
original | official | unofficial | author's | authors' | our | the | this | my | a | an | source | project | home
web | free | online | local | pytorch | tensorflow | jax | tf | version | extended | latest
""")
)
GENERIC_LAST = frozenset(
    words_of("""
link | links | url | pdf | page | site | website | post | repo | repository | version | download | thread | video
slides | code | demo | paper | card | weights
""")
)

# Conferences, journals and preprint servers.
VENUES = _any_of("""
AAAI | AACL | AAMAS | ACCV | ACL | ACML | ACSAC | AIES | AISTATS | APNet | APSys | arXiv | ASE | ASIACRYPT | AsiaCCS
ASPDAC | ASP-DAC | ASPLOS | ASRU | ATC | bioRxiv | BigComp | BMVC | CACM | CAV | CCGrid | CCS | CGO | CHES | CIDR
CIKM | CLUSTER | CoG | CoGS | CogSci | CVIU | ICANN | ICONIP | ISBI | MIDL | COLING | COLM | CoLLM | COLT | CoNEXT
CoNLL | CoRL | CoRR | CRYPTO | CSCW | CVPR | CVPRW | DAC | DaMoN | DASFAA | DSN | EACL | ECAI | ECCV | ECCVW | ECIR
ECML | ECML-PKDD | ECOOP | ECRTS | EDBT | EMNLP | EMSOFT | ESEC | ESORICS | ESWC | EUROCRYPT | EuroMLSys | EuroPar
Euro-Par | EuroS&P | EuroSys | FAccT | FCCM | FOCS | FPGA | FSE | GECCO | GLOBECOM | HiPC | HiPEAC | HotCarbon
HotChips | Hot Chips | HotCloud | HotEdge | HotInfra | HotMobile | HotNets | HotOS | HotStorage | HPCA | HPCC | HPDC
ICALP | ICAPS | ICASSP | ICCAD | ICCD | ICCV | ICCVW | ICDCS | ICDE | ICDM | ICDT | ICIP | ICLR | ICME | ICML | ICMR
ICNP | ICPE | ICPP | ICPR | ICRA | ICSE | ICSME | ICWSM | IISWC | IJCAI | IJCNLP | IJCNN | IJCV | IMWUT | INFOCOM
INTERSPEECH | IPDPS | IPSN | IROS | ISCA | ISCAS | ISLPED | ISMAR | ISMIR | ISPASS | ISSCC | ISSRE | ISSTA | ISWC
ITCS | ITSC | IWQoS | JACM | JAIR | JMLR | JSAC | JSSC | KDD | LAK | LCTES | LICS | LREC | MASCOTS | medRxiv | MEMSYS
MICCAI | MICRO | Middleware | MLArchSys | MLSys | MobiCom | MobiHoc | MobiSys | NAACL | NDSS | NeurIPS | NeurIPSW
NIPS | NSDI | OOPSLA | OSDI | PACMMOD | PACMPL | PACT | PAKDD | PerCom | PKDD | PLDI | PNAS | PODC | PODS | POMACS
PoPETs | POPL | PPoPP | preprint | PVLDB | RecSys | RTAS | RTSS | SANER | SenSys | SIGCOMM | SIGCSE
SIGGRAPH | SIGGRAPH Asia | SIGIR | SIGKDD | SIGMETRICS | SIGMOD | SoCC | SODA | SOSP | SOSR | SOUPS | SPAA | SSDBM
STOC | SysML | SYSTOR | TACL | TACO | TCAD | TCSVT | TDSC | TechRxiv | TIFS | TKDD | TKDE | TMLR | TNNLS | TOCS | TODAES
TODS | TOIS | TOPLAS | TOSEM | TPAMI | TPDS | TVCG | TVLSI | UbiComp | UIST | USENIX ATC | USENIX Security | VLDB
VLDBJ | VLSI | WACV | WSDM | WWW | TheWebConf | WebConf | IEEE VR | ACM MM | S&P | Euro S&P | IEEE S&P | NeurIPS-W
DIMVA | EuroSec | SysTEX
""")

VENUES_IN_ANY_CASE = prefix_tree(VENUES, any_case=True)

# Venues that are also words or names; matched case-sensitively.
SHORT_VENUES = _any_of("""
3DV | ACMMM | ACM Multimedia | Cell | CHI | CSUR | DATE | EDM | ESA | FAST | FPL | FPT | FM | HPG | HRI | ICC | ICS
IMC | ISC | ITC | IUI | LISA | MM | MMM | MSR | Nature | NC | PAM | PAMI | PETS | PPSN | RAID | RA-L | RAL | RSS | SAS
SC | Science | SDM | SEC | SIGMETRICS Perform. Eval. Rev. | SLT | SSP | TACAS | TC | TCC | TCS | TIP | TMC | TMM
TNET | TOG | TOIT | TOMM | TON | ToN | TOS | TPLP | TRO | T-RO | TSE | UAI | VEE | VIS | VTC | WMT | Security | Blog
DEIM | IEICE | IPSJ | JSAI | MIRU
""")


# Organizations, often tagged in the same place as venues.
ORGANISATIONS = frozenset(
    words_of("""
ai2 | alibaba | amazon | amd | ant | anthropic | apple | baai | baidu | bair | berkeley | bytedance | cmu | cohere
columbia | cornell | cuhk | databricks | deepmind | deepseek | eecs | epfl | eth | ethz | facebook | fair | fudan
google | harvard | hkust | huawei | huggingface | ibm | illinois | intel | kaist | meituan | meta | microsoft
mistral | mit | msra | ms | naver | ntu | nus | nvidia | nyu | openai | oxford | pku | princeton | purdue | qualcomm
salesforce | samsung | sensetime | sjtu | snu | stanford | tencent | thu | tsinghua | tum | ucb | ucla | ucsb | ucsd
uiuc | umich | upenn | ustc | utah | uw | uwaterloo | xai | yale | zju | gpt | llm | llms | llama | moe | rl | ai | ml
nlp | cv | covid | cuda | gpu | gpus | cpu
""")
)

# Headings that describe the kind of a list instead of its subject.
NO_TOPIC = words_of("""
reference | references | bibliography | further reading | related reading | other | others | misc | miscellaneous
info | infos | information | update | updates | updated | news | changelog | history | link | links | url | urls
useful links | resource | resources | content | contents | table of contents | toc | index | note | notes | memo
memos | todo | to do | todos | task | tasks | introduction | intro | overview | about | license | licence
contributing | contribution | contributions | acknowledgement | acknowledgements | acknowledgment | acknowledgments
citation | cite | appendix | general | general info | unsorted | uncategorized | inbox | archive | paper | papers
re-read | reread
paper list | papers list | list of papers | reading list | to read | toread | unread | read | reading | done
bookmarks | tabs | tmp | temp | draft | summary | abstract | conclusion | star history | legend | readme | article
articles | blog | blogs | book | books | video | videos | 参考 | 参考文献 | 参考资料 | 参考資料 | 参考リンク
参考链接 | 引用 | 文献 | 目次 | 目录 | 目錄 | その他 | 其他 | 其它 | 其他资料 | リンク | リンク集 | 链接 | メモ | 笔记
筆記 | 更新 | 更新履歴 | 更新日志 | 更新记录 | お知らせ | 情報 | 关于 | はじめに | おわりに | 前言 | 简介 | 总结
概要 | 论文 | 論文 | 论文列表 | 論文リスト | 未読 | 既読 | 未读 | 已读 | 待读 | 積読 | 阅读列表 | 読むもの | 読みたい
凡例 | 图例 | 付録 | 附录 | 杂项 | 雑多 | 雑記 | 今日 | 昨日 | 资料 | 資料 | 文章 | 記事 | 论文笔记 | 论文阅读
论文阅读笔记 | 論文メモ | 論文まとめ | 読書メモ | paper notes | paper note | reading notes | 注 | 注意 | 备注 | 補足
备忘 | ps | nb | tips | faq | readings | optional | optional reading | optional readings | required reading
required readings | recommended reading | recommended readings | suggested reading | suggested readings
additional reading | additional readings | supplementary reading | supplementary readings | must read | must reads
further readings | mail | mails | email | emails | e-mail | e-mails | メール | 邮件 | 郵件
논문 | 논문 목록 | 논문 리스트 | 논문 읽기 | 논문 읽기 목록 | 참고 문헌 | 참고문헌 | 기타 | 목차 | 소개 | 링크 | 자료
""")

# Headings of bibliographies, where plain lines name works.
REFERENCES = words_of("""
reference | references | bibliography | works cited | further reading | related reading | 参考 | 参考文献
参考资料 | 参考資料
文献 | 引用文献 | 引用 | 참고 문헌 | 참고문헌
""")

# English words that are lower case in titles.
SMALL = frozenset(
    words_of("""
a | an | the | of | for | in | on | at | to | and | or | by | with | from | via | as | is | are | be | using | into
over | under | vs | through
""")
)

# Reading status in a status column, in brackets, or as an Org keyword.
STATUS_WORDS = {
    "read": words_of("""
read | done | finished | skimmed | completed | complete | have read | already read | i have read | read it | yes
y | true | ok | i've read | finished reading
读过的 | 已读的 | 看过的 | 看过 | 读完的 | 讀過的 | 読み終わったもの | 読んだもの
archive | archived | lu | terminé | gelesen | erledigt | fertig | leído | terminado | letto | 已读 | 已讀 | 已阅
已閱 | 读过 | 讀過 | 读完 | 讀完 | 已读完 | 看完 | 已看 | 已看完 | 完成 | 已完成 | 精读 | 精讀 | 是 | 読了 | 読了済
読了済み | 既読 | 読んだ | 読みました | 読み終えた | 読み終わった | 読み終わり | 読書済み | 済 | 済み | 完了 | 完 | 了
はい | ○ | 〇 | 읽음 | 읽은 | 읽은 논문 | 읽었음 | 읽기 완료 | 완료 | 완독
"""),
    "to_read": words_of("""
to read | to-read | toread | to_read | to be read | tbr | tbd | todo | to do | to-do | unread | not read
not read yet | not yet | not started | new | next | inbox | later | read later | backlog | queue | queued | planned
next up | up next | plan | plan to read | want to read | want-to-read | wishlist | someday | no | n | false | open
pending | ungelesen | offen | geplant | à lire | por leer | pendiente | da leggere | 未读 | 未讀 | 没看 | 还没看
没读 | 沒讀 | 还没读 | 待读 | 待讀 | 要读 | 要讀 | 想读 | 想讀 | 想看 | 待看 | 待阅 | 未看 | 待办 | 待辦 | 还未读
還未讀 | 尚未读 | 未开始 | 未開始 | 没开始 | 未着手 | 预计阅读 | 预计读 | 计划阅读 | 打算读 | 稍后阅读 | 计划 | 否
未読 | 積読 | つん読 | 積ん読 | 積み | 読みたい | 読む | 読む予定 | これから読む | これから | あとで読む | 後で読む
今後読む | 今度読む | 次に読む | 読むかもしれない | これから読むかもしれない | 読む予定の | 読むべき | 読んだ方が良い
読んだ方がいい | 読んだほうがいい | 読んだほうが良い | 読むといい | 要読 | まだ読んでいない | 要读的 | 想读的 | 待读的
没读过 | 还没读过 | 再読したい | 先に読む | haven't read | haven't read yet
打算读的 | 需要读 | 需要读的 | 准备读 | 准备读的 | 没读的 | 还没读的 | 未读的 | should read | read next
planned reading | future reading | future readings | future reading pool | reading pool
reading queue | to-read queue | to read queue | reading backlog | 目を通す | まだ | 未 | いいえ | ×
안읽음 | 안 읽음 | 읽을 예정 | 읽을 | 읽을 논문 | 읽어야 할 | 읽어야 할 논문 | 읽기 전 | 예정 | 미독
"""),
    "reading": words_of("""
看了一半 | 读到一半 | 看到一半 | reading | doing | in progress | in-progress | in_progress | inprogress | ongoing
on going | started | strt | current | currently | currently reading | now reading
今読んでいる | 現在読んでいる | 正在读的 | 在读的
wip | partial | partially | partially read | partly | half | half read | half way | halfway | skimming
angefangen | begonnen | in arbeit | en cours | leyendo | en curso | in corso
在读 | 在讀 | 还要继续读 | 要继续读 | 继续读 | 正在读 | 正在讀 | 正在阅读 | 正在閱讀
阅读中 | 閱讀中 | 读中 | 进行中 | 進行中 | 在看 | 读了一半 | 読書中 | 読中 | 読み中 | 読んでいる | now | 読んでる
読んでいます | 途中 | 途中まで | 読みかけ | 進行 | 着手 | 읽는 중 | 읽는중 | 읽고 있음 | 읽고 있는 | 진행 중 | 진행중
"""),
    "paused": words_of("""
paused | pause | wait | waiting | waiting for | hold | on hold | on-hold | onhold | suspended | blocked | deferred
postponed | 暂停 | 暫停 | 搁置 | 擱置 | 中断 | 中斷 | 保留 | 休止 | 一時停止
"""),
    "dropped": words_of("""
dropped | drop | cancelled | canceled | cancel | abandoned | abandon | skipped | skip | kill | killed | rejected
wontread | won't read | wont read | will not read | gave up | did not finish | dnf | not interested | 放弃 | 放棄
abort | aborted | wontfix | 弃 | 棄 | 弃读 | 棄讀 | 已弃 | 已放弃 | 废弃 | 不读 | 不讀 | 不看 | 跳过 | 跳過
不继续读 | 不继续读了 | 不再读
abgebrochen | verworfen | abandonné | abandonado | やめた | 中止 | 読まない | 断念 | 取り消し | 取消 | 却下
"""),
}

# Status words that are too common to be recognized next to a title.
NOT_IN_TEXT = frozenset(
    words_of("""
yes | y | true | ok | archive | archived | lu | terminé | fertig | terminado | open | pending | offen
geplant | en cours | no | n | false | new | next | later | plan | planned | queue | queued
backlog | current | half | complete | hold | wait | pause | drop | skip | kill | cancel | blocked | partial
abort | aborted | wontfix | 弃 | 棄 | 废弃 | 未开始 | 未開始 | 未着手
partially | partly | started | strt | tbd | doing | rejected | someday | 是 | 否 | 完 | 了 | 未 | 済 | まだ | 计划
now | これから | 完成 | 完了 | 中断 | 中斷 | 保留 | 進行 | 取消 | 精读 | 精讀 | ○ | 〇 | ×
""")
)
