"""What web pages say of the works on them: read where it is said best, as plain text, and never guessed."""

import json
import time
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readtrack.infra.errors import SourceUnavailable
from readtrack.metadata.parsing.html_head import PageHead, parse_head
from readtrack.metadata.parsing.plain_text import without_mail
from readtrack.metadata.parsing.webpages import metadata_from_head
from readtrack.metadata.types import Metadata, Ref, WebLink
from tests.metadata.answering import JSON, is_sound
from tests.metadata.recorded import recorded
from tests.tables import cases

PAGE = Ref("url", "blog.example.com/posts/kettle")


def html(*tags, title="", body="", lang=""):
    """A page: tags are (name, content), or markup as it is."""
    head = "".join(tag if isinstance(tag, str) else f'<meta name="{tag[0]}" content="{tag[1]}">' for tag in tags)
    return f'<!doctype html><html lang="{lang}"><head><title>{title}</title>{head}</head><body>{body}</body></html>'


def said(*tags, tails=(), ref=PAGE, **page):
    return metadata_from_head(parse_head(html(*tags, **page).encode(), "text/html; charset=utf-8"), ref, tails=tails)


def linked(**thing):
    return f'<script type="application/ld+json">{json.dumps({"@context": "https://schema.org", **thing})}</script>'


TITLES = [
    (("citation_title", "For Libraries"), "For Libraries"),
    (linked(**{"@type": "BlogPosting", "headline": "Linked"}), "Linked"),
    (("DC.Title", "Dublin"), "Dublin"),
    ('<meta property="og:title" content="Open Graph">', "Open Graph"),
    (("twitter:title", "Tweeted"), "Tweeted"),
]


@cases("first", range(len(TITLES) + 1))
def test_the_title_is_taken_from_the_best_place(first):
    expected = [*(title for _, title in TITLES), "Shown"][first]
    assert said(*reversed([tag for tag, _ in TITLES[first:]]), title="Shown").title == expected


@cases(
    ("title", "site", "expected"),
    [
        ("热茶 - 冷茶 - 知乎", "知乎", "热茶 - 冷茶"),
        ("熱いお茶｜Zenn", "Zenn", "熱いお茶"),
        ("Tea | AWS | Amazon Web Services", "Amazon Web Services", "Tea | AWS"),
        ("Tea — Example Blog", "Example blog", "Tea"),
        ("Tea - Blog", "", "Tea"),
        ("Tea • Example", "", "Tea"),
        ("Tea - kettle", "", "Tea"),
        ("Tea-Time: A Study", "Study", "Tea-Time: A Study"),
        ("Tea: Blog", "", "Tea: Blog"),
        ("Tea | Coffee", "Milk", "Tea | Coffee"),
        ("知乎", "知乎", ""),
        ("Google Scholar", "", ""),
        ("IEEE Xplore Full-Text PDF:", "", ""),
        ("Milk", "Milk", ""),
        ("GitHub", "", ""),
        ("登录", "", ""),
        ("Loading…", "", ""),
        ("Untitled Document", "", ""),
        ("- | -", "", ""),
    ],
)
def test_site_names_are_cut_off_and_are_not_titles(title, site, expected):
    tags = [f'<meta property="og:site_name" content="{site}">'] if site else []
    assert said(*tags, title=title).title == expected
    assert said(*tags, f'<meta property="og:title" content="{title}">').title == expected


def test_a_known_suffix_of_the_site_is_cut_even_if_the_page_does_not_name_it():
    assert said(title="热茶-CSDN博客", tails=("-CSDN博客",)).title == "热茶"
    assert said(title="知乎", tails=(" - 知乎",)).title == ""


def test_a_front_page_has_the_name_of_its_site():
    assert said(title="Example", ref=Ref("url", "example.com/")).title == "Example"


def test_a_title_that_continues_after_its_heading_is_cut_to_the_heading():
    heading = "<h2>Warm Kettles of the <em>Late</em> Period</h2>"
    shown = "Warm Kettles of the &lt;em&gt;Late&lt;/em&gt; Period - Acta Theologica"
    assert said(title=shown, body=heading).title == "Warm Kettles of the Late Period"
    assert said(title="Tea - A Long Title of Something", body="<h1>Tea</h1>").title == "Tea - A Long Title of Something"


def test_the_title_of_an_image_is_not_the_title_of_its_page():
    page = "<html><body><svg><title>Menu</title></svg></body></html>"
    assert metadata_from_head(parse_head(page.encode()), PAGE).title == ""


@cases(
    ("written", "expected"),
    [
        ("Caf\\'e in $O(n^2)$", "Café in $O(n^2)$"),
        ("On &lt;i&gt;E. coli&lt;/i&gt; &amp;amp; Tea", "On E. coli & Tea"),
        ("  Two\n lines ", "Two lines"),
        ("Right\u202eleft", "Rightleft"),
        ("Ask ada@tea.example.org", "Ask"),
    ],
)
def test_titles_are_plain_text(written, expected):
    assert said(("citation_title", written)).title == expected


@cases(
    ("tags", "authors"),
    [
        ([("citation_author", "Teapot, Ada"), ("citation_author", "José Taza")], ["Ada Teapot", "José Taza"]),
        ([("citation_author", "van der Berg, Jan Willem")], ["Jan Willem van der Berg"]),
        ([("citation_authors", "Ada Teapot; Xi Li;")], ["Ada Teapot", "Xi Li"]),
        ([("citation_authors", "Teapot, Ada; Li, Xi")], ["Ada Teapot", "Xi Li"]),
        ([("citation_authors", "Ada Teapot, Xi Li")], ["Ada Teapot", "Xi Li"]),
        ([("citation_author", "Ada Teapot, Xi Li, and Jo Wu")], ["Ada Teapot", "Xi Li", "Jo Wu"]),
        ([("citation_author", "Teapot, Ada and Li, Xi")], ["Ada Teapot", "Xi Li"]),
        ([("dc.creator", "Ada Teapot"), ("citation_author", "Xi Li")], ["Xi Li"]),
        ([("citation_author", "The Samovar Collaboration")], ["The Samovar Collaboration"]),
        ([("citation_author", "Anonymous"), ("author", "somebody else")], []),
        ([("author", "Ada Teapot and Xi Li")], ["Ada Teapot", "Xi Li"]),
        ([("author", "https://example.com/ada"), ("article:author", "@ada")], []),
        ([("author", "admin")], []),
        ([("citation_title", "A Paper"), ("author", "The Publisher")], []),
        ([("citation_author", "山田, 花子")], ["山田 花子"]),
    ],
)
def test_authors_are_given_name_first_and_in_order(tags, authors):
    assert said(*tags).authors == tuple(authors)


def test_json_ld_gives_author_and_date_of_an_article():
    tag = linked(
        **{
            "@type": ["Article", "NewsArticle"],
            "headline": "Tea",
            "author": [{"@type": "Person", "name": "Ada Teapot"}, "Xi Li", {"@id": "#jo"}, {"email": "x@example.org"}],
            "datePublished": "2022-10-21T08:00:00Z",
            "inLanguage": "ja-JP",
            "description": "On tea.",
            "sameAs": "https://doi.org/10.1145/9900000.9900001",
            "publisher": {"name": "Tea Company"},
        }
    )
    person = linked(**{"@graph": [{"@type": "Person", "@id": "#jo", "name": "Jo Wu"}]})
    page = said(tag, person, title="Tea | Tea Company")
    assert page.authors == ("Ada Teapot", "Xi Li", "Jo Wu")
    assert (page.title, page.year, page.published_on, page.language) == ("Tea", 2022, date(2022, 10, 21), "ja")
    assert (page.abstract, page.stage) == ("On tea.", "page")
    assert page.identifiers == (Ref("doi", "10.1145/9900000.9900001"),)


def test_of_several_articles_only_the_one_with_the_pages_title_counts():
    others = [linked(**{"@type": "Article", "headline": name, "author": name}) for name in ("Milk", "Tea")]
    assert said(*others, title="Tea | Blog").authors == ("Tea",)
    assert said(*others, title="Coffee | Blog").authors == ()


def test_a_video_in_an_article_is_not_the_article():
    film = linked(**{"@type": "VideoObject", "name": "Ad", "author": "Ads"})
    assert said(film, title="Tea").title == "Tea"
    assert said(film, '<meta property="og:type" content="video.other">', title="Ad").authors == ("Ads",)


@cases(
    ("tags", "year", "day"),
    [
        ([("citation_publication_date", "2022")], 2022, None),
        ([("citation_publication_date", "2021/6")], 2021, None),
        ([("citation_date", "2019/02/07"), ("citation_online_date", "2019/06/21")], 2019, date(2019, 2, 7)),
        ([("citation_year", "2020"), ("article:published_time", "2021-01-02")], 2020, None),
        ([('<meta property="article:published_time" content="2021-11-22T05:06:00.000Z">')], 2021, date(2021, 11, 22)),
        ([("citation_publication_date", "soon")], None, None),
        ([], None, None),
    ],
)
def test_dates_are_read_and_never_guessed(tags, year, day):
    page = said(*tags)
    assert (page.year, page.published_on) == (year, day)


@cases(
    ("tags", "stage"),
    [
        ([("citation_author", "Ada Teapot"), ("citation_journal_title", "Journal of Tea")], "published"),
        ([("citation_journal_title", "Journal of Tea")], "page"),
        ([("citation_author", "Ada Teapot"), ("citation_journal_title", "SSRN Electronic Journal")], "preprint"),
        ([("citation_arxiv_id", "2305.15778")], "preprint"),
        ([("author", "Ada Teapot")], "page"),
    ],
)
def test_only_a_work_with_authors_and_a_venue_is_published(tags, stage):
    assert said(*tags).stage == stage


def test_a_description_is_an_abstract_for_articles_and_not_for_papers():
    described = '<meta property="og:description" content="Read more on our site.">'
    assert said(described).abstract == "Read more on our site."
    assert said(described, ("citation_title", "A Paper")).abstract == ""
    assert said(described, ("citation_abstract", "We &lt;b&gt;boil&lt;/b&gt;.")).abstract == "We boil."


def test_an_abstract_that_is_only_in_the_body_is_read_there():
    text = "We boil water and wait. " * 10
    page = said(("citation_title", "A Paper"), body=f'<div class="x acl-abstract"><h5>Abstract</h5>{text}</div>')
    assert page.abstract == text.strip()
    assert said(("citation_title", "A Paper"), body='<p class="abstract">Short.</p>').abstract == ""


@cases(
    ("address", "expected"),
    [
        ("/files/tea.pdf", "https://blog.example.com/files/tea.pdf"),
        ("http://arxiv.org/pdf/2305.15778", "https://arxiv.org/pdf/2305.15778"),
        ("javascript:alert(1)", None),
        ("http://[", None),
        ("https://user:pass@example.com/a.pdf", None),
    ],
)
def test_the_pdf_is_linked_if_its_url_is_valid(address, expected):
    links = said(("citation_pdf_url", address)).links
    assert [link.url for link in links if link.role == "pdf"] == ([expected] if expected else [])
    assert links[0] == WebLink("https://blog.example.com/posts/kettle", "landing")


def test_other_identifiers_of_the_work_are_read_and_plain_urls_are_not():
    page = said(
        ("citation_doi", "doi:10.1145/9900000.9900001"),
        ("citation_arxiv_id", "2305.15778v2"),
        ("dc.identifier", "https://doi.org/10.1145/9900000.9900001"),
        '<link rel="canonical" href="https://blog.example.com/other">',
    )
    assert page.identifiers == (Ref("doi", "10.1145/9900000.9900001"), Ref("arxiv", "2305.15778"))


@cases(("lang", "language"), [("en-US", "en"), ("zh_CN", "zh"), ("JA", "ja"), ("", ""), ("!!", "")])
def test_the_language_is_a_short_code(lang, language):
    assert said(lang=lang).language == language


TEA = "热茶 论文阅读"
JAPANESE = "お茶の論文を読む"


@cases(
    ("charset", "header", "declared", "title"),
    [
        ("utf-8", "text/html", "", TEA),
        ("utf-8", "text/html; charset=ISO-8859-1", "", TEA),
        ("utf-8", "text/html; charset=gbk", "utf-8", "Café ☕ ツ 1"),
        ("utf-8-sig", "text/html; charset=gbk", "", TEA),
        ("utf-16", "text/html", "", TEA),
        ("gb18030", "text/html; charset=GBK", "", TEA),
        ("gb18030", "text/html", "gb2312", TEA),
        ("big5", "text/html", "big5", "熱茶"),
        ("shift_jis", "text/html; charset=Shift_JIS", "", JAPANESE),
        ("shift_jis", "text/html", "x-sjis", JAPANESE),
        ("euc_jp", "text/html", "euc-jp", JAPANESE),
        ("iso2022_jp", "text/html", "iso-2022-jp", JAPANESE),
        ("cp949", "text/html", "euc-kr", "따뜻한 차"),
        ("cp1252", "text/html", "", "Café – tea"),
        ("cp1252", "text/html; charset=utf-8", "", "Café"),
        ("utf-8", "text/html; charset=hex", "", TEA),
        ("utf-8", "text/html; charset=unicode_escape", "no such thing", TEA),
    ],
)
def test_pages_are_decoded_with_their_encoding(charset, header, declared, title):
    tag = f'<meta http-equiv="Content-Type" content="text/html; charset={declared}">' if declared else ""
    page = f"<html><head>{tag}<title>{title}</title></head><body></body></html>".encode(charset)
    shown = parse_head(page, header).title
    assert shown == title or (charset == "cp1252" and "utf-8" in header and shown.startswith("Caf"))


@pytest.mark.parametrize(("lang", "charset"), [("zh-CN", "gb18030"), ("ja", "euc_jp"), ("ja", "shift_jis")])
def test_a_page_without_a_declared_encoding_is_decoded_by_its_language(lang, charset):
    page = f'<html lang="{lang}"><head><title>茶碗と急須</title></head></html>'.encode(charset)
    assert parse_head(page).title == "茶碗と急須"


def test_mail_addresses_affiliations_and_references_are_not_stored():
    head = parse_head(
        html(
            ("citation_author", "Ada Teapot"),
            ("citation_author_email", "ada@tea.example.org"),
            ("citation_author_institution", "Tea Labs"),
            ("citation_reference", "Somebody Else"),
            ("description", "Write to ada@tea.example.org or bob@tea.example.org."),
            linked(**{"@type": "Article", "headline": "Tea", "author": {"name": "Xi", "email": "xi@tea.example.org"}}),
        ).encode()
    )
    raw = head.to_raw()
    assert "Ada Teapot" in raw
    assert not any(word in raw for word in ("@tea", "Tea Labs", "Somebody Else", "email"))


@cases(
    ("text", "expected"),
    [
        ("ask a.b+c@x-y.example.org now", "ask  now"),
        ("pass@k, recall@10.5, @user", "pass@k, recall@10.5, @user"),
        ('{"a": "x\\nada@tea.example.org"}', '{"a": "x\\n"}'),
        ('{"a": "\\u00e9ada@tea.example.org\\""}', '{"a": "\\u00e9\\""}'),
        ("https://medium.com/@ada/tea", "https://medium.com/@ada/tea"),
    ],
)
def test_mail_addresses_are_removed_and_the_surrounding_text_stays_readable(text, expected):
    assert without_mail(text) == expected


def test_a_stored_head_gives_the_same_as_the_page():
    head = parse_head(
        html(("citation_title", "Tea"), linked(**{"@type": "Article", "headline": "x"}), lang="en").encode()
    )
    assert PageHead.from_raw(head.to_raw()) == head
    assert metadata_from_head(PageHead.from_raw(head.to_raw()), PAGE) == metadata_from_head(head, PAGE)


@cases("raw", ["", "[]", "null", "<html>", "[" * 100_000])
def test_a_malformed_stored_head_is_not_mistaken_for_an_empty_one(raw):
    with pytest.raises(SourceUnavailable, match="can't be read"):
        PageHead.from_raw(raw)


@given(kept=st.dictionaries(st.sampled_from(["title", "meta", "ld", "canonical", "language", "heading"]), JSON))
def test_f19_a_stored_head_of_any_shape_has_fields_missing_and_none_wrong(kept):
    assert is_sound(metadata_from_head(PageHead.from_raw(json.dumps(kept).replace("@", " at ")), PAGE))


@given(thing=JSON, article=st.dictionaries(st.sampled_from(["headline", "author", "datePublished", "@id"]), JSON))
def test_f19_json_ld_of_any_shape_has_fields_missing_and_none_wrong(thing, article):
    tags = [
        f'<script type="application/ld+json">{json.dumps(part)}</script>' for part in (thing, {"@graph": [article]})
    ]
    assert is_sound(said(*tags, linked(**{**article, "@type": "Article"}), title="Tea"))


@given(body=st.binary(max_size=300), header=st.text(max_size=30))
def test_any_bytes_are_parsed_without_an_error(body, header):
    assert isinstance(metadata_from_head(parse_head(b"<html><head><title>" + body, header), PAGE), Metadata)
    assert isinstance(parse_head(body, header), PageHead)


@pytest.mark.deep
def test_hostile_pages_become_plain_bounded_text():
    page = said(
        ("citation_title", "T" * 5000 + "&lt;script&gt;alert(1)&lt;/script&gt;"),
        *[("citation_author", f"A{number} {'B' * 500}") for number in range(6000)],
        ("citation_journal_title", "J" * 5000),
        ("citation_abstract", "a" * 90_000),
    )
    assert len(page.title) == 1000
    assert len(page.authors) == 5000
    assert {len(author) for author in page.authors} == {300}
    assert (len(page.venue), len(page.abstract)) == (300, 50_000)


@pytest.mark.deep
@cases(
    "page",
    [
        b"<div>" * 300_000,
        b"<title>" + b"a@" * 1_000_000,
        b"<meta name='citation_title' content='" + b"<" * 2_000_000 + b"'>",
        b"<html><head><title>" + b" - a" * 500_000 + b"</title>",
        b"<script type='application/ld+json'>" + b'{"@graph":' * 40_000 + b"</script>",
        b"<script type='application/ld+json'>[" + b"9" * 100_000 + b"]</script>",
        b"\0" * 1_000_000,
        b"<?xml version='1.0' encoding='utf-7'?><html><title>x</title></html>",
        b"",
    ],
)
def test_a36_pages_built_to_be_slow_are_parsed_quickly(page):
    started = time.perf_counter()
    metadata_from_head(parse_head(page, "text/html"), PAGE)
    assert time.perf_counter() - started < 10


def test_recorded_blog_with_citation_tags_is_read():
    page = metadata_from_head(
        parse_head(recorded("web/blog_upstream_force11.html")), Ref("url", "upstream.force11.org/welcome")
    )
    assert page.title.startswith("Welcome to Upstream: the new space")
    assert page.authors == ("John Chodacki", "Ginny Hendricks", "Christine Ferguson", "Martin Fenner")
    assert (page.published_on, page.venue, page.language) == (date(2021, 11, 22), "Upstream", "en")
    assert page.identifiers == (Ref("doi", "10.54900/rckn8ey-1fm76va-qsrnf"),)
    assert page.abstract.startswith("Today we are announcing Upstream.")
    assert len(page.raw) < 20_000


def test_recorded_blog_with_json_ld_only_is_read():
    page = metadata_from_head(
        parse_head(recorded("web/blog_donnywinston.html")), Ref("url", "donnywinston.com/posts/fair")
    )
    assert page.title == "Implementing the FAIR Principles Through FAIR-Enabling Artifacts and Services"
    assert (page.authors, page.published_on) == (("Donny Winston",), date(2022, 10, 21))
    assert page.identifiers == (Ref("doi", "10.57099/11h5yt3819"),)
    assert page.stage == "page"


@pytest.mark.parametrize(
    ("name", "ref", "title"),
    [
        (
            "web/journal_page_pan.html",
            "url:app.pan.pl/article/item/app011052023.html",
            "Novel pneumatic features in the ribs of the sauropod dinosaur Brachiosaurus altithorax",
        ),
        (
            "web/lingbuzz_006747.html",
            "url:ling.auf.net/lingbuzz/006747",
            "SVO – Attractors in the declarative-to-procedural shift in grammar evolution",
        ),
    ],
)
def test_recorded_page_with_only_a_title_gives_only_its_title(name, ref, title):
    page = metadata_from_head(parse_head(recorded(name)), Ref.parse(ref))
    assert page.title == title
    assert (page.authors, page.year, page.venue, page.identifiers) == ((), None, "", ())


@pytest.mark.parametrize("name", ["1902.02534_full_2026", "1902.02534_head_2023"])
def test_recorded_arxiv_page_is_read_as_a_preprint(name):
    page = metadata_from_head(parse_head(recorded(f"arxiv_abs/{name}.html")), PAGE)
    assert page.title.startswith("Crowdsourcing open citations with CROCI")
    assert page.authors == ("Ivan Heibi", "Silvio Peroni", "David Shotton")
    assert (page.year, page.published_on, page.stage) == (2019, date(2019, 2, 7), "preprint")
    assert page.identifiers == (Ref("arxiv", "1902.02534"),)
    assert WebLink("https://arxiv.org/pdf/1902.02534", "pdf") in page.links
    assert page.abstract.startswith("In this paper, we analyse the current availability")


@cases(
    "name",
    [
        "usenix/osdi26_technical-sessions_excerpt.html",
        "usenix/other_venues/mlsys-proceedings-2026.html",
        "usenix/other_venues/sigops-sosp-2026-accepted.html",
        "usenix/other_venues/mobicom-2026-accepted.html",
    ],
)
def test_recorded_conference_programme_is_not_mistaken_for_one_of_its_papers(name):
    page = metadata_from_head(parse_head(recorded(name)), PAGE)
    assert (page.title, page.authors, page.abstract) == ("", (), "")


@cases("around", ["<![CDATA[\n{}\n]]>", "//<![CDATA[\n{}\n//]]>", "/*<![CDATA[*/{}/*]]>*/", "<!--\n{}\n-->"])
def test_wrappers_around_json_ld_are_removed(around):
    thing = json.dumps(
        {"@type": "BlogPosting", "headline": "Tea", "author": [{"name": "Ann Lee"}], "datePublished": "2024-06-25"}
    )
    page = said(f'<script type="application/ld+json">{around.format(thing)}</script>')
    assert (page.title, page.authors, page.year) == ("Tea", ("Ann Lee",), 2024)


def test_a_site_is_not_its_own_author():
    site = {"@type": "Organization", "name": "Kettle Inc"}
    assert said(linked(**{"@type": "Article", "headline": "Tea", "author": site, "publisher": site})).authors == ()
    team = {"@type": "Organization", "name": "Team Kettle"}
    page = said(linked(**{"@type": "Article", "headline": "Tea", "author": team, "publisher": site}))
    assert page.authors == ("Team Kettle",)


@cases(
    ("written", "authors"),
    [
        ("By Ann Lee", ("Ann Lee",)),
        ("by: Ann Lee", ("Ann Lee",)),
        ("Ann Lee et al.", ("Ann Lee",)),
        ("Ann Lee, Bo Li, and others", ("Ann Lee", "Bo Li")),
        ("Website design and development by Kettle", ()),
        ("https://www.example.com/people/ann", ()),
        ("Byron Lee", ("Byron Lee",)),
    ],
)
def test_a_byline_is_read_as_names(written, authors):
    assert said(("author", written), title="Tea").authors == authors


@cases(
    ("title", "expected"),
    [
        ("Tea in Depth | by Ann Lee | Jan, 2023 | Medium", "Tea in Depth"),
        ("Tea in Depth | by Ann Lee | Jan, 2023 | Ann Lee", "Tea in Depth"),
        ("Tea in Depth | by Ann Lee | The Kettle", "Tea in Depth"),
        ("Tea | Sorted by Taste", "Tea | Sorted by Taste"),
    ],
)
def test_the_byline_after_a_title_is_not_part_of_it(title, expected):
    assert said(title=title).title == expected


def test_a_truncated_description_is_not_an_abstract_of_a_paper():
    description = ("dc.description", "Water is boiled, and then it...")
    assert said(("citation_journal_title", "Tea"), ("dc.title", "Kettles"), description).abstract == ""
    assert said(("dc.title", "Kettles"), description).abstract == description[1]


def test_a_repeated_description_is_read_once():
    assert said(("dc.description", "We boil water.  We boil water."), title="Tea").abstract == "We boil water."


@cases("piece", ['{"@graph":', '{"mainEntity":', "[", '{"@graph":[{"mainEntity":'])
def test_deeply_nested_json_ld_is_not_followed(piece):
    ends = {"{": "}", "[": "]"}
    script = piece * 400 + "1" + "".join(ends[sign] for sign in reversed(piece * 400) if sign in ends)
    assert said(f'<script type="application/ld+json">{script}</script>', title="Tea").title == "Tea"
