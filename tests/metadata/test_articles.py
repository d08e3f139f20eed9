"""Articles and repositories that are asked by their pages: Zhihu, WeChat, Zenn, Hugging Face, the rest of the web."""

import pytest

from readtrack.metadata import sources
from readtrack.metadata.types import Ref
from tests.metadata.browsing import Browsing, page
from tests.metadata.recorded import own, recorded
from tests.tables import cases


def fetched(name, key, body, **answer):
    http = Browsing({sources.by_name(name).url(key): page(body, **answer)})
    return sources.service(name).fetch(http, [key])


def read(name, key, body):
    return fetched(name, key, body).records[key]


def shown(title, *tags):
    return f"<html><head><title>{title}</title>{''.join(tags)}</head><body></body></html>"


def test_a_zhihu_column_is_read_without_the_site_name():
    paper = read("zhihu", "p/123456789", own("zhihu/column.html"))
    assert (paper.title, paper.language, paper.stage) == ("OSDI 24 Kettle论文阅读：热茶 - 冷茶", "zh", "page")
    assert (paper.authors, paper.year, paper.identifiers) == ((), None, ())
    assert read("zhihu", "p/1", shown("热茶 - 冷茶 - 知乎")).title == "热茶 - 冷茶"
    assert read("zhihu", "question/1/answer/2", shown("热茶好吗？ - 茶馆的回答 - 知乎")).title == "热茶好吗？"


@cases(
    ("body", "status", "why"),
    [
        ('{"error":{"message":"请求存在异常","code":40362}}', 403, "(status 403)"),
        ("", 403, "(status 403)"),
        ("", 400, "(status 400)"),
        (shown("知乎 - 有问题，就会有答案"), 200, "signing in"),
        (shown("安全验证 - 知乎"), 200, "requires a captcha"),
        (shown("知乎"), 200, "has no readable title"),
    ],
)
def test_a_zhihu_login_page_is_not_an_article(body, status, why):
    said = fetched("zhihu", "p/1", body, status=status)
    assert why in said.errors["p/1"]


def test_a_wechat_article_has_its_title_only_in_a_meta_tag():
    article = read("wechat", "Mzk0ODU3MjcxNA==/22474/2", own("wechat/article.html"))
    assert (article.title, article.authors) == ("一壶热茶 & 两个杯子", ("茶馆",))
    assert article.identifiers == (Ref("wechat", "s/AAAAbbbbCCCCddddEEEE12"),)


@cases(
    ("body", "at", "why"),
    [
        (own("wechat/wall.html"), "", "requires a captcha"),
        (shown("Weixin Official Accounts Platform"), "", "requires a captcha"),
        (shown("x"), "https://mp.weixin.qq.com/mp/wappoc_appmsgcaptcha?poc_token=1", "signing in"),
        (
            "<html><head><title></title></head><body><p>该内容已被发布者删除</p></body></html>",
            "",
            "says this page doesn't exist",
        ),
        (shown("微信公众平台"), "", "has no readable title"),
    ],
)
def test_a_wechat_bot_check_is_not_an_article(body, at, why):
    said = fetched("wechat", "s/AAAAbbbbCCCCddddEEEE12", body, at=at)
    assert why in said.errors["s/AAAAbbbbCCCCddddEEEE12"]


def test_a_zenn_article_is_read_without_the_site_name():
    tags = '<meta property="og:title" content="熱いお茶の淹れ方"><meta property="og:site_name" content="Zenn">'
    assert read("zenn", "someone/articles/tea", shown("熱いお茶の淹れ方｜Zenn", tags)).title == "熱いお茶の淹れ方"
    assert read("zenn", "someone/articles/tea", shown("熱いお茶の淹れ方｜Zenn")).title == "熱いお茶の淹れ方"


@pytest.mark.parametrize(
    ("key", "shown_as", "title"),
    [
        ("models/example/opt-1b", "example/opt-1b · Hugging Face", "example/opt-1b"),
        ("datasets/example/c4", "example/c4 · Datasets at Hugging Face", "example/c4"),
        ("spaces/example/tea", "The Tea Book - a Hugging Face Space by example", "The Tea Book"),
    ],
)
def test_a_hugging_face_repository_has_its_name_without_the_sites_slogan(key, shown_as, title):
    praise = '<meta property="og:description" content="We are on a journey.">'
    found = read("hf", key, shown(shown_as, praise))
    assert (found.title, found.abstract) == (title, "")


@cases(
    ("key", "title", "expected"),
    [
        ("blog.csdn.net/someone/article/details/1", "热茶-CSDN博客", "热茶"),
        ("www.cnblogs.com/someone/p/1", "热茶 - someone - 博客园", "热茶 - someone"),
        ("qiita.com/someone/items/1", "お茶 - Qiita", "お茶"),
        ("medium.com/@someone/tea-1", "Tea. It is warm. | Medium", "Tea. It is warm."),
        ("pytorch.org/blog/tea", "Tea | PyTorch", "Tea"),
        ("someone.github.io/tea", "Tea | Someone", "Tea"),
        ("aws.amazon.com/blogs/tea", "Tea | Amazon Web Services", "Tea | Amazon Web Services"),
        ("aws.amazon.com/jp/blogs/tea", "Tea | AWS Machine Learning Blog", "Tea"),
        ("aws.amazon.com/jp/blogs/tea", "お茶 | Amazon Web Services ブログ", "お茶"),
        ("tea.example.com/a", "Tea | Milk Blog", "Tea | Milk Blog"),
    ],
)
def test_known_site_names_are_cut_from_web_titles(key, title, expected):
    assert read("url", key, shown(title)).title == expected


def test_recorded_heads_of_articles_are_read():
    zhihu = read("zhihu", "p/58931188", recorded("web/zhihu_zhuanlan_head_2020.html") + b"</head>")
    assert (zhihu.title, zhihu.language) == ("橘猫被迫减肥5天能瘦吗？", "zh")
    key = "Mzk0ODU3MjcxNA==/22474/2"
    wechat = read("wechat", key, recorded("web/wechat_article_meta_2026.html"))
    assert (wechat.title, wechat.authors) == ("巴拿马一夜", ("一方",))
    assert wechat.identifiers == (Ref("wechat", "s/e_I-h_tcQnwWs0gT0tvW7Q"),)


def test_recorded_zenn_front_page_is_not_an_article():
    said = fetched(
        "zenn", "someone/articles/tea", recorded("web/zenn_top_head.html") + b"</head>", at="https://zenn.dev/"
    )
    assert "home page of zenn.dev" in said.errors["someone/articles/tea"]
