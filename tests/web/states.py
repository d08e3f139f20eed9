"""What there is of each thing that a route may be about, and what becomes of it: a part of tests/web/permissions.py."""

from collections.abc import Mapping

IN, ABSENT, MOVED, REFUSED, SIGN_IN = "in", "absent", "moved", "refused", "sign in"

# What there is of each thing, and what becomes of it; after a bar: for whom else it is there.
THINGS: Mapping[str, Mapping[str, str]] = {
    "-": {"there": IN},
    "nothing": {"there": ABSENT},  # no provider, no proxy: the ways in that are not set up
    "paper": {"there": IN, "deleted": ABSENT, "merged": MOVED, "missing": ABSENT},
    "deleted paper": {"deleted": IN, "there": IN, "merged": MOVED, "missing": ABSENT},
    "paper to merge": {"there": IN, "deleted": IN, "merged": IN, "missing": ABSENT},  # IN: 409, with the reason
    "merged paper": {"merged": IN, "there": ABSENT, "missing": ABSENT},
    "summary": {"there": IN, "private": f"{ABSENT}|owner", "deleted": ABSENT, "missing": ABSENT},
    "own summary": {"there": f"{ABSENT}|owner", "private": f"{ABSENT}|owner", "deleted": ABSENT, "missing": ABSENT},
    "draft": {"there": f"{ABSENT}|owner", "missing": ABSENT},
    "template": {"there": IN, "missing": ABSENT},
    "import": {"there": IN, "missing": ABSENT},
    "own import": {"there": f"{REFUSED}|owner editor admin", "missing": ABSENT},
    "token": {"there": f"{ABSENT}|owner", "missing": ABSENT},
    "webhook": {"there": f"{ABSENT}|owner", "team": f"{ABSENT}|admin", "missing": ABSENT},
    "delivery": {"there": f"{ABSENT}|owner", "missing": ABSENT},
    "person": {"there": IN, "missing": ABSENT},
    "session": {"there": f"{ABSENT}|owner", "missing": ABSENT},
    "identity": {"there": f"{ABSENT}|owner", "missing": ABSENT},
    "thrown": {"there": f"{ABSENT}|owner editor admin", "missing": ABSENT},
    "deed": {"there": f"{ABSENT}|owner", "missing": ABSENT},
    "notice": {"there": f"{ABSENT}|owner", "missing": ABSENT},
    "source": {"there": IN, "missing": ABSENT},
    "topic": {"there": IN, "missing": ABSENT},
    "topic link": {"there": IN, "missing": ABSENT},
    "question": {"there": IN, "missing": ABSENT},
    "own question": {"there": f"{REFUSED}|owner editor admin", "missing": ABSENT},
    "comment": {"there": IN, "deleted": ABSENT, "of deleted": ABSENT, "missing": ABSENT},
    "place of a comment": {"there": MOVED, "deleted": ABSENT, "of deleted": ABSENT, "missing": ABSENT},
    "own comment": {"there": f"{REFUSED}|owner", "deleted": ABSENT, "of deleted": ABSENT, "missing": ABSENT},
    "put away": {"deleted": f"{REFUSED}|owner", "there": ABSENT, "missing": ABSENT},
    "assignment": {"there": IN, "of deleted": ABSENT, "missing": ABSENT},
    "asked by me": {"there": f"{REFUSED}|eve editor admin", "of deleted": ABSENT, "missing": ABSENT},
    "asked of me": {"there": f"{ABSENT}|owner", "of deleted": ABSENT, "missing": ABSENT},
    "candidate": {"there": IN, "of deleted": ABSENT, "missing": ABSENT},
    "own candidate": {"there": f"{REFUSED}|owner editor admin", "of deleted": ABSENT, "missing": ABSENT},
    "invitation": {"there": IN, "missing": ABSENT},
    "view": {"there": IN, "private": f"{ABSENT}|owner", "deleted": ABSENT, "missing": ABSENT},
    "place of a view": {"there": MOVED, "deleted": ABSENT, "missing": ABSENT},
    "own view": {
        "there": f"{REFUSED}|owner editor admin",
        "private": f"{ABSENT}|owner",
        "deleted": ABSENT,
        "missing": ABSENT,
    },
    "my view": {"there": f"{ABSENT}|owner", "deleted": ABSENT, "missing": ABSENT},
    "put away view": {"deleted": f"{REFUSED}|owner editor admin", "missing": ABSENT},
    "macro": {"there": IN, "missing": ABSENT},
    "image": {"there": IN, "missing": ABSENT},
    "own image": {"there": f"{ABSENT}|owner", "missing": ABSENT},
    "other": {"there": IN, "missing": ABSENT},
}
