"""A fact is the same whether it came from a dump or from the service itself."""

import io
import json

import pytest

from readtrack.metadata.catalog import loader
from readtrack.metadata.catalog.dumps import arxiv_json, crossref_json, dblp_xml
from readtrack.metadata.catalog.dumps.types import DumpChunk
from readtrack.metadata.services import arxiv, crossref
from readtrack.metadata.types import Ref
from tests.metadata.catalog.samples import PAPER
from tests.metadata.recorded import recorded

ENTRY = """<entry xmlns="http://www.w3.org/2005/Atom" xmlns:arxiv="http://arxiv.org/schemas/atom">
<id>http://arxiv.org/abs/2301.00017v2</id><title>{title}</title><summary>{abstract}</summary>
<updated>2023-03-07T08:00:00Z</updated><published>2023-01-02T19:18:42Z</published>
<author><name>Hanna Müller</name></author><author><name>José Pérez Jr.</name></author>
<author><name>Heron Collaboration</name></author>
<arxiv:comment>{comments}</arxiv:comment><arxiv:journal_ref>{journal-ref}</arxiv:journal_ref>
<arxiv:doi>{doi}</arxiv:doi><link href="http://arxiv.org/abs/2301.00017v2" rel="alternate" type="text/html"/>
<category term="cs.DC" scheme="http://arxiv.org/schemas/atom"/>
</entry>"""
FIELDS = ("ref", "stage", "kind", "title", "authors", "year", "published_on", "venue", "abstract", "identifiers",
          "versions", "remark")  # fmt: skip


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"journal-ref": "Proc. of the 17th USENIX Symposium on Operating Systems Design and Implementation, 2023"},
        {"journal-ref": "submitted to J. Herons", "comments": "This paper has been withdrawn by the authors"},
        {"abstract": "First.\n  Second of $x^2$, by \\'Etienne; see wader@lake.example.org.\n", "doi": "10.1/x"},
    ],
)
def test_the_arxiv_snapshot_gives_the_same_as_the_api(said):
    fields = {**PAPER, **said}
    work = arxiv_json.read(json.dumps(fields).encode())
    assert work is not None
    told = arxiv.read("2301.00017", ENTRY.format(**fields))
    for field in FIELDS:
        assert getattr(work.metadata, field) == getattr(told, field), field


def test_a_dblp_table_of_contents_is_read_record_by_record():
    toc = recorded("dblp/toc_conf_sosp_sosp2025.xml")
    found = list(dblp_xml.iter_chunks(io.BufferedReader(io.BytesIO(toc))))
    works = [work for piece in found if (work := loader.read_chunk(dblp_xml.FORM, piece))]
    assert len(works) == toc.count(b"<inproceedings ")
    lithos = next(work.metadata for work in works if work.metadata.title.startswith("LithOS"))
    assert (lithos.ref, lithos.venue) == (Ref("doi", "10.1145/3731569.3764818"), "SOSP 2025")
    assert lithos.authors[-1] == "Dimitrios Skarlatos"
    assert any(work.metadata.title.startswith("μFork: ") for work in works)


@pytest.mark.parametrize("name", ["10.1145_3448016.3452841", "10.1101_2020.12.01.406702", "10.7554_elife.01567"])
def test_a_crossref_response_is_a_work_with_the_same_metadata(name):
    answer = recorded(f"crossref/{name}.json")
    work = loader.read_chunk(crossref_json.LINES, DumpChunk(1, answer))
    assert work is not None
    told = crossref.read(work.metadata.ref.key, json.dumps(json.loads(answer)["message"]))
    assert [getattr(work.metadata, field) for field in FIELDS] == [getattr(told, field) for field in FIELDS]


@pytest.mark.parametrize(
    ("name", "many"),
    [("works_sample5", 5), ("works_list_2017", 3), ("works_query_ecology_rows2", 2)],
)
def test_a_crossref_list_response_is_a_dump(library, name, many):
    loaded = library.load(f"{name}.json", recorded(f"crossref/{name}.json"))
    assert (loaded.dump.form.name, loaded.row.bad, loaded.row.position) == ("crossref-items", 0, many)
