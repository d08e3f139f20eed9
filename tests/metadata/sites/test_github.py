"""What GitHub says of a repository, and what the repository wants cited: linked, never taken for itself."""

import base64
import json
import time
from datetime import UTC, datetime

import pytest
from hypothesis import given

from readtrack.infra.errors import SourceUnavailable
from readtrack.metadata.parsing import citation_cff
from readtrack.metadata.sites import github
from readtrack.metadata.types import DatedVersion, Ref
from tests.metadata.answering import Answering, changed, is_sound
from tests.metadata.recorded import own, recorded
from tests.tables import cases

KEY = "leaf-lab/kettle"
REPOSITORY = json.loads(own("github/repository.json"))
CFF = own("github/CITATION.cff").decode()
NOT_FOUND = (404, {"message": "Not Found", "documentation_url": "https://docs.github.com/rest", "status": "404"})


def file(text):
    content = base64.encodebytes(text.encode()).decode()
    return {"type": "file", "name": "CITATION.cff", "encoding": "base64", "content": content}


def fetched(repository, cited=NOT_FOUND, headers=None):
    http = Answering({f"/repos/{KEY}": repository, "/contents/CITATION.cff": cited}, headers)
    return github.fetch(http, [KEY])


def test_a_repository_has_its_name_and_description():
    said = fetched(REPOSITORY).records[KEY]
    assert (said.ref, said.kind, said.stage) == (Ref("github", KEY), "code", "page")
    assert (said.title, said.abstract) == ("Leaf-Lab/Kettle", "Warm caches for tea :tea:")
    assert (said.authors, said.year, said.language, said.identifiers) == ((), None, "", ())
    assert [(link.role, link.url) for link in said.links] == [
        ("code", f"https://github.com/{KEY}"),
        ("landing", "https://leaf.example.org/kettle"),
    ]


def test_the_preferred_citation_is_a_link_and_not_an_identifier():
    said = fetched(REPOSITORY, file(CFF)).records[KEY]
    assert said.title == "Leaf-Lab/Kettle"
    assert said.authors == ("Ada Teapot", "Juan de la Taza Jr.", "The Samovar Collaboration")
    assert said.identifiers == ()
    assert said.versions == (DatedVersion("2.10", datetime(2025, 3, 4, tzinfo=UTC)),)
    assert [link.url for link in said.links if link.role == "landing"] == [
        "https://leaf.example.org/kettle",
        "https://doi.org/10.1145/9900000.9900001",
        "https://arxiv.org/abs/2404.00001",
        "https://doi.org/10.5281/zenodo.9900001",
    ]


def test_a_stored_repository_is_reparsed_and_contains_no_mail_addresses():
    said = fetched(REPOSITORY, file(CFF)).records[KEY]
    assert github.read(KEY, said.raw) == said
    assert "@" not in said.raw


def test_a_moved_repository_is_known_by_both_names():
    said = fetched(REPOSITORY | {"full_name": "Tea-House/Kettle", "archived": True}).records[KEY]
    assert (said.ref, said.title) == (Ref("github", KEY), "Tea-House/Kettle")
    assert said.identifiers == (Ref("github", "tea-house/kettle"),)
    assert said.remark == "archived"


def test_only_its_own_404_means_that_a_repository_is_unknown():
    assert fetched(NOT_FOUND).missing == {KEY}
    for body in ("<html>Not Found</html>", {"message": "no route"}):
        with pytest.raises(SourceUnavailable):
            fetched((404, body))


@pytest.mark.parametrize(
    ("headers", "least", "most"),
    [
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "in 900"}, 800, 900),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "99999999999"}, 3600, 3600),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "soon"}, 60, 60),
        ({"retry-after": "30"}, 30, 30),
        ({}, 60, 60),
    ],
)
@pytest.mark.parametrize("status", [403, 429])
def test_an_exhausted_hourly_rate_limit_is_waited_out(status, headers, least, most):
    if headers.get("x-ratelimit-reset") == "in 900":
        headers = {**headers, "x-ratelimit-reset": str(int(time.time()) + 900)}
    with pytest.raises(SourceUnavailable) as raised:
        fetched((status, {"message": "API rate limit exceeded for 192.0.2.1."}), headers=headers)
    assert least <= raised.value.retry_after <= most


def test_a_blocked_repository_is_refused_with_a_message():
    for answer in ((451, {"message": "Blocked"}), (403, {"message": "Repository access blocked", "block": {}})):
        assert "blocks access to" in fetched(answer).errors[KEY]
    assert "is not a valid repository" in github.fetch(Answering({}), ["a/b/c"]).errors["a/b/c"]


@cases(
    "answer",
    [
        (200, "<html>Sign in</html>"),
        (200, ""),
        (200, []),
        (200, {"message": "?"}),
        (403, {"message": "no"}),
        (403, "no"),
    ],
)
def test_any_other_response_is_retried_later(answer):
    with pytest.raises(SourceUnavailable):
        fetched(answer)


@cases(
    "text",
    [
        "",
        "just a sentence",
        "title: no version of the format",
        "cff-version: 1.2.0\nauthors: &a [{name: Ada}]\nreferences: [*a, *a]",
        "cff-version: &v 1.2.0",
        "cff-version: !!python/object/apply:os.system [ls]\n- broken",
        "cff-version: 1.2.0\nauthors: [" + "[" * 50_000,
        "cff-version: 1.2.0\nabstract: " + "x" * 100_000,
        "\x00cff-version: 1.2.0",
        "cff-version: 1.2.0\n? [a]\n: {b",
    ],
)
def test_an_invalid_citation_file_or_a_yaml_bomb_gives_nothing(text):
    started = time.perf_counter()
    assert citation_cff.parse_citation(text) == {}
    assert time.perf_counter() - started < 10


def test_values_of_a_citation_file_stay_strings():
    said = citation_cff.parse_citation(
        "cff-version: 1.2.0\nversion: 2.10\ndate-released: 2025-99-99\nyes: no\nx: !!python/name:os.system"
    )
    assert said["version"] == "2.10"
    assert (said["date-released"], said["yes"], said["x"]) == ("2025-99-99", "no", "")


@cases(
    "cited",
    [
        {"encoding": "none", "content": ""},
        {"encoding": "base64", "content": "*"},
        {"content": 5},
        [],
        file("\udcff".encode("utf-8", "surrogatepass").decode("latin-1")),
        (403, {"message": "no"}),
    ],
)
def test_a_repository_with_an_unreadable_citation_file_is_returned_without_it(cited):
    assert fetched(REPOSITORY, cited).records[KEY].authors == ()


@given(repository=changed(REPOSITORY), cited=changed(file(CFF)))
def test_a_malformed_response_leaves_fields_blank(repository, cited):
    try:
        found = fetched(repository, cited).records
    except SourceUnavailable:
        return
    assert is_sound(found[KEY])
    assert github.read(KEY, found[KEY].raw) == found[KEY]


@given(said=changed(citation_cff.parse_citation(CFF)))
def test_a_malformed_citation_file_leaves_fields_blank(said):
    assert is_sound(fetched(REPOSITORY, file(json.dumps(said))).records[KEY])


def test_a_recorded_repository_is_read():
    key = "octokit-fixture-org/hello-world"
    http = Answering({f"/repos/{key}": recorded("github/repo_octokit-fixture-org_hello-world.json"), "": NOT_FOUND})
    said = github.fetch(http, [key]).records[key]
    assert (said.title, said.abstract, said.authors) == (key, "", ())
    assert len(said.raw) < 1_000


def test_a_recorded_folder_listing_is_neither_a_repository_nor_a_citation_file():
    listing = recorded("github/contents_root.json")
    assert fetched(REPOSITORY, listing).records[KEY].authors == ()
    with pytest.raises(SourceUnavailable):
        fetched(listing)


@cases(
    ("name", "authors", "works", "version"),
    [
        ("jabref_CITATION", ("Oliver Kopp", "Tobias Diez"), ["doi:10.47397/tb/44-3/tb138kopp-jabref"], ""),
        ("ruby-cff_CITATION", ("Robert Haines", "The Ruby Citation File Format Developers"), ["doi:10.5281/zenodo.1184077"], "0.9.0"),  # noqa: E501
        ("jabref_CffImporterPreferredCitation", ("Joe van Smith", "Bob Jones Jr."), ["doi:10.0001/test", "doi:10.0000/test"], "1.0"),  # noqa: E501
        ("jabref_CffImporterReferences", ("Joe van Smith", "Bob Jones Jr."), ["doi:10.0000/test"], "1.0"),
        ("jabref_CffImporterTestDataset", ("Joe van Smith", "Bob Jones Jr."), ["doi:10.0000/test"], "1.0"),
        ("jabref_CffImporterTestDoiSelect", ("Joe van Smith", "Bob Jones Jr."), ["doi:10.0000/test"], "1.0"),
        ("jabref_CffImporterTestMultilineAbstract", ("Joe van Smith", "Bob Jones Jr."), ["doi:10.0000/test"], "1.0"),
        ("jabref_CffImporterTestUnknownFields", ("Joe van Smith", "Bob Jones Jr."), ["doi:10.0000/test"], "1.0"),
        ("jabref_CffImporterTestValidMultAuthors", ("Joe van Smith", "Bob Jones Jr."), ["doi:10.0000/test"], "1.0"),
        ("jabref_CffImporterTestInvalid1", (), [], ""),
        ("jabref_CffImporterTestInvalid2", (), [], ""),
    ],
)  # fmt: skip
def test_a_recorded_citation_file_is_read(name, authors, works, version):
    said = citation_cff.parse_citation(recorded(f"citation_cff/{name}.cff").decode())
    assert citation_cff.authors(said)[:2] == authors
    assert citation_cff.works(said) == [f"https://doi.org/{work.removeprefix('doi:')}" for work in works]
    assert said.get("version", "") == version
