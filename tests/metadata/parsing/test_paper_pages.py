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
www.jstage.jst.go.jp/article/jcss/31/1/31_2023.073/_article/-char/ja/ ipsj.ixsq.nii.ac.jp/records/2001234
ipsj.ixsq.nii.ac.jp/ej/?action=pages_view_main&active_action=repository_view_main_item_detail&item_id=123&item_no=1
kyutech.repo.nii.ac.jp/records/6023 cir.nii.ac.jp/crid/1390001204062164736 ci.nii.ac.jp/naid/110009609599
search.ieice.org/bin/summary.php?id=e103-d_1_1 www.journal.ieice.org/bin/pdf_link.php?fname=j95-d_1_1
kns.cnki.net/kcms/detail/11.2127.TP.20200101.html kns.cnki.net/kcms2/article/abstract?v=abc
www.cnki.com.cn/Article/CJFDTotal-JSJX201901001.htm d.wanfangdata.com.cn/periodical/jsjxb201901001
www.cqvip.com/qk/91234x/202001/123456.html www.jos.org.cn/jos/article/abstract/6123 www.nber.org/papers/w12345
escholarship.org/uc/item/1a2b3c4d www.proquest.com/docview/1234567 www.scielo.br/j/abc/a/AbCdEf123/?lang=en
dergipark.org.tr/en/pub/abc/issue/123/4567 cyberleninka.ru/article/n/some-article elibrary.ru/item.asp?id=12345678
www.mathnet.ru/eng/sm123
www.kci.go.kr/kciportal/ci/sereArticleSearch/ciSereArtiView.kci?sereArticleSearchBean.artiId=ART001
www.dbpia.co.kr/journal/articleDetail?nodeId=NODE01234567 koreascience.kr/article/JAKO201912345678901.page
www.persee.fr/doc/abc_0001_2000_num_1_1_1234 www.cairn.info/revue-abc-2010-1-page-1.htm
pubs.aip.org/aip/jcp/article/123/1/1234/567 pubs.rsc.org/en/content/articlelanding/2020/sm/d0sm00001a
opg.optica.org/oe/fulltext.cfm?uri=oe-28-1-1 www.osapublishing.org/oe/abstract.cfm?uri=oe-28-1-1
www.aanda.org/articles/aa/abs/2020/01/aa12345/aa12345.html acp.copernicus.org/articles/20/1/2020/
journals.ametsoc.org/view/journals/clim/33/1/jcli-d-19-0001.1.xml
ui.adsabs.harvard.edu/abs/2020ApJ...123..456A/abstract inspirehep.net/literature/123456 inspirehep.net/record/123456
www.ams.org/journals/bull/2000-37-01/S0273-0979-99-00123-4/ msp.org/gt/2000/4-1/p01.xhtml
www.numdam.org/item/ASENS_2000_4_33_1_1_0/ www.iza.org/publications/dp/1234/title-of-paper
www.imf.org/en/Publications/WP/Issues/2020/01/01/Title-12345 journals.lww.com/abc/Fulltext/2020/01000/Title.1.aspx
www.karger.com/Article/FullText/123456 www.scirp.org/journal/paperinformation.aspx?paperid=12345
www.ijcaonline.org/archives/volume1/number1/123-456 www.diva-portal.org/smash/record.jsf?pid=diva2:123456
lup.lub.lu.se/search/publication/123456 infoscience.epfl.ch/record/123456 philpapers.org/rec/ABCXYZ
philarchive.org/rec/ABCXYZ philsci-archive.pitt.edu/1234/ distill.pub/2020/circuits/zoom-in/
www.theses.fr/2020ABCD1234 scholarworks.umass.edu/dissertations_2/123/ digitalcommons.usu.edu/etd/1234/
trace.tennessee.edu/utk_gradthes/123/ ir.lib.uwo.ca/etd/123 www.rand.org/pubs/research_reports/RR123.html
www.nist.gov/publications/some-title ntrs.nasa.gov/citations/19700000000 apps.dtic.mil/sti/citations/ADA123456
www.osti.gov/biblio/123456
"""
OTHERS = """
www.science.org/content/article/some-news www.sciencemag.org/news/2020/01/foo www.nature.com/nature
www.cell.com/neuron/home www.pnas.org/topic/1 link.springer.com/journal/10994 academic.oup.com/journals/pages/about
en.wikipedia.org/wiki/Attention pytorch.org/docs/stable papers.ssrn.com/sol3/cf_dev/AbsByAuth.cfm?per_id=1
notscience.org/content/347/6219/1260419 blog.example.org/articles/47994
www.example.org/papers/call-for-papers-and-posters www.example.org/publications/by-year
paperswithcode.com/sota research.google/teams/brain
www.jstage.jst.go.jp/browse/jcss cir.nii.ac.jp/all?q=cache www.nii.ac.jp/about/ www.nber.org/programs www.nist.gov/news
mathnet.ru/eng/person12345 cairn.info/revue-reseaux.htm dergipark.org.tr/en/pub/abc/issue/12345 psyarxiv.com/about
spiedigitallibrary.org/journals/optical-engineering/volume-59/issue-1 acp.copernicus.org/articles/special_issue123.html
journals.ametsoc.org/view/journals/bams/bams-overview.xml scielo.br/scielo.php?script=sci_serial&pid=1
elibrary.ru/item.asp aanda.org/articles/aa/abs/2020/01/contents/contents.html iza.org/publications/dp/recent
library.example.edu/theses/2019 example.com/dissertations/12-tips-for-students www.ams.org/notices/202001/index.html
www.osti.gov/search philpapers.org/browse/ethics www.ams.org/journals inspirehep.net/authors/1 www.ams.org/about-us
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
