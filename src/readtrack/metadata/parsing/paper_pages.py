"""Pages of papers at publishers and archives, recognized by host and path, for sites without a module of their own."""

import re

from readtrack.infra.text.urls import UrlParts

_PLATFORM_DOMAINS = (
    "sciencemag.org science.org pnas.org biorxiv.org medrxiv.org jneurosci.org eneuro.org cshlp.org bmj.com "
    "physiology.org asm.org aacrjournals.org ahajournals.org royalsocietypublishing.org oxfordjournals.org "
    "rupress.org jbc.org plantcell.org genetics.org fasebj.org sagepub.com tandfonline.com wiley.com siam.org "
    "worldscientific.com nejm.org jimmunol.org"
)
_PLATFORM_PATHS = (  # /content/347/6219/1260419, /content/early/2018/01/01/123456, /cgi/content/full/15/1/2
    r"/(?:\w+/|cgi/)*content/(?:\w+/)?(?:early/.+|e?\d+)/.+|/cgi/(?:doi|reprint)/.+|/(?:doi|advance-article|article)/.+"
)
# Domains, and the paths of their papers in lower case, with the query.
_PATHS_OF_DOMAINS = (
    (_PLATFORM_DOMAINS, _PLATFORM_PATHS),
    ("elifesciences.org", r"/(?:articles|content|reviewed-preprints)/.+"),
    ("nature.com", r"/.+/(?:full|abs|pdf)/.+"),
    ("sciencedirect.com", r"/science/article/.+"),
    ("linkinghub.elsevier.com", r"/retrieve/pii/.+"),
    ("cell.com", r"/(?:.+/)?(?:fulltext|pdf|abstract|pdfextended)/.+|/article/s\d.+"),
    ("thelancet.com", r"/(?:journals/.+/article|pdfs/journals|article)/.+"),
    ("jamanetwork.com", r"/journals/.+/(?:fullarticle|article-abstract)/\d+.*"),
    ("mdpi.com", r"/\d{4}-\d{3}[\dx]/\d+/\d+/\d+(?:/.*)?"),
    ("hindawi.com", r"/(?:journals|archive)/.+/\d{4}/\d+.*"),
    ("peerj.com", r"/(?:articles|preprints)/.+"),
    ("f1000research.com wellcomeopenresearch.org gatesopenresearch.org", r"/articles/.+"),
    ("frontiersin.org", r"/articles?/.+|/journals/.+/articles/.+"),
    ("plos.org plosone.org ploscompbiol.org plosbiology.org", r"/(?:\w+/)?article.*"),
    ("cambridge.org", r"/core/(?:journals/.+/article|services/aop-cambridge-core/content/view)/.+"),
    (
        "academic.oup.com direct.mit.edu journals.biologists.com pubs.geoscienceworld.org",
        r"/.+/\d+.*|/.+/article(?:-abstract|-pdf)?/.+",
    ),
    ("link.springer.com springerlink.com", r"/(?:article|chapter|content|protocol|referenceworkentry)/.+"),
    ("biomedcentral.com springeropen.com", r"/(?:articles|track/pdf)/.+|/content/\d+/.+|/\d{4}-\d{3}[\dx]/.+"),
    ("computer.org", r"/csdl/(?:proceedings|journal|magazine|trans|mags)[\w-]*/.+/.+|/portal/web/csdl/doi/.+"),
    ("jstor.org", r"/stable/.+"),
    ("muse.jhu.edu", r"/(?:pub/.+/)?article/.+"),
    ("projecteuclid.org", r"/(?:euclid|download)[./].+|/journals/.+/.+"),
    ("quantum-journal.org", r"/papers/.+"),
    ("ingentaconnect.com", r"/content/.+/.+"),
    ("researchgate.net", r"/publication/.+"),
    ("citeseerx.ist.psu.edu citeseer.ist.psu.edu", r"/.+"),
    (
        "ncbi.nlm.nih.gov europepmc.org",
        r"/(?:pmc/articles/|articles/|pubmed/|article/\w+/|abstract/\w+/)?(?:pmc)?\d+.*",
    ),
    ("ssrn.com", r"/sol3/(?:papers|delivery)\.cfm\?.*abstract_?id=\d.*|/abstract[=/]\d+"),
    ("eprint.iacr.org", r"/\d{4}/\d+.*"),
    ("eccc.weizmann.ac.il", r"/report/.+"),
    (
        "osf.io chemrxiv.org preprints.org techrxiv.org researchsquare.com authorea.com",
        r"/(?:preprints?|articles?|manuscript|engage|users/\d+/articles|doi)/.+",
    ),
    ("drops.dagstuhl.de", r"/(?:opus/(?:volltexte|frontdoor)|entities/document|storage)/.+"),
    ("ecva.net", r"/papers/.+"),
    ("ijcai.org", r"/(?:proceedings|abstract)/.+/.+"),
    ("aaai.org", r"/(?:ocs/index\.php/.+/paper|papers/\w+|library/.+)/.+"),
    ("vldb.org", r"/pvldb/volumes/\d+/paper/.+"),
    ("openproceedings.org", r"/(?:\d{4}/.+|html/pages/.+/paper.+)"),
    ("cidrdb.org", r"/cidr\d{4}/.+/.+"),
    ("ndss-symposium.org", r"/ndss-paper/.+"),
    ("isca-speech.org isca-archive.org", r"/(?:archive/)?.+/.+"),
    ("usenix.org", r"/conference/.+/presentation/.+|/(?:legacy/)?(?:events|publications/library)/.+/.+\.html?"),
    ("proceedings.mlsys.org", r"/.+/.+"),
    ("hdl.handle.net", r"/.+"),
    ("paperswithcode.com hub.baai.ac.cn", r"/paper/.+"),
    ("dblp.org dblp.uni-trier.de", r"/rec/.+"),
    ("research.google research.google.com ai.google", r"/(?:research/)?pubs/.+|/archive/.+\.html"),
    # Japan
    ("jstage.jst.go.jp", r"/article/.+"),
    ("nii.ac.jp", r"/records?/\d+.*|/(?:\w+/?)?\?.*item_id=\d+.*|/(?:crid|naid|1001)/\d+.*"),
    ("ieice.org", r"/bin/(?:summary|pdf_link|pdf)\.php.*"),
    # China and Korea
    ("cnki.net", r"/kcms2?/(?:detail/|article/abstract).*"),
    ("cnki.com.cn", r"/article/.+"),
    ("wanfangdata.com.cn", r"/(?:periodical|thesis|conference)/.+"),
    ("cqvip.com", r"/(?:qk|doc)/.+"),
    ("jos.org.cn", r"/.*article/.+"),
    ("kci.go.kr", r"/.+artiview.*"),
    ("dbpia.co.kr", r"/journal/articledetail.*"),
    ("koreascience.kr koreascience.or.kr", r"/article/.+"),
    # Other countries
    ("scielo.br scielo.org", r"/j/\w+/a/.+|/scielo\.php\?.*script=sci_(?:arttext|abstract|pdf).*"),
    ("dergipark.org.tr", r"/(?:\w+/)?pub/.+/issue/\d+/\d+.*|/.*/article/.+"),
    ("cyberleninka.ru", r"/article/n/.+"),
    ("elibrary.ru", r"/item\.asp\?.*id=\d+.*"),
    ("mathnet.ru", r"/\w+/(?!person|org|conf)[a-z]+\d+"),
    ("persee.fr", r"/doc/.+"),
    ("cairn.info", r"/(?:revue|article)-.+-page-\d+.*"),
    ("numdam.org", r"/item/.+|/articles/.+"),
    ("distill.pub", r"/\d{4}/.+"),
    # Physics, astronomy, earth
    ("pubs.aip.org", r"/.+/article/.+"),
    ("pubs.rsc.org", r"/.*content/article.+"),
    ("optica.org osapublishing.org", r"/\w+/(?:fulltext|abstract|viewmedia)\.cfm.*"),
    ("spiedigitallibrary.org", r"/.+/10\.\d+/.+"),
    ("aanda.org", r"/articles/aa/\w+/\d{4}/\d+/(?!contents)[^/]+/.+"),
    ("copernicus.org", r"/(?:articles|preprints)/(?:\d+/\d+/\d{4}|[a-z]+-\d{4}-\d+).*"),
    ("ametsoc.org", r"/view/journals/\w+/\d+/.+|/doi/.+"),
    ("ui.adsabs.harvard.edu adsabs.harvard.edu", r"/(?:abs|full)/\d{4}.+"),
    ("inspirehep.net", r"/(?:literature|record)/\d+.*"),
    # Mathematics, economics, philosophy, medicine
    ("ams.org", r"/journals/\w+/\d{4}[^/]*/s?\d.+"),
    ("msp.org", r"/\w+/\d{4}/.+/.+"),
    ("nber.org", r"/papers/[wth]\d+.*"),
    ("iza.org", r"/publications/dp/\d+.*"),
    ("imf.org", r"/.+/publications/wp/issues/.+"),
    ("rand.org", r"/pubs/(?:research_reports|reports|papers|rgs_dissertations)/.+"),
    ("philpapers.org philarchive.org", r"/(?:rec|archive)/.+"),
    ("philsci-archive.pitt.edu", r"/\d+.*"),
    ("journals.lww.com", r"/.+/(?:fulltext|abstract)/.+"),
    ("karger.com", r"/article/.+|/.+/article/.+"),
    ("scirp.org", r"/journal/paperinformation.*"),
    ("ijcaonline.org", r"/archives/.+"),
    ("theiet.org", r"/content/(?:journals|conferences)/.+"),
    # Theses and reports
    ("psyarxiv.com", r"/(?!about|login)\w{5}/?"),
    ("escholarship.org", r"/uc/item/.+"),
    ("proquest.com", r"/(?:docview|openview)/.+"),
    ("theses.fr", r"/(?:\d{4}|s\d)\w+"),
    ("diva-portal.org", r"/smash/(?:record|get).*"),
    ("lup.lub.lu.se", r"/.*(?:publication|record)/.+"),
    ("ntrs.nasa.gov", r"/citations/\d+.*"),
    ("dtic.mil", r"/(?:sti/)?citations?/.+"),
    ("osti.gov", r"/(?:biblio|servlets/purl)/\d+.*"),
    ("nist.gov", r"/publications/.+"),
    ("infoscience.epfl.ch", r"/record/\d+.*"),
)
_DOMAINS_WITH_QUERY = {
    "ssrn.com",
    "nii.ac.jp",
    "scielo.br",
    "scielo.org",
    "elibrary.ru",
}  # where it holds the number of the paper
_PATHS = {domain: re.compile(path) for domains, path in _PATHS_OF_DOMAINS for domain in domains.split()}
# On any host: Open Journal Systems, HAL, DSpace, Digital Commons, and words of a title below /paper/ or /publications/.
_ANYWHERE = re.compile(
    r"/.*/article/(?:view|download)/\d+(?:/\d+)?|/(?:\w+/)?handle/\d[\d.]*/\d+.*|"
    r"/(?:.+/)?(?:papers?|publications?)/(?:view/)?(?!calls?-)[^/.]*[^\W_]{3}(?:[-_][^\W_]+){3}[^/.]*(?:\.html?|/)?|"
    r"/(?:.+/)?accepted-papers/view/[^/]+|"
    r"/(?:\w+_)?(?:etd|dissertations|theses|gradthes)(?:_\d+)?/(?!(?:19|20)\d\d/?$)\d+/?|"
    r"/(?:hal(?:shs)?|tel|inria|cel|lirmm|cea|ensl|pastel|insu)-\d{8}.*"
)


def is_paper_page(parts: UrlParts) -> bool:
    location = parts.path.lower()
    if parts.query and not parts.domains.isdisjoint(_DOMAINS_WITH_QUERY):
        location += "?" + "&".join(f"{name}={value}" for name, value in parts.query.items())
    return _ANYWHERE.fullmatch(location) is not None or any(
        _PATHS[domain].fullmatch(location) for domain in parts.domains & _PATHS.keys()
    )
