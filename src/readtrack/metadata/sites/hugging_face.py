"""Hugging Face models, datasets and spaces.

URLs under /papers/ are arXiv's; files inside a repository are web pages.
"""

import re
from dataclasses import replace

from readtrack.infra.text.urls import split_url
from readtrack.metadata.parsing.page_services import page_service
from readtrack.metadata.types import Metadata, Source, WebLink

_NAME = r"[\w.-]+/[\w.-]+"
_PAGE = re.compile(rf"/(?:(models|datasets|spaces)/)?({_NAME})(?:/tree/[^/]+)?", re.ASCII)
_SPACE_BY = re.compile(r" - a Hugging Face Space by \S+$")
_NO_OWNERS = frozenset(
    "api blog chat collections course docs enterprise join learn login models new organizations papers posts pricing "  # noqa: SIM905 - a list of words
    "settings spaces storage support tasks datasets".split()
)


def recognize(text: str) -> str | None:
    parts = split_url(text)
    match = _PAGE.fullmatch(parts.path) if parts and parts.host in {"huggingface.co", "hf.co"} else None
    if match is None or match[2].partition("/")[0] in _NO_OWNERS:
        return None
    return f"{match[1] or 'models'}/{match[2]}"


def url(key: str) -> str:
    return f"https://huggingface.co/{key.removeprefix('models/')}"


def _correct_metadata(record: Metadata) -> Metadata:
    """Remove the suffix of space titles and the description, which only advertises the site."""
    return replace(record, title=_SPACE_BY.sub("", record.title) or record.title, abstract="")


SOURCE = Source(
    name="hf",
    recognise=recognize,
    url=url,
    order=70,
    hosts=("huggingface.co", "hf.co"),
    kind=lambda key: "page" if key.startswith("spaces/") else "code",
    label=lambda key: f"Hugging Face {key.removeprefix('models/')}",
    links=lambda key: (WebLink(url(key), "landing" if key.startswith("spaces/") else "code"),),
    examples={
        "https://huggingface.co/facebook/opt-175b": "models/facebook/opt-175b",
        "https://huggingface.co/facebook/opt-175b/tree/main": "models/facebook/opt-175b",
        "https://hf.co/datasets/allenai/c4": "datasets/allenai/c4",
        "https://huggingface.co/spaces/HuggingFaceTB/playbook": "spaces/HuggingFaceTB/playbook",
        "https://huggingface.co/papers/2305.15778": None,
        "https://huggingface.co/docs/transformers": None,
        "https://huggingface.co/facebook": None,
        "https://huggingface.co/facebook/opt-175b/blob/main/opt.pdf": None,
    },
)

SERVICE = page_service(
    SOURCE,
    label="Hugging Face",
    stage="page",
    order=70,
    tails=(" · Hugging Face", " · Datasets at Hugging Face"),
    correct=_correct_metadata,
)
