"""oEmbed answers of sites with videos and slides, by the address in `url`."""

import re
from collections.abc import Mapping

from tests.outside.asking import TEXT, Asked, Reply
from tests.outside.facts import DECKS, VIDEOS, Facts, Talk

_VIDEO = re.compile(r"https?://(?:www\.)?youtube\.com/watch\?v=([\w-]{11})")
_DECK = re.compile(r"https?://speakerdeck\.com/([\w-]+/[\w-]+)")


def answer(facts: Facts, asked: Asked) -> Reply:
    address = asked.query.get("url", "")
    talks = {talk.key: talk for talk in (*VIDEOS, *DECKS)} if facts.papers else {}
    named = (_VIDEO if asked.path.startswith("/youtube") else _DECK).match(address)
    talk = talks.get(named[1]) if named else None
    if talk is None:
        return Reply(b"Not Found", TEXT, 404)
    return Reply.told(_video(talk) if talk in VIDEOS else _deck(talk))


def _video(talk: Talk) -> Mapping[str, object]:
    by = {"author_name": talk.by, "author_url": f"https://www.youtube.com/@{talk.by.replace(' ', '')}"}
    shown = {"height": 150, "width": 200, "html": f'<iframe src="https://www.youtube.com/embed/{talk.key}"></iframe>'}
    site = {"provider_name": "YouTube", "provider_url": "https://www.youtube.com/"}
    return {"title": talk.title, **by, "type": "video", **shown, "version": "1.0", **site}


def _deck(talk: Talk) -> Mapping[str, object]:
    by = {"author_name": talk.by, "author_url": f"https://speakerdeck.com/{talk.key.partition('/')[0]}"}
    site = {"provider_name": "Speaker Deck", "provider_url": "https://speakerdeck.com/"}
    shown = {"html": '<iframe class="speakerdeck-iframe"></iframe>', "width": 710, "height": 399, "ratio": 1.778}
    return {"type": "rich", "version": 1.0, **site, "title": talk.title, **by, **shown}
