"""References to works in answers of services: DOIs and addresses that name one work, and nothing else."""

from readtrack.metadata.parsing import dois
from readtrack.metadata.types import Ref
from tests.tables import cases

WORKS = {
    "10.1145/3627703.3629553": "doi:10.1145/3627703.3629553",
    "https://doi.org/10.1145/3627703.3629553": "doi:10.1145/3627703.3629553",
    "10.1145/3627703.3629553},": "doi:10.1145/3627703.3629553",  # copied with what stood around it
    "10.1016/S0021-9258(19)52451-6).": "doi:10.1016/s0021-9258(19)52451-6",
    "https://arxiv.org/abs/2305.15778v2": "arxiv:2305.15778",
    "https://www.usenix.org/conference/osdi23/presentation/moon": "usenix:osdi23/moon",
    "https://github.com/pytorch/torchsnapshot": "",  # a repository is no work that is cited
    "https://www.example.org/paper.pdf": "",
    "": "",
}


@cases(("text", "work"), WORKS.items())
def test_a_reference_names_a_work_and_no_mere_page_or_repository(text, work):
    assert dois.parse_work_ref(text) == (Ref.parse(work) if work else None)


def test_a_works_other_names_are_listed_once_and_without_its_own():
    texts = ["10.1145/1", "arXiv:2305.15778", "https://doi.org/10.1145/1", "https://arxiv.org/abs/2305.15778", "page"]
    assert dois.other_refs(Ref("doi", "10.1145/1"), texts) == (Ref("arxiv", "2305.15778"),)
