"""CVF open access (CVPR, ICCV, WACV).

Page and PDF share a file name, which in lower case is the key. The site's file names contain capitals and its folders
vary, so no URL can be built from the key: the original one is kept as a link, and its abstract page is requested.
"""

import re
from urllib.parse import quote

from readtrack.infra.text.urls import split_url
from readtrack.metadata.parsing.page_services import page_service
from readtrack.metadata.types import Source

_HOSTS = ("openaccess.thecvf.com", "cv-foundation.org")
_FILE = re.compile(r"(?:/.*)?/([^/]*_[^/]*)\.(?:html|pdf)", re.IGNORECASE)
_NOT_THE_PAPER = re.compile(r".*_(?:supplement\w*|supp)", re.IGNORECASE)


def recognize(text: str) -> str | None:
    parts = split_url(text)
    if parts is None or not parts.is_under(*_HOSTS):
        return None
    match = _FILE.fullmatch(parts.path)
    if match is None or _NOT_THE_PAPER.fullmatch(match[1]):
        return None
    return re.sub(r"(?:_paper)+$", "", match[1].lower()) or None


def url(key: str) -> str:
    return f"https://openaccess.thecvf.com/content/papers/{quote(key)}_paper.pdf"


SOURCE = Source(
    name="cvf",
    recognise=recognize,
    url=url,
    order=40,
    hosts=_HOSTS,
    label=lambda key: f"CVF {key}",
    shortened=lambda _key: True,
    examples={
        "https://openaccess.thecvf.com/content_ICCV_2017/papers/He_Mask_R-CNN_ICCV_2017_paper.pdf": (
            "he_mask_r-cnn_iccv_2017"
        ),
        "http://openaccess.thecvf.com/content_iccv_2017/html/He_Mask_R-CNN_ICCV_2017_paper.html": (
            "he_mask_r-cnn_iccv_2017"
        ),
        "https://www.cv-foundation.org/openaccess/content_cvpr_2016/papers/He_Deep_Residual_Learning_CVPR_2016_paper.pdf": (  # noqa: E501 - an address
            "he_deep_residual_learning_cvpr_2016"
        ),
        "https://openaccess.thecvf.com/content/CVPR2021/supplemental/Liu_A_Story_CVPR_2021_supplemental.pdf": None,
        "https://openaccess.thecvf.com/CVPR2019?day=all": None,
        "https://openaccess.thecvf.com/menu": None,
    },
)


def _page(address: str) -> str:
    """Return the abstract page, which has the same name in the html folder."""
    page = re.sub(r"/papers/([^/]{1,300})\.pdf$", r"/html/\1.html", address, flags=re.IGNORECASE)
    return re.sub(r"^http:", "https:", page)


SERVICE = page_service(SOURCE, label="CVF", stage="published", order=40, to_page=_page)
