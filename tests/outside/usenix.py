"""USENIX: the page of a presentation, with tags for indexes, mail addresses among them."""

import re
from html import escape

from tests.outside import venues
from tests.outside.asking import Asked, Reply
from tests.outside.facts import Fact, Facts

_PAGE = re.compile(r"/conference/([^/]+)/(?:technical-sessions/)?presentation/([^/]+)")


def answer(facts: Facts, asked: Asked) -> Reply:
    named = _PAGE.fullmatch(asked.path)
    fact = facts.named("usenix", f"{named[1]}/{named[2]}") if named else None
    if fact is None:
        return Reply.page("<!DOCTYPE html>\n<html><head><title>Page not found | USENIX</title></head></html>", 404)
    return Reply.page(_page(fact))


def _page(fact: Fact) -> str:
    tags = "\n".join(f'<meta name="{name}" content="{escape(content)}" />' for name, content in _tags(fact))
    return (
        '<!DOCTYPE html>\n<html lang="en" dir="ltr">\n<head>\n    <meta charset="utf-8" />\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1" />\n'
        f"{tags}\n    <title>{escape(fact.in_print)} | USENIX</title>\n</head>\n<body>\n"
        f'<h1 id="page-title">{escape(fact.in_print)}</h1>\n'
        f'<div class="field field-name-field-paper-people-text"><p>{escape(", ".join(fact.authors))}</p></div>\n'
        f'<div class="field field-name-field-paper-description"><p>{escape(fact.abstract)}</p></div>\n'
        "</body>\n</html>\n"
    )


def _tags(fact: Fact) -> list[tuple[str, str]]:
    tags = [("citation_title", fact.in_print)]
    for name in fact.authors:
        tags += [("citation_author", name), ("citation_author_institution", "A University, and a Company")]
        tags += [("citation_author_email", f"{name.split()[-1].lower()}@cs.example.edu")]
    conference, _, name = fact.usenix.partition("/")
    return [
        *tags,
        ("citation_publication_date", str(fact.printed_in)),
        ("citation_conference_title", venues.usenix_event(fact)),
        ("citation_firstpage", fact.first_page),
        ("citation_lastpage", fact.last_page),
        ("citation_isbn", "978-1-939133-00-0"),
        ("citation_pdf_url", f"https://www.usenix.org/system/files/{conference}-{name}.pdf"),
    ]
