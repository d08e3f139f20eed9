"""Digital object identifiers, at doi.org and in publishers' URLs."""

import re
from urllib.parse import quote, unquote

from readtrack.infra.text.urls import UrlParts, split_url
from readtrack.metadata.types import Source, WebLink

_DOI = re.compile(r"10\.\d{4,9}/\S+")
_WRITTEN = re.compile(r"(?:doi\s?[:：]?\s?)?(10\.\d{4,9}/\S+)", re.IGNORECASE)
_ARXIV = "10.48550/arxiv."
_PUBLISHERS = re.compile(
    r"(?:.+\.)?(?:springer\.com|springeropen\.com|wiley\.com|science\.org|tandfonline\.com|sagepub\.com|biorxiv\.org|"
    r"medrxiv\.org|acs\.org|aps\.org|royalsocietypublishing\.org|pnas\.org|oup\.com|mit\.edu|worldscientific\.com|"
    r"frontiersin\.org|plos\.org|asme\.org|iospress\.\w+|aiaa\.org|informs\.org|iop\.org|sciencemag\.org|"
    r"mitpressjournals\.org|cell\.com|jneurosci\.org|annualreviews\.org|biomedcentral\.com|degruyter(?:brill)?\.com|"
    r"emerald\.com|computer\.org|ieeecomputersociety\.org|dagstuhl\.de|plos\w{3,20}\.org|theoj\.org|aip\.org|"
    r"cambridge\.org|thieme-connect\.\w+|siam\.org|rsc\.org|optica\.org|embopress\.org|physiology\.org|asm\.org|"
    r"projecteuclid\.org|spiedigitallibrary\.org|jamanetwork\.com|karger\.com)"
)
# The path of publishers' own platforms, on any host: /doi/10.1145/1, /doi/full/10.1145/1.
_DOI_PATH = re.compile(r"(?:/.*)?/doi/(?:[a-zA-Z]+/)?(10\.\d{4,9}/\S+)")
# The journals' own number and a title follow there: /article/doi/10.1162/tacl_a_00447/109285/Quality-at-a-Glance.
_NUMBERED_PATH = re.compile(r"/.*/[a-z]+(?:-[a-z]+)?/doi/(10\.\d{4,9}/\S+?)/\d{4,}(?:/[^/\s]*)?")
_ACM_NUMBER = re.compile(r"\d{5,9}\.\d{5,9}")  # of the proceedings and the paper: citation.cfm?doid=1851476.1851478
_NATURE = re.compile(r"/articles/([\w.-]+?)(?:_reference)?(?:\.pdf)?")
_FORM = re.compile(
    r"(?:\.(?:full|short|abstract|article-info)(?:-text)?)*(?:\.(?:pdf|html))?$|/(?:full(?:text)?|e?pdf|abstract|html|meta)$"
)
_PROSE = ".,;:!?*~'\"/>"
_BRACKETS = {")": "(", "]": "[", "}": "{"}
_PREPRINT_VERSION = re.compile(r"(10\.1101/.+?)v\d+(?:\..*)?$")


def recognize(text: str) -> str | None:
    match = _WRITTEN.fullmatch(text.strip())
    key = unquote(match[1]) if match else _in_address(text)
    return _tidy(key) if key else None


def _in_address(text: str) -> str | None:
    parts = split_url(text)
    if parts is None:
        return None
    if parts.is_under("doi.acm.org"):
        return parts.path[1:] if parts.path.startswith("/10.") else f"10.1145{parts.path}"
    if parts.is_under("doi.org", "dx.doi.org"):
        return parts.path[1:]
    return _at_publisher(parts)


def _at_publisher(parts: UrlParts) -> str | None:
    if parts.is_under("dl.acm.org", "portal.acm.org"):
        old = _ACM_NUMBER.fullmatch(parts.query.get("doid", ""))
        return f"10.1145/{old[0]}" if old else _search(parts.path)
    if parts.is_under("nature.com"):
        article = _NATURE.fullmatch(parts.path)
        return f"10.1038/{article[1]}" if article else _search(parts.path)
    if platform := _NUMBERED_PATH.fullmatch(parts.path) or _DOI_PATH.fullmatch(parts.path):
        return platform[1]
    if not _PUBLISHERS.fullmatch(parts.host):
        return None
    match = _DOI.search(parts.path) or _DOI.fullmatch(parts.query.get("id", ""))
    return match[0] if match else None


def _search(path: str) -> str | None:
    match = _DOI.search(path)
    return match[0] if match else None


def _tidy(doi: str) -> str | None:
    """Return the DOI in lower case without surrounding punctuation.

    Return None for arXiv's, which become arXiv identifiers.
    """
    doi, before = re.sub("/+", "/", doi.lower()), ""
    while doi != before:
        before, doi = doi, _FORM.sub("", _strip_prose_end(doi))
    preprint = _PREPRINT_VERSION.fullmatch(doi)
    doi = preprint[1] if preprint else doi
    return doi if _DOI.fullmatch(doi) and not doi.startswith(_ARXIV) else None


def _strip_prose_end(doi: str) -> str:
    """Remove trailing punctuation and unbalanced closing brackets."""
    doi = doi.rstrip(_PROSE)
    while doi.endswith(tuple(_BRACKETS)) and doi.count(doi[-1]) > doi.count(_BRACKETS[doi[-1]]):
        doi = doi[:-1].rstrip(_PROSE)
    return doi


def url(key: str) -> str:
    """Return the URL of a DOI. Prefix 10.5555 is assigned by ACM and unknown to doi.org."""
    host = "dl.acm.org/doi" if key.startswith("10.5555/") else "doi.org"
    return f"https://{host}/{quote(key, safe='/:;()')}"


SOURCE = Source(
    name="doi",
    recognise=recognize,
    url=url,
    order=20,
    label=lambda key: f"doi {key}",
    links=lambda key: (WebLink(url(key), "landing"),),
    examples={
        "https://dl.acm.org/doi/10.1145/3627703.3650085": "10.1145/3627703.3650085",
        "https://dl.acm.org/doi/pdf/10.1145/3627703.3650085": "10.1145/3627703.3650085",
        "https://dl.acm.org/doi/abs/10.1145/3627703.3650085": "10.1145/3627703.3650085",
        "10.1061/(ASCE)0733-9445(2004)130:1(66)": "10.1061/(asce)0733-9445(2004)130:1(66)",
        "10.1061/(ASCE)0733-9445(2004)130:1(66)).": "10.1061/(asce)0733-9445(2004)130:1(66)",
        "https://dl.acm.org/doi/epdf/10.1145/3627703.3650085?casa_token=x:y": "10.1145/3627703.3650085",
        "https://dl.acm.org/doi/fullHtml/10.1145/3627703.3650085": "10.1145/3627703.3650085",
        "https://dl.acm.org/citation.cfm?doid=1851476.1851478": "10.1145/1851476.1851478",
        "https://dl.acm.org/citation.cfm?id=844132": None,
        "http://dx.doi.org/10.1145/3627703.3650085": "10.1145/3627703.3650085",
        "https://doi.org/10.1145/3627703.3650085.": "10.1145/3627703.3650085",
        "doi:10.1145/3627703.3650085": "10.1145/3627703.3650085",
        "DOI 10.1109/TPDS.2024.3406764": "10.1109/tpds.2024.3406764",
        "10.1016/S0021-9258(19)52451-6": "10.1016/s0021-9258(19)52451-6",
        "https://doi.org/10.1002/(SICI)1096-9128(199702)9:2%3C1::AID-CPE1%3E3.0.CO;2-Z": (
            "10.1002/(sici)1096-9128(199702)9:2<1::aid-cpe1>3.0.co;2-z"
        ),
        "https://dl.acm.org/doi/10.5555/3571885.3571946": "10.5555/3571885.3571946",
        "https://link.springer.com/content/pdf/10.1007/978-3-031-39698-4_1.pdf": "10.1007/978-3-031-39698-4_1",
        "https://www.biorxiv.org/content/10.1101/2020.12.01.406702v2.full.pdf": "10.1101/2020.12.01.406702",
        "https://www.nature.com/articles/s41586-021-03819-2.pdf": "10.1038/s41586-021-03819-2",
        "https://iopscience.iop.org/article/10.1088/1748-3190/aaef1d/meta": "10.1088/1748-3190/aaef1d",
        "https://journals.plos.org/plosone/article?id=10.1371/journal.pone.0033693": "10.1371/journal.pone.0033693",
        "https://www.annualreviews.org/doi/abs/10.1146/annurev-vision-082114": "10.1146/annurev-vision-082114",
        "https://www.nejm.org/doi/full/10.1056/NEJMoa2034577": "10.1056/nejmoa2034577",
        "https://drops.dagstuhl.de/entities/document/10.4230/LIPIcs.ICALP.2019.1": "10.4230/lipics.icalp.2019.1",
        "https://doi.ieeecomputersociety.org/10.1109/SP.2019.00002": "10.1109/sp.2019.00002",
        "https://joss.theoj.org/papers/10.21105/joss.01234": "10.21105/joss.01234",
        "http://www.plosone.org/article/info%3Adoi%2F10.1371%2Fjournal.pone.0033693": "10.1371/journal.pone.0033693",
        "https://genomebiology.biomedcentral.com/articles/10.1186/s13059-014-0550-8": "10.1186/s13059-014-0550-8",
        "https://www.emerald.com/insight/content/doi/10.1108/JD-01-2019-0001/full/html": "10.1108/jd-01-2019-0001",
        "http://www.nature.com/doifinder/10.1038/ncomms15783": "10.1038/ncomms15783",
        "https://direct.mit.edu/tacl/article/doi/10.1162/tacl_a_00447/109285/Quality-at-a": "10.1162/tacl_a_00447",
        "https://academic.oup.com/bib/article-abstract/doi/10.1093/bib/bbab123/6265186": "10.1093/bib/bbab123",
        "https://pubs.aip.org/aip/jcp/article-pdf/doi/10.1063/5.0012345/1598/1.pdf": "10.1063/5.0012345",
        "https://academic.oup.com/bib/article/doi/10.1093/bib/bbab123": "10.1093/bib/bbab123",
        "https://projecteuclid.org/journals/bernoulli/volume-24/Loom/10.3150/16-BEJ868.full": "10.3150/16-bej868",
        "https://www.spiedigitallibrary.org/proceedings/11914/A-study/10.1117/12.2601830.short?SSO=1": (
            "10.1117/12.2601830"
        ),
        "https://example.org/articles/10.1186/s13059-014-0550-8": None,
        "10.48550/arXiv.2305.15778": None,
        "https://dl.acm.org/profile/81100088632": None,
        "https://doi.org/": None,
        "10.1145": None,
        "1.10.1145/5": None,
    },
)
