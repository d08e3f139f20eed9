"""Every page there is, over the demo's library and some oddities: for tests that walk them all, and for pictures.

What fills the holes in their addresses is in `furnishing`; a new page is one line in PLACES.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from playwright.sync_api import Page

PASSWORD = "correct horse battery"


class Place(NamedTuple):
    """A page: its name, its address with holes for what `furnish` finds, who looks at it, what is done to get there."""

    name: str
    address: str
    by: str = "admin"  # or "viewer", or "" for a stranger
    then: Callable[[Page], Any] | None = None


def _save_over_a_newer_version(page: Page) -> None:
    page.locator("input[name=version]").evaluate("field => { field.value = 1 }")
    page.get_by_label("Text", exact=True).fill("What I had typed meanwhile.\n\nAnd what stays the same.")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("heading", level=1).filter(has_text="Conflicting versions").wait_for()


def _over_a_newer(label: str) -> Callable[[Page], None]:
    """Saves something else in the field of that name, as if somebody had been faster."""

    def save(page: Page) -> None:
        page.locator("input[name=version]").evaluate("field => { field.value = 0 }")
        page.get_by_label(label, exact=True).fill("What I had typed meanwhile.")
        page.get_by_role("button", name="Save", exact=True).click()

    return save


def _refused(page: Page) -> None:
    page.get_by_label("Name or email").fill("Nobody in particular")
    page.get_by_label("Password").fill("not a password at all")
    page.get_by_role("button", name="Sign in", exact=True).click()


def _set_up_a_second_factor(page: Page) -> None:
    page.get_by_role("button", name="Set up two-factor authentication").click()


def _open_facets(page: Page) -> None:
    page.locator("#narrow > summary").click()
    page.locator("#narrow section").first.wait_for()


def _choose_some(page: Page) -> None:
    page.get_by_label("Select", exact=True).check()
    for place in (1, 3):
        page.locator(".pick").nth(place).check()


def _asked_for_a_code(page: Page) -> None:
    page.get_by_label("Name or email").fill("Two Steps")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_label("Authentication code").wait_for()


def _make_a_token(page: Page) -> None:
    page.get_by_label("Name", exact=True).fill("import script")
    page.get_by_label("read", exact=False).first.check()
    page.get_by_role("button", name="Create token").click()


def _make_a_webhook(page: Page) -> None:
    page.get_by_label("Address", exact=True).fill("https://chat.example.org/hook")
    page.get_by_role("button", name="Create webhook").click()
    page.locator("#secret").wait_for()


def _make_an_address(page: Page) -> None:
    page.locator("main").get_by_role("button").click()
    page.locator("#secret").wait_for()


def _edit_an_entry(page: Page) -> None:
    page.get_by_role("button", name="Edit line").nth(4).click()
    page.get_by_role("group", name="Edit line").wait_for()


def _name_nothing_known(page: Page) -> None:
    _edit_an_entry(page)
    page.get_by_label("Identifier").fill("no such thing")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("alert").wait_for()


def _open_the_source(page: Page) -> None:
    page.locator(".source summary").nth(2).click()


def _until_arxiv_is_waited_for(page: Page) -> None:
    page.get_by_text("next try").first.wait_for(timeout=20_000)


def _press(key: str, opens: str, *, at_row: bool = False) -> Callable[[Page], None]:
    """A key that opens a dialog of that name."""

    def press(page: Page) -> None:
        page.wait_for_selector("[data-htmx-powered]", state="attached")
        if at_row:
            page.keyboard.press("j")
        page.keyboard.press(key)
        page.get_by_role("dialog", name=opens).wait_for()

    return press


def _open_connections(page: Page) -> None:
    page.locator("#may-belong > summary").click()
    page.locator(".maybe li").first.wait_for()
    page.get_by_text("Link paper", exact=True).click()


def _link_by_words(page: Page) -> None:
    page.get_by_text("Link paper", exact=True).click()
    page.get_by_label("Other paper").fill("gradients sorted")
    page.get_by_role("button", name="Link", exact=True).click()
    page.get_by_role("heading", name="Choose paper").wait_for()


def _open_what_waits(page: Page) -> None:
    _until_arxiv_is_waited_for(page)
    page.get_by_role("link", name="arxiv:2405.00001").click()


def _split_nothing(page: Page) -> None:
    page.get_by_label("Move to").fill("Apart")
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("alert").wait_for()


def _split_some(page: Page) -> None:
    page.get_by_label("Move to").fill("Apart")
    page.locator("#papers input").first.check()
    page.get_by_role("button", name="Preview").click()
    page.get_by_text("A new topic").wait_for()


PLACES = (
    Place("sign-in", "/sign-in", ""),
    Place("sign-in refused", "/sign-in", "", _refused),
    Place("join", "/invitations/accept/{join}", ""),
    Place("choose a password", "/invitations/accept/{back}", ""),
    Place("not found, a stranger", "/invitations/accept/nothing", ""),
    Place("home", "/"),
    Place("folder", "/export/markdown"),
    Place("near a paper", "/papers/{summarised}/similar"),
    Place("citations of a paper", "/papers/{summarised}/cite"),
    Place("home, a viewer", "/", "viewer"),
    Place("home, a menu open", "/", then=lambda page: page.locator(".listed .state summary").first.click()),
    Place("activity", "/activity"),
    Place("progress", "/progress"),
    Place("progress, the team's", "/progress?who=team&span=all"),
    Place("progress, coverage", "/progress/coverage?who=team"),
    Place("audit trail", "/admin/audit"),
    Place("library", "/papers"),
    Place("library, a table", "/papers?display=table"),
    Place("library, a table in groups", "/papers?display=table&group=status"),
    Place("library, in groups", "/papers?group=topic"),
    Place("library, narrowing down", "/papers", then=_open_facets),
    Place("narrow down", "/papers/facets"),
    Place("board", "/board"),
    Place("board of readers", "/board?group=reader"),
    Place("board, a card open", "/board", then=lambda page: page.locator("[data-card] summary").first.click()),
    Place("library, in the notes", "/papers?q=分"),
    Place("library, nothing found", "/papers?q=zyzzyva"),
    Place("library, not here yet", "/papers?q=2401.99999"),
    Place("library, search problem", "/papers?q=stats:reading"),
    Place("library, to be decided", "/papers?q=is:inbox"),
    Place("paper, to be decided", "/papers/{undecided}"),
    Place("library, a menu open", "/papers", then=lambda page: page.locator(".row .state summary").nth(3).click()),
    Place("library, some chosen", "/papers", then=_choose_some),
    Place("bulk, asked whom", "/bulk?do=assign&paper=1&paper=2"),
    Place("bulk, asked how many", "/bulk?do=read&every=1&q="),
    Place("bulk, done", "/history"),
    Place("trash", "/trash"),
    Place("trash, one kind", "/trash?of=others"),
    Place("views", "/views"),
    Place("views, a viewer", "/views", "viewer"),
    Place("view edit", "/views/{view}/edit"),
    Place("view feed", "/views/{view}/feed"),
    Place("view feed, its address", "/views/{view}/feed", then=_make_an_address),
    Place("queue", "/queue"),
    Place("queue, a menu open", "/queue", then=lambda page: page.locator(".moves summary").nth(1).click()),
    Place("paper", "/papers/{summarised}"),
    Place("paper, a viewer", "/papers/{summarised}", "viewer"),
    Place("paper, from notes", "/papers/{imported}"),
    Place("paper, told by many", "/papers/{told}"),
    Place("paper, its sources", "/papers/{told}?sources=open"),
    Place("paper, its sources, a viewer", "/papers/{told}?sources=open", "viewer"),
    Place("paper, discussed", "/papers/{discussed}"),
    Place("paper, connections", "/papers/{told}#relations", then=_open_connections),
    Place("paper, may belong together", "/papers/{told}/relations/suggested"),
    Place("paper, change a link", "/papers/{discussed}/relations/discusses/{told}/edit"),
    Place("paper, which one to link", "/papers/{discussed}#relations", then=_link_by_words),
    Place("often cited", "/citations"),
    Place("often cited, none of a topic", "/citations?topic=none-such"),
    Place("not for us", "/citations?refused=1"),
    Place("paper, merge", "/papers/{told}/merge"),
    Place("paper, merge, both", "/papers/{told}/merge?into=%23{discussed}"),
    Place("paper, merged here", "/papers/{kept}"),
    Place("look, disagreements", "/review?of=disagreements"),
    Place("look, duplicates", "/review?of=duplicates"),
    Place("look, found", "/review?of=found"),
    Place("look, unknown", "/review?of=unknown"),
    Place("look, a viewer", "/review?of=duplicates", "viewer"),
    Place("paper, of thousands", "/papers/{crowded}"),
    Place("paper, right to left", "/papers/{hebrew}"),
    Place("paper, nothing known", "/papers/{blank}"),
    Place("paper edit", "/papers/{summarised}/edit"),
    Place("paper new", "/papers/new"),
    Place("save, new", "/save?url=https://notes.example.org/queues&title=Queues+explained"),
    Place("save, known", "/save?url=https://arxiv.org/abs/2405.20001"),
    Place("summary edit", "/papers/{mine}/summary/edit"),
    Place("summary edit, a draft is offered", "/papers/{drafted}/summary/edit"),
    Place("summary edit, going on with a draft", "/papers/{drafted}/summary/edit?draft={draft}"),
    Place("drafts", "/drafts"),
    Place("templates", "/templates"),
    Place("templates, a viewer", "/templates", "viewer"),
    Place("template edit", "/templates/{template}/edit"),
    Place("summary new", "/papers/{crowded}/summary/edit"),
    Place("summary conflict", "/papers/{mine}/summary/edit", then=_save_over_a_newer_version),
    Place("summary versions", "/papers/{mine}/summary/versions"),
    Place("summary versions, two compared", "/papers/{mine}/summary/versions?compare=1"),
    Place("import new", "/imports/new"),
    Place("import preview", "/imports/{preview}"),
    Place("import preview, nothing like that", "/imports/{preview}?q=zyzzyva"),
    Place("import preview, an entry edited", "/imports/{preview}", then=_edit_an_entry),
    Place("import preview, its source", "/imports/{preview}", then=_open_the_source),
    Place("import preview, an error", "/imports/{preview}", then=_name_nothing_known),
    Place("import preview, a viewer", "/imports/{preview}", "viewer"),
    Place("import preview, twins and marks", "/imports/{doubtful}"),
    Place("import preview, a later revision", "/imports/{revised}"),
    Place("import report", "/imports/{preview}/report"),
    Place("import report, to review", "/imports/{doubtful}/report"),
    Place("import rules", "/imports/rules"),
    Place("import progress", "/imports/{committed}"),
    Place("import progress, waiting", "/imports/{waiting}", then=_until_arxiv_is_waited_for),
    Place("paper, waiting", "/imports/{waiting}", then=_open_what_waits),
    Place("imports", "/imports"),
    Place("leads", "/unresolved"),
    Place("leads, dropped", "/unresolved?state=dropped"),
    Place("leads, second-hand", "/unresolved?state=second-hand"),
    Place("lead", "/unresolved/{lead}"),
    Place("comparison", "/comparisons/{comparison}"),
    Place("comparison, sorted", "/comparisons/{comparison}?by=2&order=worst"),
    Place("comparison edit", "/comparisons/{comparison}/edit"),
    Place("comparison edit, conflict", "/comparisons/{comparison}/edit", then=_over_a_newer("Title")),
    Place("comparison new", "/topics/checkpointing/comparisons/new"),
    Place("notes", "/notes"),
    Place("note", "/notes/{note}"),
    Place("note, what changed", "/notes/{note_revised}?compare=1"),
    Place("topics", "/topics"),
    Place("topic", "/topics/checkpointing"),
    Place("graph of a topic", "/topics/checkpointing/graph?depth=2"),
    Place("graph of a topic, as a table", "/topics/checkpointing/graph?depth=2&as=table"),
    Place("graph of a paper", "/papers/{summarised}/graph?depth=2&citations=1"),
    Place("graph of a paper, alone", "/papers/{blank}/graph"),
    Place("map", "/graph"),
    Place("map, near", "/graph?zoom=4&x=0.5&y=0.5"),
    Place("map, a viewer", "/graph?topic=checkpointing", "viewer"),
    Place("questions", "/questions"),
    Place("questions, none dropped", "/questions?state=dropped&mine=1"),
    Place("question, answered", "/questions/{question}"),
    Place("question, a viewer", "/questions/{question}", "viewer"),
    Place("question edit", "/questions/{question}/edit"),
    Place("question edit, conflict", "/questions/{question}/edit", then=_over_a_newer("Question")),
    Place("paper, talked about", "/papers/{talked}", then=lambda page: page.wait_for_load_state("networkidle")),
    Place("comment, answer", "/comments/{comment}/reply?quote=1"),
    Place("comment, edit", "/comments/{own_comment}/edit"),
    Place("comment, conflict", "/comments/{own_comment}/edit", then=_over_a_newer("Text")),
    Place("thread", "/threads/{comment}"),
    Place("topic edit", "/topics/checkpointing/edit"),
    Place("topic versions", "/topics/checkpointing/versions"),
    Place("topic, a viewer", "/topics/checkpointing", "viewer"),
    Place("topic, who read what", "/topics/checkpointing/coverage"),
    Place("topic merge", "/topics/checkpointing/merge"),
    Place("topic merge, what happens", "/topics/checkpointing/merge?into={topic_into}"),
    Place("topic split", "/topics/checkpointing/split"),
    Place("topic split, nothing chosen", "/topics/checkpointing/split", then=_split_nothing),
    Place("topic split, what happens", "/topics/checkpointing/split", then=_split_some),
    Place("topic link edit", "/topics/checkpointing/links/{topic_link}/edit"),
    Place("topics, used once", "/topics?of=once"),
    Place("topics, none found", "/topics?q=zyzzyva"),
    Place("topic, where it is named", "/topics/checkpointing/mentions"),
    Place("paper, where it is named", "/papers/1/mentions"),
    Place("assignments", "/assignments"),
    Place("assignments, the team's", "/assignments?of=all"),
    Place("assignments of a paper", "/papers/{asked}/assignments"),
    Place("assignments, a paper", "/papers/{asked}"),
    Place("assignments, change one", "/assignments/{assignment}/edit"),
    Place("inbox", "/notifications"),
    Place("inbox, choices", "/settings/notifications"),
    Place("meetings", "/meetings"),
    Place("meetings, past", "/meetings?past=1"),
    Place("meeting", "/meetings/{meeting}"),
    Place("meeting, a viewer", "/meetings/{meeting}", "viewer"),
    Place("meeting, held", "/meetings/{met}"),
    Place("meeting, single", "/meetings/{visit}"),
    Place("meeting, made recurring", "/meetings/series/new?meeting={visit}"),
    Place("meeting edit", "/meetings/{meeting}/edit"),
    Place("meeting new", "/meetings/new"),
    Place("meeting notes", "/meetings/{met}/notes"),
    Place("meeting notes, conflict", "/meetings/{met}/notes", then=_over_a_newer("Meeting notes")),
    Place("meeting series", "/meetings/series/{series}"),
    Place("meeting series edit", "/meetings/series/{series}/edit"),
    Place("meeting series new", "/meetings/series/new"),
    Place("meeting calendar", "/meetings/calendar"),
    Place(
        "meeting calendar, made",
        "/meetings/calendar",
        then=lambda page: page.get_by_role("button", name="Create link").click(),
    ),
    Place("people", "/people"),
    Place("person", "/people/2"),
    Place("person, a viewer", "/people/1", "viewer"),
    Place("person, disabled", "/people/{former}"),
    Place("profile", "/settings/profile"),
    Place("appearance", "/settings/appearance"),
    Place("browser", "/settings/browser"),
    Place("tokens", "/settings/tokens"),
    Place("tokens, one made", "/settings/tokens", then=_make_a_token),
    Place("webhooks", "/settings/webhooks"),
    Place("webhook", "/settings/webhooks/{webhook}"),
    Place("webhook new", "/settings/webhooks/new"),
    Place("webhook, one made", "/settings/webhooks/new", then=_make_a_webhook),
    Place("sessions", "/settings/sessions"),
    Place("invitations", "/people/invitations"),
    Place(
        "invitation made", "/people/invitations", then=lambda page: page.get_by_role("button", name="Invite").click()
    ),
    Place("erase a person", "/people/{former}/erase"),
    Place("forgotten password", "/password-reset", ""),
    Place("password", "/settings/password"),
    Place("second factor", "/settings/second-factor"),
    Place("second factor, new", "/settings/second-factor", then=_set_up_a_second_factor),
    Place("second factor, on", "/settings/second-factor", "viewer"),
    Place("second factor, asked", "/sign-in", "", _asked_for_a_code),
    Place("linked sign-ins", "/settings/identities"),
    Place("jobs", "/jobs?show=all"),
    Place("closed hosts", "/settings/blocked-hosts"),
    Place("text with everything", "/topics/{dressed}"),
    Place("macros", "/settings/macros"),
    Place("macro, change", "/settings/macros?change=loss"),
    Place("pictures", "/images"),
    Place("help search", "/help/search"),
    Place("search, going on", "/search/complete?q=sta"),
    Place("search, one term less", "/search/nearby?q=kind:video+has:pdf+zigzag"),
    Place("help keys", "/help/keys"),
    Place("help keys, over a page", "/queue", then=_press("?", "Keyboard shortcuts")),
    Place("palette", "/palette?q=train"),
    Place("palette, over a page", "/queue", then=_press("Control+k", "Go to")),
    Place("paper new, over a page", "/queue", then=_press("c", "Add papers")),
    Place("paper's topics, over a list", "/queue", then=_press("t", "Edit topics", at_row=True)),
    Place("api", "/api/docs"),
    Place("not found", "/papers/999999"),
    Place("not permitted", "/imports/new", "viewer"),
)
EMPTY = (
    Place("empty home", "/"),
    Place("empty activity", "/activity"),
    Place("empty progress", "/progress"),
    Place("empty audit trail", "/admin/audit"),
    Place("empty library", "/papers"),
    Place("empty queue", "/queue"),
    Place("empty import new", "/imports/new"),
    Place("empty imports", "/imports"),
    Place("empty import rules", "/imports/rules"),
    Place("empty leads", "/unresolved"),
    Place("empty notes", "/notes"),
    Place("empty look", "/review"),
    Place("empty look, duplicates", "/review?of=duplicates"),
    Place("empty jobs", "/jobs"),
    Place("empty closed hosts", "/settings/blocked-hosts"),
    Place("empty macros", "/settings/macros"),
    Place("empty pictures", "/images"),
    Place("empty meetings", "/meetings"),
    Place("empty meetings, past", "/meetings?past=1"),
    Place("empty person", "/people/1"),
    Place("empty invitations", "/people/invitations"),
    Place("empty webhooks", "/settings/webhooks"),
    Place("empty tokens", "/settings/tokens"),
    Place("empty second factor", "/settings/second-factor"),
    Place("empty linked sign-ins", "/settings/identities"),
    Place("empty questions", "/questions"),
    Place("empty assignments", "/assignments"),
    Place("empty inbox", "/notifications"),
    Place("empty topics", "/topics"),
    Place("empty map", "/graph"),
    Place("empty views", "/views"),
    Place("empty trash", "/trash"),
    Place("empty drafts", "/drafts"),
    Place("empty templates", "/templates"),
    Place("empty bulk, done", "/history"),
    Place("empty people", "/people"),
)
