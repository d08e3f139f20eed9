"""Addresses in text, their one spelling, what hides in wrappers, and what is no paper."""

import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readtrack.infra.text.urls import (
    canonicalize_url,
    find_addresses,
    is_public,
    junk_reason,
    safe_url,
    search_terms,
    split_url,
    unwrap,
)
from readtrack.metadata import sources
from tests.tables import cases


@cases(
    ("text", "found"),
    [
        ("see https://example.org/a.", ["https://example.org/a"]),
        ("https://github.com/o/r/のサンプルの整理", ["https://github.com/o/r/"]),
        ("参照：https://example.org/a，然后", ["https://example.org/a"]),
        ("（https://example.org/a）", ["https://example.org/a"]),
        ("「https://example.org/a」", ["https://example.org/a"]),
        ("https://example.org/a\u3000title", ["https://example.org/a"]),
        ("[t](https://example.org/a_(b)) x", ["https://example.org/a_(b)"]),
        ("(https://example.org/a)", ["https://example.org/a"]),
        ("[[https://example.org/a][title]]", ["https://example.org/a"]),
        ("<https://example.org/a>", ["https://example.org/a"]),
        ("{https://example.org/a}", ["https://example.org/a"]),
        ('"https://example.org/a", next', ["https://example.org/a"]),
        ("'https://example.org/a'", ["https://example.org/a"]),
        ("**https://example.org/a**", ["https://example.org/a"]),
        ("“https://example.org/a”", ["https://example.org/a"]),
        ("https://example.org/a(see below", ["https://example.org/a"]),
        ("https://a.example.org/x,https://b.example.org/y", ["https://a.example.org/x", "https://b.example.org/y"]),
        ("| https://example.org/a | title |", ["https://example.org/a"]),
        ("www.usenix.org/conference", ["https://www.usenix.org/conference"]),
        ("arxiv.org/abs/2305.15778 and more", ["https://arxiv.org/abs/2305.15778"]),
        ("https://youtu.be/abcdefghij_", ["https://youtu.be/abcdefghij_"]),
        ("https://mp.weixin.qq.com/s?__biz=Mzk0==&mid=1", ["https://mp.weixin.qq.com/s?__biz=Mzk0==&mid=1"]),
        ("https://en.wikipedia.org/wiki/Gödel!", ["https://en.wikipedia.org/wiki/Gödel"]),
        ("https:// and http://", []),
        ("https://user:pw@example.org/", []),
        ("someone@www.example.org", []),
        ("and/or, README.md/x, 10.1145/3627703", []),
    ],
)
def test_urls_in_text_end_where_a_reader_would_end_them(text, found):
    assert [address for _, _, address in find_addresses(text)] == found


@cases(
    ("text", "found"),
    [
        ("[研究](https://example.org/论文/研究综述.pdf)。", ["https://example.org/论文/研究综述.pdf"]),
        ("[題](https://ja.wikipedia.org/wiki/誤り（数学）) を読む", ["https://ja.wikipedia.org/wiki/誤り（数学）"]),
        ('[題](https://example.org/d/題 "その題") そして', ["https://example.org/d/題"]),
        ("[a](https://a.org/e(題)/x)、[b](https://a.org/f/題)を読む", ["https://a.org/e(題)/x", "https://a.org/f/題"]),
        ("<https://example.org/論文>", ["https://example.org/論文"]),
        ("誤り訂正 https://ja.wikipedia.org/wiki/誤り訂正 を読む", ["https://ja.wikipedia.org/wiki/誤り訂正"]),
        ("資料 https://example.org/発表_2020/最終版.pdf、面白い", ["https://example.org/発表_2020/最終版.pdf"]),
        ("https://kotobank.jp/word/誤り訂正", ["https://kotobank.jp/word/誤り訂正"]),
        ("https://example.org/を読む", ["https://example.org/"]),
        ("https://arxiv.org/abs/2305.15778を読む", ["https://arxiv.org/abs/2305.15778"]),
        ("项目 https://github.com/a/b/这个项目很好", ["https://github.com/a/b/"]),
        ("[壊れた](https://example.org/c）を読む", ["https://example.org/c"]),
        (
            "https://example.org/論文.pdf,https://example.org/研究.pdf",
            ["https://example.org/論文.pdf", "https://example.org/研究.pdf"],
        ),
        (
            "https://a.org/一覧https://arxiv.org/abs/1706.03762",
            ["https://a.org/一覧", "https://arxiv.org/abs/1706.03762"],
        ),
        ("[図](https://arxiv.org/abs/1706.03762、図あり)", ["https://arxiv.org/abs/1706.03762"]),
        ("https://example.org/論文.pdfを読む", ["https://example.org/論文.pdf"]),
        ("出典はhttps://ja.wikipedia.org/wiki/深層学習です", ["https://ja.wikipedia.org/wiki/深層学習"]),
    ],
)
def test_cjk_belongs_to_an_address_that_is_enclosed_or_alone_and_to_files_and_wiki_pages(text, found):
    assert [address for _, _, address in find_addresses(text)] == found


def test_the_position_of_a_url_in_the_text_is_returned():
    text = "見よ https://example.org/a。"
    [(start, end, address)] = find_addresses(text)
    assert text[start:end] == address == "https://example.org/a"


@given(text=st.text(st.sampled_from("htps:/.wxyz() []，。\"'a%&?=#-_あ"), max_size=80))
def test_found_urls_are_ordered_separate_and_safe(text):
    last = 0
    for start, end, address in find_addresses(text):
        assert last <= start < end <= len(text)
        assert safe_url(address)
        last = end


@cases(
    ("address", "one"),
    [
        ("HTTP://ArXiv.org:80/abs/1", "https://arxiv.org/abs/1"),
        ("https://example.org", "https://example.org/"),
        ("https://example.org./a/", "https://example.org/a"),
        ("http://example.org:8080/a", "http://example.org:8080/a"),
        ("https://example.org/a//b", "https://example.org/a/b"),
        ("https://example.org/a?utm_source=x&b=1&fbclid=2&spm=3&ref=4", "https://example.org/a?b=1"),
        ("https://example.org/a?b=1&amp;c=2", "https://example.org/a?b=1&c=2"),
        ("https://example.org/a#section", "https://example.org/a"),
        ("https://example.org/#/route", "https://example.org/#/route"),
        ("https://example.org/a).", "https://example.org/a)"),
        ("https://example.org/%7euser/%e6%8e%a8", "https://example.org/~user/%E6%8E%A8"),
        ("https://example.org/推", "https://example.org/%E6%8E%A8"),
        ("https://example.org/100%", "https://example.org/100%25"),
        ("https://x.com/a/status/1?s=20&t=abc", "https://x.com/a/status/1"),
        ("https://example.org/?s=attention", "https://example.org/?s=attention"),
        ("https://bücher.example.org/", "https://xn--bcher-kva.example.org/"),
        ("https://[2001:DB8::1]/a", "https://[2001:db8::1]/a"),
        ("www.example.org/a", "https://www.example.org/a"),
        ("javascript:alert(1)", "javascript:alert(1)"),
    ],
)
def test_canonical_urls_have_one_spelling(address, one):
    assert canonicalize_url(address) == one


@given(
    st.one_of(
        st.text(max_size=60),
        st.text(st.characters(max_codepoint=0x3000), max_size=60).map(lambda rest: f"https://example.org/{rest}"),
        st.text(st.sampled_from("%25aF/?&=#.,;:!*'~()一 "), max_size=40).map(lambda rest: f"http://arxiv.org{rest}"),
        st.text(st.sampled_from("%25aF/?&=#.,;:!*'~()一"), max_size=40).map(lambda rest: f"https://x.com/a?{rest}"),
    )
)
def test_canonicalising_is_idempotent(address):
    once = canonicalize_url(address)
    assert canonicalize_url(once) == once


@cases(
    ("wrapped", "inner"),
    [
        ("https://link.zhihu.com/?target=https%3A//arxiv.org/abs/2309.14509", "https://arxiv.org/abs/2309.14509"),
        (
            "https://www.google.com/url?sa=t&url=https%3A%2F%2Fexample.org%2Fa%3Fb%3D1%26c&ved=2",
            "https://example.org/a?b=1&c",
        ),
        ("https://www.google.co.jp/url?q=https://example.org/C%2B%2B&sa=D", "https://example.org/C++"),
        ("https://l.facebook.com/l.php?u=https%3A%2F%2Fexample.org%2F&h=x", "https://example.org/"),
        ("https://slack-redir.net/link?url=https%3A%2F%2Fexample.org%2Fa", "https://example.org/a"),
        ("https://link.juejin.cn/?target=https%3A%2F%2Fexample.org%2Fa", "https://example.org/a"),
        (
            "https://eur01.safelinks.protection.outlook.com/?url=https%3A%2F%2Fexample.org%2F&data=x",
            "https://example.org/",
        ),
        ("https://web.archive.org/web/20200101000000/http://example.org/a", "http://example.org/a"),
        ("https://r.jina.ai/https://example.org/a?b=1", "https://example.org/a?b=1"),
        ("https://link.zhihu.com/?target=javascript%3Aalert(1)", None),
        ("https://link.zhihu.com/", None),
        ("https://example.org/url?q=https%3A%2F%2Farxiv.org%2Fabs%2F1", None),
        ("plain words", None),
    ],
)
def test_wrapper_urls_are_unwrapped(wrapped, inner):
    assert unwrap(wrapped) == (inner or wrapped)


def test_wrappers_are_unwrapped_at_most_three_deep():
    def wrap(address, times):
        for _ in range(times):
            address = "https://link.zhihu.com/?target=" + address.replace("%", "%25").replace(":", "%3A").replace(
                "&", "%26"
            )
        return address

    assert unwrap(wrap("https://example.org/a", 3)) == "https://example.org/a"
    assert unwrap(wrap("https://example.org/a", 4)) == wrap("https://example.org/a", 1)


@cases(
    ("address", "terms"),
    [
        ("https://www.baidu.com/s?wd=Parcae%3A+Proactive%2C+Liveput&tn=1&ie=utf-8", "Parcae: Proactive, Liveput"),
        ("https://scholar.google.com/scholar?hl=en&q=GLaM%3A+Scaling&btnG=", "GLaM: Scaling"),
        ("https://cn.bing.com/search?q=%E6%8E%A8%E8%8D%90&qs=n", "推荐"),
        ("https://www.google.co.jp/search?q=a+b&hl=ja", "a b"),
        ("https://duckduckgo.com/?q=a+b&ia=web", "a b"),
        ("https://www.zhihu.com/search?type=content&q=nsdi", "nsdi"),
        ("https://dl.acm.org/action/doSearch?AllField=just-in-time+checkpointing", "just-in-time checkpointing"),
        ("https://arxiv.org/search/?query=unicron&searchtype=all", "unicron"),
        ("https://www.youtube.com/results?search_query=osdi", "osdi"),
        ("https://intranet.example.org/search?q=mlsys", "mlsys"),
        ("https://blog.example.org/?s=attention", "attention"),
        ("https://www.google.com/search?q=", None),
        ("https://mp.weixin.qq.com/s?__biz=Mzk0&mid=1&idx=1", None),
        ("https://www.youtube.com/watch?v=QGtrQXHbTnQ", None),
        ("https://arxiv.org/abs/2305.15778", None),
        ("https://example.org/research?q=1", None),
        ("words", None),
    ],
)
def test_search_page_urls_reveal_the_search_terms(address, terms):
    assert search_terms(address) == terms


JUNK = [
    "https://wiki/page",
    "http://localhost:8000/",
    "https://build.corp/1",
    "https://nas.local/papers/a.pdf",
    "https://git.corp.example.com/team/repo",
    "https://docs.internal.example.com/a",
    "http://10.0.0.7/a",
    "http://127.1/",
    "http://2130706433/",
    "http://0x7f.1/a",
    "http://[::1]/",
    "http://169.254.169.254/latest/meta-data",
    "https://quanxi-account.aliyun-inc.com/#/MyAccountManage",
    "https://open.atatech.org/articles/11020198055?spm=ata.1",
    "https://link.zhihu.com/?target=https%3A//open.atatech.org/articles/1",
    "https://console.aws.amazon.com/sagemaker/home",
    "https://accounts.google.com/signin",
    "https://example.org/login?next=/papers",
    "https://example.org/#/account/settings",
    "https://www.aliyun.com/?accounttraceid=4a6b",
    "https://www.aliyun.com/",
    "https://aws.amazon.com/jp/",
    "https://www.zhihu.com/people/james0zan",
    "https://github.com/someone",
    "https://github.com/someone?tab=repositories",
    "https://www.youtube.com/@somebody",
    "https://scholar.google.com/citations?user=abc",
    "https://medium.com/@somebody",
    "https://forum.example.org/?cat=985&type=1204",
    "https://blog.example.org/tag/llm",
    "https://blog.example.org/category/systems/page/3",
    "https://arxiv.org/list/cs.LG/recent",
    "https://github.com/topics/llm",
    "https://img.shields.io/badge/Papers-83-blue?style=flat",
    "https://example.org/figure.png",
    "https://www.google.com/search?q=",
    "javascript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "mailto:a@example.org",
    "https://exa mple.org/",
    "https://",
]
READABLE = [
    "https://arxiv.org/abs/2305.15778",
    "https://www.usenix.org/conference/nsdi24/presentation/hu",
    "https://dlsyscourse.org/",
    "https://d2l.ai/",
    "https://jax-ml.github.io/scaling-book",
    "https://github.com/uccl-project/uccl",
    "https://huggingface.co/spaces/HuggingFaceTB/smol-training-playbook",
    "https://huggingface.co/papers/2305.15778",
    "https://pytorch.org/blog/reducing-checkpointing-times/",
    "https://zhuanlan.zhihu.com/p/693671021",
    "https://mp.weixin.qq.com/s/u311S6zXhqmeHXD7xExmig",
    "https://colab.research.google.com/github/o/r/blob/main/a.ipynb",
    "https://aws.amazon.com/jp/blogs/machine-learning/elastic-training/",
    "https://x.com/somebody/status/1",
    "https://www.hikg.net/archives/124/",
    "https://www.baidu.com/s?wd=Parcae",
    "http://93.184.216.34/paper.pdf",
    "http://id.nii.ac.jp/1001/00912345/",
    "https://my.example.edu/documents/1034/DRMI+Working+Paper+2011-3.pdf/bad99104",
    "arxiv.org/abs/2305.15778",
]


@cases("address", JUNK)
def test_junk_urls_have_a_reason(address):
    reason = junk_reason(address)
    assert reason is not None
    assert reason.endswith(".")


@cases("address", READABLE)
def test_readable_pages_are_not_junk(address):
    assert junk_reason(address) is None


@cases(
    "address",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        " data:text/html,x",
        "file:///etc/passwd",
        "ftp://example.org/a",
        "//example.org/a",
        "https:///a",
        "https://exa\tmple.org/",
        "https://example.org\\@evil.example",
        "https://user@example.org/",
        "https://example.org:99999/",
        "https://example.org:0/",
        "https://[::1/",
        "https://exam\u202eple.org/",
        "https://example.org/" + "a" * 5000,
        "",
    ],
)
def test_only_well_formed_web_urls_are_safe(address):
    assert safe_url(address) is None


@given(st.text(max_size=60))
def test_url_functions_accept_any_text(text):
    for question in (safe_url, canonicalize_url, split_url, unwrap, search_terms, junk_reason, find_addresses):
        question(text)


@pytest.mark.parametrize(
    "unit",
    ["https://", "(", "https://a.b/(", "%", "/a", "www.", "[2305.15778] ", "10.1145/", "a.", "arxiv ", "doi:", ")"],
)
def test_long_hostile_text_is_read_quickly(unit):
    text = unit * (100_000 // len(unit))
    started = time.process_time()
    find_addresses(text)
    sources.recognize(text)
    assert time.process_time() - started < 10


@cases(
    "address",
    """0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1 172.31.255.255
    192.0.0.1 192.0.0.8 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.19.255.255 198.51.100.1
    203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 :: ::1 ::7f00:1 ::ffff:127.0.0.1
    ::ffff:10.0.0.1 64:ff9b::7f00:1 64:ff9b:1::1 100::1 2001::1 2001:0:7f00:1::1 2001:10::1
    2001:db8::1 2002:7f00:1:: 3fff::1 5f00::1 fc00::1 fd12::1 fe80::1 fe80::1%eth0 fec0::1 ff02::1
    4000::1 words 127.1""".split(),  # noqa: SIM905 - a table
)
def test_private_addresses_are_not_public(address):
    assert not is_public(address)


@cases("address", ["93.184.216.34", "1.1.1.1", "172.32.0.1", "2606:4700::1111", "::ffff:1.1.1.1"])
def test_global_addresses_are_public(address):
    assert is_public(address)


def test_every_url_of_real_notes_is_recognised_or_junk():
    samples = os.environ.get("READTRACK_TEST_SAMPLES")
    if not samples:
        pytest.skip("READTRACK_TEST_SAMPLES names no folder with real notes")
    for path in sorted(Path(samples).glob("team/*.txt")):
        for _, _, address in find_addresses(path.read_text(encoding="utf-8")):
            assert sources.recognize(address) or junk_reason(address), address
