"""Citations to copy, in three styles: with the paper's own identifiers, and no address of this server."""

from dataclasses import replace
from datetime import date

import pytest

from readtrack import search
from readtrack.infra.text.person_names import NameParts, join_parts, undivided
from readtrack.workspace.export.formats import ExportPaper
from readtrack.workspace.export.formatted_citations import STYLES, format_citation
from tests import make
from tests.tables import cases

PREPRINT = ExportPaper(
    id=1,
    kind="paper",
    title="Unicron: Self-Healing Training",
    authors=("Tao He", "Martin Luther King Jr."),
    year=2024,
    identifiers=(("arxiv", "2401.00134"),),
    links=(("https://www.usenix.org/conference/osdi24/presentation/he", "landing"),),
)
PUBLISHED = ExportPaper(
    id=2,
    kind="paper",
    title="What Is All You Need?",
    authors=(join_parts(NameParts("Del Balso", "Mike")), "Laurens van der Maaten", undivided("Google Research")),
    year=2017,
    published_on=date(2017, 6, 12),
    venue="NeurIPS 2017",
    identifiers=(("doi", "10.1145/3.4"), ("arxiv", "1706.03762")),
)
JAPANESE = ExportPaper(
    id=3,
    kind="paper",
    title="大規模言語モデル",
    authors=("山田 太郎",),
    year=2020,
    venue="IEEE Transactions on Computers",
)
POST = ExportPaper(id=4, kind="article", title="How We Scaled", identifiers=(("url", "blog.example/scale"),))
BOOK = ExportPaper(
    id=6,
    kind="paper",
    title="The Art of Computer Programming",
    authors=("Donald E. Knuth",),
    year=1968,
    venue="Addison-Wesley",
    publication_type="book",
)
THESIS = replace(BOOK, title="Sheaves", venue="ETH Zurich", publication_type="masters_thesis")
TALK = replace(BOOK, title="Waves", venue="J", publication_type="conference_paper", year=None)
BLOG = replace(POST, venue="Example Blog", year=2020)
BARE = ExportPaper(id=5, kind="video", title="", identifiers=(("youtube", "dQw4w9WgXcQ"),))


@cases(
    ("paper", "style", "text"),
    [
        (
            PREPRINT,
            "apa",
            (
                "He, T., & King, M. L., Jr. (2024). Unicron: Self-Healing Training (arXiv:2401.00134). arXiv. "
                "https://arxiv.org/abs/2401.00134"
            ),
        ),
        (
            PREPRINT,
            "ieee",
            (
                "T. He and M. L. King Jr., “Unicron: Self-Healing Training,” 2024, arXiv: arXiv:2401.00134. "
                "[Online]. Available: https://arxiv.org/abs/2401.00134"
            ),
        ),
        (
            PREPRINT,
            "acm",
            (
                "Tao He and Martin Luther King Jr. 2024. Unicron: Self-Healing Training. Retrieved from "
                "https://arxiv.org/abs/2401.00134"
            ),
        ),
        (
            PUBLISHED,
            "apa",
            (
                "Del Balso, M., van der Maaten, L., & Google Research. (2017, June 12). What Is All You Need? "
                "NeurIPS 2017. https://doi.org/10.1145/3.4"
            ),
        ),
        (
            PUBLISHED,
            "ieee",
            (
                "M. Del Balso, L. van der Maaten, and Google Research, “What Is All You Need?,” in NeurIPS 2017, "
                "Jun. 2017. doi: 10.1145/3.4."
            ),
        ),
        (
            PUBLISHED,
            "acm",
            (
                "Mike Del Balso, Laurens van der Maaten, and Google Research. 2017. What Is All You Need? "
                "In NeurIPS 2017, June 12, 2017. https://doi.org/10.1145/3.4"
            ),
        ),
        (JAPANESE, "apa", "山田 太郎. (2020). 大規模言語モデル. IEEE Transactions on Computers."),
        (JAPANESE, "ieee", "山田 太郎, “大規模言語モデル,” IEEE Transactions on Computers, 2020."),
        (POST, "apa", "How We Scaled. (n.d.). https://blog.example/scale"),
        (POST, "ieee", "“How We Scaled.” [Online]. Available: https://blog.example/scale"),
        (POST, "acm", "How We Scaled. Retrieved from https://blog.example/scale"),
        (BLOG, "ieee", "“How We Scaled,” Example Blog, 2020. [Online]. Available: https://blog.example/scale"),
        (BOOK, "apa", "Knuth, D. E. (1968). The Art of Computer Programming. Addison-Wesley."),
        (BOOK, "ieee", "D. E. Knuth, The Art of Computer Programming. Addison-Wesley, 1968."),
        (BOOK, "acm", "Donald E. Knuth. 1968. The Art of Computer Programming. Addison-Wesley."),
        (THESIS, "apa", "Knuth, D. E. (1968). Sheaves [Master's thesis]. ETH Zurich."),
        (THESIS, "ieee", "D. E. Knuth, “Sheaves,” Master's thesis, ETH Zurich, 1968."),
        (TALK, "ieee", "D. E. Knuth, “Waves,” in J."),
        (TALK, "acm", "Donald E. Knuth. Waves. In J."),
        (replace(TALK, venue=""), "acm", "Donald E. Knuth. Waves."),
        (replace(TALK, venue="", year=1968), "ieee", "D. E. Knuth, “Waves,” 1968."),
        (BARE, "acm", "youtube:dQw4w9WgXcQ. Retrieved from https://www.youtube.com/watch?v=dQw4w9WgXcQ"),
    ],
)
def test_a_citation_follows_its_style(paper, style, text):
    assert format_citation(paper, style) == text


@pytest.fixture
def ada(database, sign_in):
    with database.write() as tx:
        search.ensure(tx)
        ada = make.visitor(tx, "Ada")
        make.paper(tx, "Unicron", identifier="arxiv:2401.00134", authors=["Tao He"], year=2024)
    return sign_in(ada)


@pytest.mark.slow
def test_the_api_gives_a_citation_as_text(ada):
    answer = ada.get("/api/v1/papers/1/citation", params={"style": "ieee"})
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.text.startswith("T. He, “Unicron,” 2024")
    assert ada.get("/api/v1/papers/1/citation").text.startswith("He, T. (2024). Unicron")
    assert ada.get("/api/v1/papers/1/citation", params={"style": "mla"}).status_code == 422
    assert ada.get("/api/v1/papers/9/citation").status_code == 404


@pytest.mark.slow
def test_a_page_shows_all_citations_without_a_script(ada):
    assert 'href="/papers/1/cite"' in ada.get("/papers/1").text
    page = ada.get("/papers/1/cite").text
    texts = [ada.get("/api/v1/papers/1/citation", params={"style": style}).text for style in STYLES]
    assert all(text in page for text in texts)
    assert "@misc{paper1," in page
    assert not any(str(ada.base_url.host) in text for text in texts)
