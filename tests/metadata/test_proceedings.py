"""Sites of proceedings that are asked by their pages: ACL, PMLR, JMLR, AAAI, IEEE, NeurIPS and MLSys."""

import pytest

from readtrack.infra.errors import SourceUnavailable
from readtrack.metadata import sources
from readtrack.metadata.types import PaperDescription, Ref, WebLink
from tests.metadata.browsing import Browsing, page
from tests.metadata.recorded import recorded
from tests.tables import cases

TAGS = """<meta name="citation_title" content="{title}"><meta name="citation_author" content="Teapot, Ada">
<meta name="citation_publication_date" content="2022"><meta name="citation_{kind}_title" content="{container}">"""


def paper_page(title="On Tea", *, shown="On Tea", kind="conference", container="Proceedings of Tea"):
    tags = TAGS.format(title=title, kind=kind, container=container)
    return f"<html><head><title>{shown}</title>{tags}</head><body></body></html>"


def fetched(name, key, pages):
    http = Browsing(pages)
    return sources.service(name).fetch(http, [key]), http.asked


@cases(
    ("name", "key", "address"),
    [
        ("acl", "2021.naacl-main.208", "https://aclanthology.org/2021.naacl-main.208"),
        ("pmlr", "v162/teapot22a", "https://proceedings.mlr.press/v162/teapot22a.html"),
        ("jmlr", "v21/20-074", "https://jmlr.org/papers/v21/20-074.html"),
        ("aaai", "17325", "https://ojs.aaai.org/index.php/AAAI/article/view/17325"),
        ("ieee", "6777559", "https://ieeexplore.ieee.org/document/6777559"),
        ("neurips", "virtual/2023/71234", "https://neurips.cc/virtual/2023/poster/71234"),
        ("mlsys", "virtual/2024/2645", "https://mlsys.org/virtual/2024/poster/2645"),
    ],
)
def test_a_paper_is_read_from_its_page(name, key, address):
    said, _ = fetched(name, key, {address: page(paper_page())})
    paper = said.records[key]
    assert (paper.ref, paper.stage, paper.title) == (Ref(name, key), "published", "On Tea")
    assert (paper.authors, paper.year, paper.venue) == (("Ada Teapot",), 2022, "Proceedings of Tea")


@pytest.mark.parametrize(("name", "key"), [("acl", "2021.naacl-main.208"), ("pmlr", "v162/teapot22a")])
def test_f17_a_different_page_in_place_of_a_paper_is_not_accepted(name, key):
    body = "<html><head><title>We will be back</title></head><body><h1>Maintenance</h1></body></html>"
    with pytest.raises(SourceUnavailable, match="Retrying later"):
        fetched(name, key, {sources.by_name(name).url(key): page(body)})


def test_a_page_without_authors_is_not_authoritative_for_the_paper():
    shown = "On Tea | IEEE Conference Publication | IEEE Xplore"
    body = f"<html><head><title>{shown}</title></head></html>"
    said, _ = fetched("ieee", "6777559", {"https://ieeexplore.ieee.org/document/6777559": page(body)})
    assert (said.records["6777559"].title, said.records["6777559"].stage) == ("On Tea", "page")


@cases("session", ["NeurIPS Poster ", "NeurIPS 2023 Oral ", "MLSys Poster ", "NeurIPS Spotlight Poster: ", ""])
def test_the_session_is_not_part_of_the_title(session):
    body = f"<html><head><title>{session}Posters on Tea</title></head></html>"
    said, _ = fetched("neurips", "virtual/2023/1", {"https://neurips.cc/virtual/2023/poster/1": page(body)})
    assert said.records["virtual/2023/1"].title == "Posters on Tea"


def test_aaai_articles_are_searched_in_its_other_journals_too():
    there = "https://ojs.aaai.org/index.php/ICWSM/article/view/31"
    said, asked = fetched("aaai", "31", {there: page(paper_page())})
    assert said.records["31"].title == "On Tea"
    assert len(asked) == 2
    assert fetched("aaai", "31", {})[0].missing == {"31"}


def test_recorded_acl_anthology_page_is_read():
    key = "2021.naacl-main.208"
    body = recorded(f"web/acl_{key}.html")
    paper = fetched("acl", key, {f"https://aclanthology.org/{key}": page(body)})[0].records[key]
    assert paper.title == "How many data points is a prompt worth?"
    assert paper.authors == ("Teven Le Scao", "Alexander M. Rush")
    assert (paper.year, paper.published_on, paper.venue, paper.stage) == (2021, None, "NAACL 2021", "published")
    assert paper.identifiers == (Ref("doi", "10.18653/v1/2021.naacl-main.208"),)
    assert paper.links == (
        WebLink(f"https://aclanthology.org/{key}", "landing"),
        WebLink(f"https://aclanthology.org/{key}.pdf", "pdf"),
    )
    assert paper.abstract.startswith("When fine-tuning pretrained models")


def test_recorded_page_of_an_old_acl_paper_is_read():
    body = recorded("web/acl_N04-1001.html")
    paper = fetched("acl", "N04-1001", {"https://aclanthology.org/N04-1001": page(body)})[0].records["N04-1001"]
    assert paper.title == "A Statistical Model for Multilingual Entity Detection and Tracking"
    assert (paper.authors[:2], len(paper.authors)) == (("Radu Florian", "H. Hassan"), 8)
    assert (paper.year, paper.venue, paper.abstract) == (2004, "NAACL 2004", "")


HASH = "1457c0d6bfcb4967418bfb8ac142f64a"
WRITTEN = [  # scheme, address as it was written, the page that is asked for
    (
        "neurips",
        f"http://papers.neurips.cc/paper_files/paper/2022/file/{HASH}-Paper-Conference.pdf",
        f"https://papers.neurips.cc/paper_files/paper/2022/hash/{HASH}-Abstract-Conference.html",
    ),
    (
        "neurips",
        f"https://proceedings.neurips.cc/paper/2020/hash/{HASH}-Abstract.html",
        f"https://proceedings.neurips.cc/paper/2020/hash/{HASH}-Abstract.html",
    ),
    (
        "mlsys",
        f"https://proceedings.mlsys.org/paper/2020/file/{HASH}-Paper.pdf",
        f"https://proceedings.mlsys.org/paper/2020/hash/{HASH}-Abstract.html",
    ),
    (
        "nips",
        "http://papers.nips.cc/paper/7181-attention-is-all-you-need.pdf",
        "https://papers.nips.cc/paper/7181-attention-is-all-you-need",
    ),
    (
        "cvf",
        "https://openaccess.thecvf.com/content_ICCV_2017/papers/He_Mask_R-CNN_ICCV_2017_paper.pdf",
        "https://openaccess.thecvf.com/content_ICCV_2017/html/He_Mask_R-CNN_ICCV_2017_paper.html",
    ),
]


@cases(("scheme", "written", "there"), WRITTEN)
def test_a_key_without_a_page_is_requested_by_the_url_as_typed(scheme, written, there):
    named = sources.recognize(written)
    assert named is not None
    assert named.scheme == scheme
    service = sources.service(scheme)
    assert service.select_keys(PaperDescription((named,))) == ()
    assert service.select_keys(PaperDescription((named,), links=("https://example.org/a", written))) == (there,)
    browsing = Browsing({there: page(paper_page())})
    said = service.fetch(browsing, [there]).records[there]
    assert (said.ref, said.title, said.authors, said.stage) == (named, "On Tea", ("Ada Teapot",), "published")
    assert service.read(there, said.raw) == said


def test_the_url_of_another_paper_is_not_requested():
    (scheme, written, _), *_rest = WRITTEN
    other = Ref(scheme, "0" * 32)
    assert sources.service(scheme).select_keys(PaperDescription((other,), links=(written,))) == ()
