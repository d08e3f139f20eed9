"""References in Japanese and Chinese, in the forms of their journals, guides and bookshops."""

from readtrack.ingest import parser
from tests.tables import cases

TRUST = ("地域における信頼形成の過程に関する研究", ("山田太郎", "鈴木花子"), "社会心理学研究", 2015)
CARE = ("前庭性片頭痛の診断と治療", ("五島史行",), "日本耳鼻咽喉科学会会報", 2018)
IMAGE = ("基于深度学习的遥感影像变化检测方法研究", ("张三丰", "李四光"), "遥感学报", 2021)
VILLAGE = ("乡土中国", ("费孝通",), "北京大学出版社", 2012)


@cases(
    ("line", "work"),
    [
        ("山田太郎，鈴木花子（2015）「地域における信頼形成の過程に関する研究」『社会心理学研究』10(2)，1-10.", TRUST),
        ("山田太郎・鈴木花子 (2015). 地域における信頼形成の過程に関する研究 社会心理学研究, 10, 1-10.", TRUST),
        ("山田太郎・鈴木花子（2015）．地域における信頼形成の過程に関する研究．社会心理学研究，10，1–10．", TRUST),
        ("山田太郎，鈴木花子：地域における信頼形成の過程に関する研究，社会心理学研究，10，1-10 (2015)", TRUST),
        ("山田太郎, 鈴木花子, 地域における信頼形成の過程に関する研究, 社会心理学研究, vol. 10, 2015.", TRUST),
        ("山田太郎・鈴木花子「地域における信頼形成の過程に関する研究」（社会心理学研究 10巻2号, 2015年）", TRUST),
        ("「地域における信頼形成の過程に関する研究」山田太郎，鈴木花子（社会心理学研究、2015年）", TRUST),
        ("地域における信頼形成の過程に関する研究, 山田太郎，鈴木花子, 社会心理学研究, 2015年", TRUST),
        ("五島 史行, 前庭性片頭痛の診断と治療, 日本耳鼻咽喉科学会会報, 2018, 10 巻, 2 号, p. 1-10", CARE),
        ("五島史行. 前庭性片頭痛の診断と治療. 日本耳鼻咽喉科学会会報. 2018; 10: 1-10.", CARE),
        ("张三丰、李四光：《基于深度学习的遥感影像变化检测方法研究》，《遥感学报》2021年第2期。", IMAGE),
        ("《基于深度学习的遥感影像变化检测方法研究》（张三丰、李四光，遥感学报，2021年）", IMAGE),
        ("张三丰，李四光（2021）.基于深度学习的遥感影像变化检测方法研究.遥感学报，10（2），1-10.", IMAGE),
        ("费孝通：《乡土中国》，北京：北京大学出版社，2012年。", VILLAGE),
        ("费孝通著，《乡土中国》，北京大学出版社，2012", VILLAGE),
    ],
)
def test_a_reference_gives_title_people_journal_and_year(line, work):
    (found,) = (entry for entry in parser.parse(f"# 文献\n\n- {line}\n") if entry.kind in {"paper", "lead"})
    title, authors, venue, year = work
    assert (found.title, tuple(name.replace(" ", "") for name in found.authors)) == (title, authors)
    assert (venue in found.venue, found.year or found.published[:4]) == (True, year)


@cases(
    "line",
    [
        "機械学習、深層学習（2020）の基礎を学ぶ",
        "「信頼」とは何かを考える会（2015年）に出席した",
        "2021年に張三さんと会って、研究の話をした。",
    ],
)
def test_a_sentence_with_a_year_is_no_reference(line):
    assert not any(entry.authors for entry in parser.parse(f"- {line}\n"))
