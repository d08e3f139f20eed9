"""The page that asks which paper is meant by a part of a title; forms on several pages lead to it."""

from fastapi import Request
from starlette.responses import Response

from readtrack.infra.errors import Invalid
from readtrack.library.relations.links import MAX_CHOICES, AmbiguousPaper
from readtrack.web.dependencies.forms import Fields
from readtrack.web.templating.environment import render


def render_paper_choice(
    request: Request, fields: Fields, error: Invalid, *, back: str, field: str = "paper"
) -> Response:
    """Offer the matching papers, or show the error's message; the answer sends the same form again.

    `field`: the name of the form's field for the paper; `back`: where "Cancel" leads.
    """
    choices = error.choices if isinstance(error, AmbiguousPaper) else ()
    return render(
        request,
        "papers/which.html",
        422 if request.method == "POST" else 200,
        action=request.url.path,
        method=request.method.lower(),
        choices=choices,
        is_cut=len(choices) == MAX_CHOICES,
        problem="" if choices else error.message,
        typed=fields.get(field),
        field=field,
        carried=[(name, text) for name, texts in fields.lists.items() if name != field for text in texts],
        back=back,
    )
