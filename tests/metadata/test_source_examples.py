"""Every source's own examples, and the laws of recognising, for every source there is and will be."""

from hypothesis import given
from hypothesis import strategies as st

from readtrack.infra.text import urls
from readtrack.metadata import sources
from readtrack.metadata.types import Ref
from tests.tables import cases

EXAMPLES = [(source, text, key) for source in sources.all_sources() for text, key in source.examples.items()]
KEYS = [(source, key) for source, _, key in EXAMPLES if key is not None]
KINDS = {"paper", "article", "video", "slides", "code", "course", "documentation", "page"}
ROLES = {"landing", "pdf", "html", "video", "slides", "code", "commentary"}


def test_sources_are_discovered_and_tried_in_order():
    names = [source.name for source in sources.all_sources()]
    assert names[:3] == ["arxiv", "doi", "usenix"]
    assert names[-1] == "url"
    assert len(names) == len(set(names))


@cases("source", sources.all_sources(), ids=lambda source: source.name)
def test_every_source_has_positive_and_negative_examples(source):
    assert {key is None for key in source.examples.values()} == {True, False}


@cases(("source", "text", "key"), EXAMPLES)
def test_example_is_recognised_by_its_source(source, text, key):
    assert source.recognise(text) == key


@cases(("source", "key"), KEYS)
def test_the_url_of_an_identifier_is_recognised_as_that_identifier(source, key):
    assert source.recognise(source.url(key)) == key
    assert sources.recognize(sources.url(Ref(source.name, key))) == Ref(source.name, key)


@cases(("source", "key"), KEYS)
def test_kind_links_and_label_are_values_of_the_model(source, key):
    assert source.kind(key) in KINDS
    assert {link.role for link in source.links(key)} <= ROLES
    assert all(link.url.startswith("https://") for link in source.links(key))
    assert source.label(key)
    assert Ref.parse(str(Ref(source.name, key))) == Ref(source.name, key)


LETTERS = st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=1, max_size=12)
MONTH = st.integers(1, 12).map("{:02}".format)
ARXIV = st.one_of(
    st.tuples(st.integers(15, 40), MONTH, st.integers(0, 99999)).map(lambda t: f"{t[0]}{t[1]}.{t[2]:05}"),
    st.tuples(st.sampled_from(["cs", "hep-th", "math"]), MONTH, st.integers(0, 999)).map(
        lambda t: f"{t[0]}/06{t[1]}{t[2]:03}"
    ),
)
ARXIV_SPELLINGS = [
    "https://arxiv.org/abs/{}",
    "http://www.arxiv.org/pdf/{}v3.pdf",
    "https://export.arxiv.org/pdf/{}",
    "arxiv.org/abs/{}v1",
    "https://arxiv.org/html/{}v2",
    "https://ar5iv.labs.arxiv.org/html/{}",
    "https://www.alphaxiv.org/overview/{}",
    "https://huggingface.co/papers/{}",
    "https://doi.org/10.48550/arXiv.{}",
    "doi:10.48550/arXiv.{}",
    "arXiv:{}v2",
    "arXiv: {} [cs.LG]",
    "[{}] A Title of Some Paper",
    "{}",
    "https://link.zhihu.com/?target=https%3A//arxiv.org/abs/{}",
    "https://arxiv.org/abs//{}",
    "https://arxiv.org/abs/{}?utm_source=x#fragment",
]


@given(key=ARXIV, spelling=st.sampled_from(ARXIV_SPELLINGS))
def test_every_spelling_of_an_arxiv_paper_is_one_identifier(key, spelling):
    assert sources.recognize(spelling.format(key)) == Ref("arxiv", key)


FORMS = {"full", "abstract", "pdf", "html"}  # at the end of a DOI these tell of the file that was looked at


@given(owner=LETTERS, name=LETTERS.filter(lambda name: name not in FORMS))
def test_repository_and_doi_keys_round_trip(owner, name):
    for ref in (
        Ref("doi", f"10.1145/{owner}.{name}"),
        Ref("usenix", f"osdi23/{owner}-x{name}x"),
        Ref("acl", f"2021.{owner}.7"),
    ):
        assert sources.recognize(sources.url(ref)) == ref


@given(
    host=st.sampled_from(["example.org", "www.example.net:8080", "blog.example.com"]),
    path=st.text(max_size=20),
    query=st.text(max_size=10),
)
def test_any_web_page_is_recognised_again_by_its_url(host, path, query):
    ref = sources.recognize(f"http://{host}/{path}?{query}")
    if ref is not None:
        assert sources.recognize(sources.url(ref)) == ref


@given(key=st.text(max_size=30))
def test_the_url_of_any_key_can_be_requested(key):
    for source in sources.all_sources():
        assert source.url(key).startswith("https://")


@given(text=st.text(max_size=60))
def test_recognition_accepts_any_input(text):
    ref = sources.recognize(text)
    assert ref is None or ref.key


@cases(
    ("text", "version"),
    [
        ("https://arxiv.org/pdf/2408.03505v2.pdf", "v2"),
        ("arXiv:2305.15778V12", "v12"),
        ("https://arxiv.org/abs/2305.15778", ""),
        ("https://example.org/v2", ""),
    ],
)
def test_arxiv_version_is_not_part_of_the_identity(text, version):
    assert sources.by_name("arxiv").version(text) == version


@cases(
    ("address", "kind"),
    [
        ("https://mcn.cse.psu.edu/paper/heting-liu/systor23-heting.pdf", "paper"),
        ("https://dlsyscourse.org/slides/4-automatic-differentiation.pdf", "slides"),
        ("https://example.org/talk.pptx", "slides"),
        ("https://docs.example.org/guide", "documentation"),
        ("https://thing.readthedocs.io/en/latest/", "documentation"),
        ("https://dlsyscourse.org/", "course"),
        ("https://aws.amazon.com/jp/blogs/machine-learning/elastic-training/", "article"),
        ("https://blog.example.com/p/five-techniques", "article"),
        ("https://crfm.example.edu/2023/10/12/decoding.html", "article"),
        ("https://github.com/owner/repo/blob/main/notebook.ipynb", "code"),
        ("https://github.com/owner/Notes/blob/main/FlashAttention.md", "page"),
        ("https://jax-ml.github.io/scaling-book", "page"),
        ("https://www.sciencedirect.com/science/article/pii/S0893608014002135", "paper"),
        ("http://www.nature.com/nature/journal/v542/n7639/full/nature21056.html", "paper"),
        ("https://www.ijcai.org/proceedings/2019/123", "paper"),
        ("https://hal.science/hal-01234567", "paper"),
        ("https://www.ijcai.org/proceedings/2019", "page"),
    ],
)
def test_kind_of_a_web_page_follows_from_its_url(address, kind):
    ref = sources.recognize(address)
    assert ref is not None
    assert (ref.scheme, sources.by_name("url").kind(ref.key)) == ("url", kind)


def test_http_and_https_are_one_page_and_tracking_parameters_are_ignored():
    same = ["http://example.org/a/?utm_source=x", "https://example.org/a", "https://EXAMPLE.org:443/a/#part"]
    assert {sources.recognize(address) for address in same} == {Ref("url", "example.org/a")}


HOSTS = sorted({host for source in sources.all_sources() for host in source.hosts} | {"nature.com", "example.org"})
PATHS = [urls.split_url(text) for _, text, _ in EXAMPLES if text.startswith("http")]


@given(
    st.sampled_from(["https://", "http://www.", "https://a.b.", "https://not"]),
    st.sampled_from(HOSTS),
    st.sampled_from([where for where in PATHS if where]),
    LETTERS,
)
def test_skipping_sources_by_host_misses_no_url(before, host, where, more):
    query = "&".join(f"{name}={value}" for name, value in where.query.items())
    for ending in ("", more):
        address = f"{before}{host}{where.path}{ending}" + (f"?{query}" if query else "")
        keys = ((source.name, source.recognise(urls.unwrap(address))) for source in sources.all_sources())
        first = next((Ref(name, key) for name, key in keys if key), None)
        assert sources.recognize(address) == first
