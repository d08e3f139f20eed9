"""Pages of papers at publishers without a module of their own, and pages beside them that are none."""

from readtrack.infra.text.urls import UrlParts, split_url
from readtrack.metadata.parsing.paper_pages import is_paper_page
from tests.tables import cases

PAPERS = """
science.sciencemag.org/content/347/6219/1260419 www.sciencemag.org/content/313/5786/504.abstract
elifesciences.org/articles/47994 www.pnas.org/content/115/25/E5849 www.cell.com/neuron/fulltext/S0896-6273(17)30509-3
www.nature.com/nature/journal/v518/n7540/full/nature14236.html www.mdpi.com/2076-3417/10/1/123/htm
www.computer.org/csdl/proceedings-article/sp/2019/666000a001/19skfYdb3c4 peerj.com/articles/cs-55
academic.oup.com/bioinformatics/article/36/4/1234/5566506 www.biorxiv.org/content/early/2018/01/01/123456
www.cambridge.org/core/journals/journal-of-functional-programming/article/abs/some/ABCDEF
hal.inria.fr/inria-00072280/document hal.science/hal-01234567v2 papers.ssrn.com/sol3/papers.cfm?abstract_id=3214567
drops.dagstuhl.de/opus/volltexte/2019/10578 www.aaai.org/ocs/index.php/AAAI/AAAI16/paper/view/12389
www.ijcai.org/proceedings/2019/123 www.vldb.org/pvldb/volumes/13/paper/Some%20Title
openproceedings.org/html/pages/2018/paper-12 journal.example.org/index.php/j/article/view/11222
research.google/pubs/pub36632 research.google.com/archive/mapreduce.html dspace.example.edu/handle/1721.1/5783
paperswithcode.com/paper/vibe-video-inference-for-human-body-pose-and dblp.org/rec/conf/nips/VaswaniSPUJGKP17
lab.example.edu/publication/spark-cluster-computing-with-working-sets/
www.example.org/accepted-papers/view/real-time-personalization
journal.example.org/index.php/j/article/download/8289/7639
pubmed.ncbi.nlm.nih.gov/12345678 pmc.ncbi.nlm.nih.gov/articles/PMC1234567
"""
OTHERS = """
www.science.org/content/article/some-news www.sciencemag.org/news/2020/01/foo www.nature.com/nature
www.cell.com/neuron/home www.pnas.org/topic/1 link.springer.com/journal/10994 academic.oup.com/journals/pages/about
en.wikipedia.org/wiki/Attention pytorch.org/docs/stable papers.ssrn.com/sol3/cf_dev/AbsByAuth.cfm?per_id=1
notscience.org/content/347/6219/1260419 blog.example.org/articles/47994
www.example.org/papers/call-for-papers-and-posters www.example.org/publications/by-year
paperswithcode.com/sota research.google/teams/brain
"""


def parts_of(address: str) -> UrlParts:
    parts = split_url(f"https://{address}")
    assert parts is not None
    return parts


@cases("address", PAPERS.split())
def test_a_page_of_a_paper_is_recognized_by_its_host_and_path(address):
    assert is_paper_page(parts_of(address))


@cases("address", OTHERS.split())
def test_other_pages_of_publishers_are_no_papers(address):
    assert not is_paper_page(parts_of(address))
