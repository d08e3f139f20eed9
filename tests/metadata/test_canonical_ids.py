"""One work, one identifier: the many addresses under which the same paper is found, and those of other things."""

from hypothesis import given
from hypothesis import strategies as st

from readtrack.metadata import sources
from readtrack.metadata.types import Ref
from tests.tables import cases

HASH = "1457c0d6bfcb4967418bfb8ac142f64a"
LONG_HASH = "204e3073870fae3d05bcbc2f6a8e263d9b72e776"

ONE_WORK = {
    "arxiv:2305.15778": """
        arxiv.org/abs/2305.15778 arxiv.org/pdf/2305.15778 arxiv.org/pdf/2305.15778.pdf arxiv.org/pdf/2305.15778v2.pdf
        arxiv.org/html/2305.15778v1 arxiv.org/abs/2305.15778v12 arxiv.org/pdf/2305.15778v arxiv.org/format/2305.15778
        arxiv.org/e-print/2305.15778 arxiv.org/ftp/arxiv/papers/2305/2305.15778.pdf arxiv.org/abs/arXiv:2305.15778
        export.arxiv.org/abs/2305.15778 browse.arxiv.org/pdf/2305.15778.pdf cn.arxiv.org/abs/2305.15778
        ar5iv.org/abs/2305.15778 ar5iv.labs.arxiv.org/html/2305.15778 alphaxiv.org/overview/2305.15778v1
        arxiv-vanity.com/papers/2305.15778/ papers.cool/arxiv/2305.15778 huggingface.co/papers/2305.15778
        hf.co/papers/2305.15778 arxivxplorer.com/abs/2305.15778 doi.org/10.48550/arXiv.2305.15778
    """,
    "arxiv:hep-th/9901001": """
        arxiv.org/abs/hep-th/9901001 xxx.lanl.gov/abs/hep-th/9901001 arxiv.org/pdf/hep-th/9901001v2
    """,
    "doi:10.1145/3627703.3650085": """
        doi.org/10.1145/3627703.3650085 dx.doi.org/10.1145/3627703.3650085 dl.acm.org/doi/10.1145/3627703.3650085
        dl.acm.org/doi/abs/10.1145/3627703.3650085 dl.acm.org/doi/pdf/10.1145/3627703.3650085
        dl.acm.org/doi/epdf/10.1145/3627703.3650085 dl.acm.org/doi/fullHtml/10.1145/3627703.3650085
        doi.org/10.1145/3627703.3650085.pdf doi.org/10.1145%2F3627703.3650085
    """,
    "doi:10.1145/1327452.1327492": "doi.acm.org/10.1145/1327452.1327492 doi.acm.org/1327452.1327492",
    "acm:1327492": """
        portal.acm.org/citation.cfm?id=1327452.1327492 dl.acm.org/citation.cfm?id=1327492&CFID=1&CFTOKEN=2
        dl.acm.org/ft_gateway.cfm?id=1327492&ftid=1
    """,
    "doi:10.1007/978-3-031-39698-4_1": """
        link.springer.com/chapter/10.1007/978-3-031-39698-4_1 link.springer.com/chapter/10.1007%2F978-3-031-39698-4_1
        link.springer.com/content/pdf/10.1007/978-3-031-39698-4_1.pdf
    """,
    "doi:10.1002/cpe.123": """
        onlinelibrary.wiley.com/doi/10.1002/cpe.123 onlinelibrary.wiley.com/doi/abs/10.1002/cpe.123
        onlinelibrary.wiley.com/doi/full/10.1002/cpe.123 onlinelibrary.wiley.com/doi/10.1002/cpe.123/abstract
        onlinelibrary.wiley.com/doi/10.1002/cpe.123/pdf
    """,
    "doi:10.1101/2020.12.01.406702": """
        biorxiv.org/content/10.1101/2020.12.01.406702 biorxiv.org/content/10.1101/2020.12.01.406702v2
        biorxiv.org/content/10.1101/2020.12.01.406702v2.full biorxiv.org/content/10.1101/2020.12.01.406702v2.full.pdf
        biorxiv.org/content/10.1101/2020.12.01.406702v2.full.pdf+html
        biorxiv.org/content/10.1101/2020.12.01.406702v1.abstract
    """,
    "doi:10.1038/s41586-021-03819-2": """
        nature.com/articles/s41586-021-03819-2 nature.com/articles/s41586-021-03819-2.pdf
        nature.com/articles/s41586-021-03819-2_reference.pdf
    """,
    "doi:10.1126/science.abc1234": """
        science.org/doi/10.1126/science.abc1234 science.org/doi/full/10.1126/science.abc1234
    """,
    "doi:10.1371/journal.pone.0033693": "journals.plos.org/plosone/article?id=10.1371/journal.pone.0033693",
    "doi:10.1162/neco.1997.9.8.1735": """
        mitpressjournals.org/doi/abs/10.1162/neco.1997.9.8.1735 direct.mit.edu/doi/pdf/10.1162/neco.1997.9.8.1735
    """,
    "usenix:osdi14/chilimbi": """
        usenix.org/conference/osdi14/technical-sessions/presentation/chilimbi
        usenix.org/conference/osdi14/presentation/chilimbi
        usenix.org/system/files/conference/osdi14/osdi14-paper-chilimbi.pdf usenix.org/system/files/osdi14-chilimbi.pdf
    """,
    "usenix:osdi20/narayanan-vikram": """
        usenix.org/system/files/osdi20-narayanan_vikram.pdf usenix.org/conference/osdi20/presentation/narayanan-vikram
    """,
    "usenix:nsdi22/goyal": """
        usenix.org/conference/nsdi22/presentation/goyal usenix.org/system/files/nsdi22-paper-goyal_prepub.pdf
        usenix.org/system/files/nsdi22-paper-goyal-prepub.pdf usenix.org/system/files/nsdi22-paper-goyal.pdf
        usenix.org/system/files/nsdi22-goyal_0.pdf usenix.org/system/files/nsdi22-goyal_final.pdf
    """,
    "usenix:usenixsecurity16/tramer": """
        usenix.org/system/files/conference/usenixsecurity16/sec16_paper_tramer.pdf
        usenix.org/conference/usenixsecurity16/technical-sessions/presentation/tramer
    """,
    "usenix:atc22/zhou-zhe": """
        usenix.org/conference/atc22/presentation/zhou-zhe usenix.org/system/files/atc22-zhou-zhe.pdf
    """,
    "openreview:rJl-b3RcF7": """
        openreview.net/forum?id=rJl-b3RcF7 openreview.net/pdf?id=rJl-b3RcF7 openreview.net/references/pdf?id=rJl-b3RcF7
        openreview.net/attachment?id=rJl-b3RcF7&name=supplementary_material
    """,
    f"openreview:{LONG_HASH}": f"openreview.net/pdf/{LONG_HASH}.pdf",
    "acl:2021.naacl-main.208": """
        aclanthology.org/2021.naacl-main.208/ aclanthology.org/2021.naacl-main.208.pdf
        aclanthology.org/2021.naacl-main.208v2.pdf aclweb.org/anthology/2021.naacl-main.208/
    """,
    "acl:P18-1001": """
        aclanthology.org/P18-1001 aclweb.org/anthology/P18-1001.pdf anthology.aclweb.org/P18-1001
        aclweb.org/anthology/papers/P/P18/P18-1001/ aclanthology.coli.uni-saarland.de/papers/P18-1001/p18-1001
    """,
    f"neurips:{HASH}": f"""
        proceedings.neurips.cc/paper/2020/hash/{HASH}-Abstract.html
        proceedings.neurips.cc/paper/2020/file/{HASH}-Paper.pdf
        proceedings.neurips.cc/paper_files/paper/2020/file/{HASH}-Paper-Conference.pdf
        papers.nips.cc/paper/2020/hash/{HASH}-Abstract.html
        papers.nips.cc/paper_files/paper/2020/file/{HASH}-Supplemental.pdf
    """,
    "neurips:virtual/2023/71234": """
        neurips.cc/virtual/2023/poster/71234 nips.cc/virtual/2023/oral/71234 neurips.cc/virtual/2023/71234
    """,
    "nips:7181": """
        papers.nips.cc/paper/7181-attention-is-all-you-need.pdf papers.nips.cc/paper/7181-attention-is-all-you-need
        papers.neurips.cc/paper/7181-attention-is-all-you-need.pdf
        proceedings.neurips.cc/paper/7181-attention-is-all-you-need
    """,
    f"mlsys:{HASH}": f"""
        proceedings.mlsys.org/paper/2020/file/{HASH}-Paper.pdf
        proceedings.mlsys.org/paper_files/paper/2024/hash/{HASH}-Abstract-Conference.html
    """,
    "mlsys:virtual/2024/2645": "mlsys.org/virtual/2024/poster/2645",
    "pmlr:v162/rajbhandari22a": """
        proceedings.mlr.press/v162/rajbhandari22a.html proceedings.mlr.press/v162/Rajbhandari22a
        proceedings.mlr.press/v162/rajbhandari22a/rajbhandari22a.pdf
        proceedings.mlr.press/v162/rajbhandari22a/rajbhandari22a-supp.pdf
    """,
    "pmlr:v28/pascanu13": "proceedings.mlr.press/v28/pascanu13.pdf jmlr.org/proceedings/papers/v28/pascanu13.html",
    "jmlr:v15/srivastava14a": """
        jmlr.org/papers/v15/srivastava14a.html jmlr.org/papers/volume15/srivastava14a/srivastava14a.pdf
    """,
    "cvf:he_mask_r-cnn_iccv_2017": """
        openaccess.thecvf.com/content_ICCV_2017/papers/He_Mask_R-CNN_ICCV_2017_paper.pdf
        openaccess.thecvf.com/content_iccv_2017/html/He_Mask_R-CNN_ICCV_2017_paper.html
    """,
    "pvldb:vol13/p3005-li": "vldb.org/pvldb/vol13/p3005-li.pdf vldb.org/pvldb/vol13/papers/p3005-li.pdf",
    "ieee:9370308": """
        ieeexplore.ieee.org/document/9370308 ieeexplore.ieee.org/abstract/document/9370308/
        ieeexplore.ieee.org/stamp/stamp.jsp?tp=&arnumber=9370308 ieeexplore.ieee.org/xpls/abs_all.jsp?arnumber=09370308
        ieeexplore.ieee.org/iel7/71/8735882/09370308.pdf ieeexplore.ieee.org/document/9370308/authors
    """,
    "aaai:17325": """
        ojs.aaai.org/index.php/AAAI/article/view/17325 ojs.aaai.org/index.php/AAAI/article/download/17325/17132
        aaai.org/ojs/index.php/AAAI/article/view/17325
    """,
    f"s2:{LONG_HASH}": f"semanticscholar.org/paper/A-Story/{LONG_HASH} semanticscholar.org/paper/{LONG_HASH}",
    "github:owner/repo": "github.com/Owner/Repo github.com/Owner/Repo.git github.com/Owner/Repo/tree/main",
    "youtube:QGtrQXHbTnQ": """
        youtube.com/watch?v=QGtrQXHbTnQ&t=10s youtu.be/QGtrQXHbTnQ?si=abc m.youtube.com/watch?v=QGtrQXHbTnQ
    """,
}
ADDRESSES = [(identifier, address) for identifier, spellings in ONE_WORK.items() for address in spellings.split()]

PAGES = """
    arxiv.org/list/cs.LG/recent dl.acm.org/conference/sosp usenix.org/conference/osdi23 neurips.cc/Conferences/2023
    usenix.org/system/files/osdi23_slides_ren.pdf proceedings.mlr.press/v139 openaccess.thecvf.com/CVPR2021
    proceedings.mlsys.org/book/271.pdf ojs.aaai.org/index.php/AAAI/issue/view/385 pdfs.semanticscholar.org/1234/abc.pdf
    delivery.acm.org/10.1145/1330000/1327492/p107-dean.pdf epubs.siam.org/journal/sicomp huggingface.co/papers
    sciencedirect.com/science/article/pii/S0893608014002135 cdn.openai.com/papers/gpt-4.pdf nature.com/news/story
    youtube.com/watch?v=QGtrQXHbTnQQ
"""


def spellings(address):
    """As people and browsers write one address."""
    query = "?" in address
    yield f"https://{address}"
    yield f"http://www.{address}"
    yield address.partition("/")[0].upper().join(["HTTPS://", f"/{address.partition('/')[2]}"])
    yield f"https://{address}{'&' if query else '?'}utm_source=x"
    yield f"https://{address}#section"
    yield f"https://link.zhihu.com/?target=https%3A//{address.replace('%', '%25').replace('&', '%26')}"


@cases(("identifier", "address"), ADDRESSES)
def test_every_spelling_of_a_url_identifies_the_same_work(identifier, address):
    assert {str(sources.recognize(text)) for text in spellings(address)} == {identifier}


@cases("identifier", ONE_WORK)
def test_an_identifier_is_recognised_from_its_own_url(identifier):
    ref = Ref.parse(identifier)
    assert sources.recognize(sources.url(ref)) == ref
    assert sources.parse_ref(identifier) == ref


@cases("address", PAGES.split())
def test_other_pages_of_such_sites_are_identified_by_their_url(address):
    assert str(sources.recognize(f"https://{address}")) == f"url:{address}"


@cases("identifier", [f"neurips:{HASH}", f"mlsys:{HASH}", "nips:7181", "cvf:a_story_cvpr_2021", "aaai:1"])
def test_an_identifier_without_a_url_offers_no_link(identifier):
    ref = Ref.parse(identifier)
    source = sources.by_name(ref.scheme)
    assert source.shortened(ref.key)
    assert source.links(ref.key) == ()


@given(
    year=st.integers(2006, 2030),
    number=st.integers(1, 99_999),
    digits=st.text("0123456789abcdef", min_size=40, max_size=40),
)
def test_numeric_and_hash_identifiers_round_trip(year, number, digits):
    for ref in (
        Ref("neurips", digits[:32]),
        Ref("neurips", f"virtual/{year}/{number}"),
        Ref("mlsys", f"virtual/{year}/{number}"),
        Ref("s2", digits),
        Ref("acm", str(number + 1000)),
        Ref("aaai", str(number)),
        Ref("nips", str(number % 9000 + 100)),
        Ref("cvf", f"story_{digits[:8]}_cvpr_{year}"),
    ):
        assert sources.recognize(sources.url(ref)) == ref
