"""GitHub repositories. A file or folder inside one is a page of its own (scheme url), so that notebooks stay apart."""

import re

from readtrack.sources import Source, WebLink
from readtrack.sources.addresses import parts

_NO_OWNERS = frozenset(
    "about apps collections customer-stories enterprise events explore features issues join login marketplace new "  # noqa: SIM905 - a list of words
    "notifications orgs organizations pricing pulls readme search security sessions settings site sponsors stars "
    "topics trending user-attachments users".split()
)
_REPOSITORY = re.compile(
    r"/([a-z0-9-]{1,39})/([a-z0-9._-]{1,100}?)(?:\.git)?(?:/(?:tree/[^/]+|releases|wiki))?", re.IGNORECASE
)


def recognise(text: str) -> str | None:
    ssh = re.fullmatch(r"(?:ssh://)?git@github\.com[:/](.+)", text)
    where = parts(f"https://github.com/{ssh[1]}" if ssh else text)
    if where is None or where.host != "github.com":
        return None
    named = _REPOSITORY.fullmatch(where.path)
    if named is None or named[1].lower() in _NO_OWNERS or named[2].strip(".") == "":
        return None
    return f"{named[1]}/{named[2]}".lower()


def url(key: str) -> str:
    return f"https://github.com/{key}"


SOURCE = Source(
    name="github",
    recognise=recognise,
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
