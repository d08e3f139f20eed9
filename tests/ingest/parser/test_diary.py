"""Lines of a diary that say that a paper was, is or will be read, and those that say anything else."""

from readtrack.ingest import parser
from readtrack.ingest.parser.items.diary import find_reading, is_chore, is_post
from tests.tables import cases


@cases(
    ("line", "title", "status"),
    [
        ("「Attention Is All You Need」を読んだ。", "Attention Is All You Need", "read"),
        ("『Attention Is All You Need』を読みました", "Attention Is All You Need", "read"),
        ("Scaling Laws for Neural Language Models を読み終えた", "Scaling Laws for Neural Language Models", "read"),
        ("Mask R-CNN（ICCV'17）読了", "Mask R-CNN（ICCV'17）", "read"),
        (
            "論文「Scaling Laws for Neural Language Models」を読み始めた",
            "Scaling Laws for Neural Language Models",
            "reading",
        ),
        ("今日は「Deep Residual Learning」を途中まで読んだ。", "Deep Residual Learning", "reading"),
        (
            "Training Compute-Optimal Large Language Models を読む",
            "Training Compute-Optimal Large Language Models",
            "to_read",
        ),
        ("「深層学習を用いた画像認識」を読んだ", "深層学習を用いた画像認識", "read"),
        ("读完 Attention Is All You Need", "Attention Is All You Need", "read"),
        ("今天看了《Attention Is All You Need》", "Attention Is All You Need", "read"),
        ("正在读《Attention Is All You Need》，附录很长", "Attention Is All You Need", "reading"),
        ("想读《基于深度学习的图像识别》", "基于深度学习的图像识别", "to_read"),
        (
            "「Masked Autoencoders Are Scalable Vision Learners」を読み始める。",
            "Masked Autoencoders Are Scalable Vision Learners",
            "reading",
        ),
        (
            "Scaling Laws for Neural Language Models を半分まで読む。",
            "Scaling Laws for Neural Language Models",
            "reading",
        ),
        (
            "「Scaling Laws for Neural Language Models」は明日読む。",
            "Scaling Laws for Neural Language Models",
            "to_read",
        ),
        ("電車で Mask R-CNN に目を通した（ICCV 2017）", "Mask R-CNN （ICCV 2017）", "read"),
        ("OSDI'18 の Learned Index Structures を読破", "Learned Index Structures (OSDI'18)", "read"),
        (
            "夜：Hidden Technical Debt in Machine Learning Systems（1/3くらい）",
            "Hidden Technical Debt in Machine Learning Systems",
            "reading",
        ),
        ("Deep Residual Learning は途中で挫折。", "Deep Residual Learning", "dropped"),
        ("Deep Residual Learning → 積ん読", "Deep Residual Learning", "to_read"),
        ("晚上把 Attention Is All You Need 看完了。", "Attention Is All You Need", "read"),
        ("《Attention Is All You Need》（NIPS 2017）看了一半", "Attention Is All You Need（NIPS 2017）", "reading"),
        ("2、Attention Is All You Need 读到第4节", "Attention Is All You Need", "reading"),
        ("Attention Is All You Need 弃", "Attention Is All You Need", "dropped"),
        ("读论文：Attention Is All You Need", "Attention Is All You Need", None),
        ('skim "Attention Is All You Need" before the meeting', "Attention Is All You Need", "to_read"),
        ("lu : Scaling Laws for Neural Language Models", "Scaling Laws for Neural Language Models", "read"),
        ("à lire : « Attention Is All You Need »", "Attention Is All You Need", "to_read"),
        ("lire Scaling Memcache at Facebook", "Scaling Memcache at Facebook", "to_read"),
        ('Finished reading "Attention is all you need".', "Attention is all you need", "read"),
        ("Started Scaling Laws for Neural Language Models", "Scaling Laws for Neural Language Models", "reading"),
    ],
)
def test_a_verb_of_reading_gives_the_title_and_the_status(line, title, status):
    reading = find_reading(line)
    assert reading is not None
    assert (reading.title, reading.status) == (title, status)


@cases(
    "line",
    [
        "今日はミーティング",
        "掃除",
        "GPU の資料を読んだ",
        "Raft の論文を読んだ",
        "「了解」を読んだ",
        "看了电影",
        "读书会",
        "Deep Learning の本を読んだ",
        "GPU は明日読む",
        "lire le courrier",
        "Lu Wang and others",
        "弃用 Attention Is All You Need 的代码",
        "read the mail",
        "Read the room before speaking",
        "Started the server",
        "Attention Is All You Need",
    ],
)
def test_other_lines_name_no_paper(line):
    assert find_reading(line) is None


@cases(
    "line", ["reply to Bob", "TODO: reply to Bob", "Buy milk and bread", "Meeting with the team", "Discussed the plan"]
)
def test_chores_are_recognised_by_their_first_words(line):
    assert is_chore(line)


@cases(
    "line",
    ["Order Matters: Sequence to Sequence for Sets", "Run, Don't Walk", "Distributed Snapshots", "Learning to plan"],
)
def test_titles_that_begin_with_a_verb_are_no_chores(line):
    assert not is_chore(line)


@cases(
    ("words", "status"),
    [
        (" 読了", "read"),
        (" 読み中", "reading"),
        (" あとで読む", "to_read"),
        ("を読んだ。", "read"),
        (" 在读", "reading"),
        (" 已读", "read"),
        ("、実装あり", None),
        (" new", None),
    ],
)
def test_words_after_an_address_state_the_status(words, status):
    (entry,) = parser.parse(f"- [Attention Is All You Need](https://arxiv.org/abs/1706.03762){words}")
    assert (entry.title, entry.status) == ("Attention Is All You Need", status)


@cases("line", ["Nice thread by @someone", "So fast! Try it", "RT this", "I liked it", "caches again #llm"])
def test_posts_are_recognised(line):
    assert is_post(line)


@cases("line", ["C# in Depth", "You Only Look Once", "Mail at user@example.org"])
def test_other_texts_are_no_posts(line):
    assert not is_post(line)
