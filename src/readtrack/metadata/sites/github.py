"""GitHub repositories.

Files and folders inside one are web pages (scheme url), so that notebooks stay separate. Title and abstract are the
repository's name and description; works cited in its CITATION.cff are linked, as they are other works.
"""

import base64
import binascii
import re
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from readtrack.infra.errors import SourceUnavailable
from readtrack.infra.http.types import RETRYING_LATER, Http, HttpResponse
from readtrack.infra.text.urls import split_url
from readtrack.metadata.parsing import answers, citation_cff, json_fields
from readtrack.metadata.types import DatedVersion, FetchResult, Metadata, Ref, Service, Source, WebLink

LABEL = "GitHub"
_HEADERS = {"accept": "application/vnd.github+json", "x-github-api-version": "2022-11-28"}
_KEPT = ("full_name", "description", "homepage", "archived")
_HOUR_SECONDS = 3600.0

_NO_OWNERS = frozenset(
    "about apps collections customer-stories enterprise events explore features issues join login marketplace new "  # noqa: SIM905 - a list of words
    "notifications orgs organizations pricing pulls readme search security sessions settings site sponsors stars "
    "topics trending user-attachments users".split()
)
_REPOSITORY = re.compile(
    r"/([a-z0-9-]{1,39})/([a-z0-9._-]{1,100}?)(?:\.git)?(?:/(?:tree/[^/]+|releases|wiki))?", re.IGNORECASE
)


def recognize(text: str) -> str | None:
    ssh = re.fullmatch(r"(?:ssh://)?git@github\.com[:/](.+)", text)
    parts = split_url(f"https://github.com/{ssh[1]}" if ssh else text)
    if parts is None or parts.host != "github.com":
        return None
    match = _REPOSITORY.fullmatch(parts.path)
    if match is None or match[1].lower() in _NO_OWNERS or match[2].strip(".") == "":
        return None
    return f"{match[1]}/{match[2]}".lower()


def url(key: str) -> str:
    return f"https://github.com/{key}"


def fetch(http: Http, keys: Sequence[str]) -> FetchResult:
    return answers.fetch_one_by_one(keys, lambda key: _ask(http, key))


def _ask(http: Http, key: str) -> Metadata | str | None:
    if recognize(url(key)) != key:
        return answers.invalid_identifier(key, "repository (owner/name)")
    answer = _get(http, f"/repos/{key}")
    if answer.status == 404 and answers.parse_error(answer, LABEL).get("message") == "Not Found":
        return None
    if answer.status == 451 or (answer.status == 403 and "block" in answers.parse_error(answer, LABEL)):
        return f"GitHub blocks access to {key}. Ask the owner."
    repository = json_fields.as_mapping(answers.parse_answer(answer, LABEL))
    if not json_fields.short_text(repository.get("full_name")):
        raise answers.unexpected_answer(LABEL, "not a repository")
    data = {name: repository.get(name) for name in _KEPT} | {"citation": _citation(http, key)}
    return read(key, answers.serialize_answer(data))


def _get(http: Http, path: str) -> HttpResponse:
    """Send a GET request. Raise SourceUnavailable if the rate limit is exhausted."""
    answer = http.get(http.base("github") + path, _HEADERS)
    is_exhausted = answer.headers.get("x-ratelimit-remaining") == "0" or "retry-after" in answer.headers
    if answer.status in {403, 429} and (is_exhausted or b"rate limit" in answer.body[:2_000]):
        message = f"The rate limit of GitHub is reached. {RETRYING_LATER}"
        raise SourceUnavailable(message, retry_after=_wait(answer.headers))
    return answer


def _wait(headers: Mapping[str, str]) -> float:
    """Return the seconds until the rate limit resets, at most an hour."""
    retry_after, reset = headers.get("retry-after", ""), headers.get("x-ratelimit-reset", "")
    if re.fullmatch(r"\d{1,9}", retry_after, re.ASCII):
        return min(float(retry_after), _HOUR_SECONDS)
    if re.fullmatch(r"\d{1,12}", reset, re.ASCII):
        return min(max(float(reset) - time.time(), 1.0), _HOUR_SECONDS)
    return 60.0


def _citation(http: Http, key: str) -> str:
    """Return the text of CITATION.cff; "" if it is missing or unreadable."""
    answer = _get(http, f"/repos/{key}/contents/CITATION.cff")
    if answer.status != 200:
        return ""
    file = json_fields.as_mapping(answers.parse_answer(answer, LABEL))
    content = file.get("content")
    if (
        file.get("encoding") != "base64"
        or not isinstance(content, str)
        or len(content) > 2 * citation_cff.MAX_FILE_CHARS
    ):
        return ""
    try:
        return base64.b64decode(content).decode()
    except (binascii.Error, ValueError):
        return ""


def read(key: str, raw: str) -> Metadata:
    """Read the stored repository data and CITATION.cff."""
    data = answers.parse_stored(raw, LABEL)
    text = data.get("citation")
    citation = citation_cff.parse_citation(text) if isinstance(text, str) else {}
    full_name = json_fields.line(data.get("full_name"))
    current_key = recognize(url(full_name)) or key
    addresses = [
        (url(current_key), "code"),
        (data.get("homepage"), "landing"),
        *((work, "landing") for work in citation_cff.works(citation)),
    ]
    return Metadata(
        ref=Ref("github", key),
        kind="code",
        title=full_name,
        authors=citation_cff.authors(citation),
        abstract=json_fields.prose(data.get("description")),
        links=json_fields.build_links(addresses),
        identifiers=(Ref("github", current_key),) if current_key != key else (),
        versions=_released(citation),
        remark="archived" if data.get("archived") is True else "",
        raw=raw,
    )


def _released(citation: Mapping[str, object]) -> tuple[DatedVersion, ...]:
    """Return the release that CITATION.cff describes."""
    label, (_, day) = (
        json_fields.line(citation.get("version"))[:40],
        json_fields.parse_day(citation.get("date-released")),
    )
    moment = datetime(day.year, day.month, day.day, tzinfo=UTC) if day else None
    return (DatedVersion(label, moment),) if label else ()


SOURCE = Source(
    name="github",
    recognise=recognize,
    url=url,
    order=50,
    hosts=("github.com",),
    kind=lambda _key: "code",
    label=lambda key: f"GitHub {key}",
    links=lambda key: (WebLink(url(key), "code"),),
    examples={
        "https://github.com/NVIDIA-NeMo/Megatron-Bridge": "nvidia-nemo/megatron-bridge",
        "http://www.github.com/uccl-project/uccl/": "uccl-project/uccl",
        "https://github.com/uccl-project/uccl.git": "uccl-project/uccl",
        "git@github.com:uccl-project/uccl.git": "uccl-project/uccl",
        "https://github.com/uccl-project/uccl/tree/main": "uccl-project/uccl",
        "https://github.com/uccl-project/uccl#readme": "uccl-project/uccl",
        "https://github.com/uccl-project/uccl?tab=readme-ov-file": "uccl-project/uccl",
        "https://github.com/dlsyscourse/lecture5/blob/main/5_automatic_differentiation_implementation.ipynb": None,
        "https://github.com/uccl-project/uccl/tree/main/docs": None,
        "https://github.com/uccl-project/uccl/issues/12": None,
        "https://github.com/topics/llm": None,
        "https://github.com/uccl-project": None,
        "https://gist.github.com/someone/0123456789abcdef": None,
    },
)

SERVICE = Service(
    name="github",
    label=LABEL,
    order=60,
    select_keys=lambda about: about.keys("github"),
    fetch=fetch,
    read=read,
    own_schemes=frozenset({"github"}),
    interval=2.0,  # The limit of 60 requests per hour is soon exhausted; retries then follow GitHub's reset time.
)
