"""GitHub's REST API: a repository, and the file in it that says how it wants to be cited."""

import base64
import re
from collections.abc import Mapping

from tests.outside.asking import TEXT, Asked, Reply
from tests.outside.facts import REPOSITORIES, Fact, Facts, Repository

_PATH = re.compile(r"/repos/([^/]+/[^/]+)(/contents/CITATION\.cff)?")
_LIMITS = {"x-ratelimit-limit": "60", "x-ratelimit-remaining": "51", "x-ratelimit-resource": "core"}


def answer(facts: Facts, asked: Asked) -> Reply:
    named = _PATH.fullmatch(asked.path)
    there = {repository.name.lower(): repository for repository in REPOSITORIES}
    repository = there.get(named[1].lower()) if named else None
    if named is None or repository is None or not facts.papers:
        return _absent()
    if not named[2]:
        return Reply.told(_described(repository), headers=_LIMITS)
    cited = next((fact for fact in facts if repository.cites in fact.names), None)
    return _file(_citation(repository, cited), asked.headers) if cited else _absent()


def _absent() -> Reply:
    said = {"message": "Not Found", "documentation_url": "https://docs.github.com/rest", "status": "404"}
    return Reply.told(said, 404, _LIMITS)


def _described(repository: Repository) -> dict[str, object]:
    owner, _, name = repository.name.partition("/")
    return {
        "id": 103703892,
        "name": name,
        "full_name": repository.name,
        "private": False,
        "owner": {"login": owner, "type": "Organization"},
        "html_url": f"https://github.com/{repository.name}",
        "description": repository.description or None,
        "fork": False,
        "created_at": "2024-09-15T21:43:08Z",
        "updated_at": "2025-09-19T15:57:54Z",
        "pushed_at": "2025-11-03T20:11:46Z",
        "homepage": repository.homepage or None,
        "language": "C++",
        "license": None,
        "topics": [],
        "archived": False,
        "default_branch": "main",
    }


def _file(text: str, headers: Mapping[str, str]) -> Reply:
    if "raw" in headers.get("accept", ""):
        return Reply(text.encode(), f"{TEXT}; charset=utf-8", 200, _LIMITS)
    content = base64.encodebytes(text.encode()).decode()
    said = {"name": "CITATION.cff", "type": "file", "encoding": "base64", "size": len(text), "content": content}
    return Reply.told(said, headers=_LIMITS)


def _citation(repository: Repository, fact: Fact) -> str:
    owner, _, name = repository.name.partition("/")
    conference, _, paper = fact.usenix.partition("/")
    people = "".join(
        f"    - family-names: {who.split()[-1]}\n      given-names: {who.split()[0]}\n" for who in fact.authors
    )
    return (
        f'cff-version: 1.2.0\nmessage: "Cite the paper."\ntitle: "{name}"\n'
        f"authors:\n  - name: {owner}\n    email: somebody@example.org\n"
        f'preferred-citation:\n  type: conference-paper\n  title: "{fact.title}"\n  year: {fact.year}\n'
        f"  url: https://www.usenix.org/conference/{conference}/presentation/{paper}\n  authors:\n{people}"
    )
