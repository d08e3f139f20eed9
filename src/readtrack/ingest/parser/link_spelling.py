"""Conversion of links in any markup to `[text](address)`.

Each step is guarded by a fast check.
"""

import html
import re
from urllib.parse import unquote

_ANGLED = re.compile(r"\]\(\s?<([^<>]{1,2000})>")
_BRACED = re.compile(r"\]\(\s?[{\[]\s?(?P<address>(?:https?:|www\.)[^\s(){}\[\]<>]{1,2000})\s?[}\]]?\s?\)?")
# `[text](https://site/A Title.pdf)` and `[text](https:site/page)`
_WITH_SPACES = re.compile(
    r"\]\((?P<address>https?://[^\s()<>]{1,500}(?:\s[^\s()<>\[\]]{1,200}){1,40}\.(?:md|pdf|html?))\)"
)
_WITHOUT_SLASHES = re.compile(r"\]\((?P<scheme>https?:)(?=[\w-]{1,60}\.[\w.-]{2,200}[/)])")
_FILLED_IN = re.compile(r"(?<!!)\[(?P<text>[^\[\]\"]{1,300})\]\(\{\{[^{}()]{1,200}\}\}\)")
_NESTED = re.compile(r"\]\(\s?\[https?://[^\s()\[\]]{1,2000}\]\((?P<address>https?://[^\s()\[\]]{1,2000})\)\s?\)")
_REVERSED = re.compile(
    r"(?<!\])\((?P<text>[^()\[\]]{1,300})\)\[\s?(?P<address>(?:https?://|www\.)[^\s\[\]]{1,2000})\s?\]"
)
_IN_BRACKETS = re.compile(r"\(\[(?P<text>[^\[\]()]{1,60})\]\)(?=\()")
_ATTRIBUTES = re.compile(r"\)\{[:.#a-z][^{}]{0,200}\}")
_WIKI_WEB = re.compile(r"(?<![\[(\]])\[(?P<address>https?://[^\s\[\]|]{1,2000})\s(?P<text>[^\[\]]{1,300})\](?!\()")
_WIKI_PIPE = re.compile(r"(?<!\[)\[(?P<text>[^\[\]|]{1,300})\|(?P<address>https?://[^\s\[\]|]{1,2000})\](?!\()")
_SLACK = re.compile(r"<(?P<address>https?://[^<>|\s]{1,2000})\|(?P<text>[^<>|]{1,300})>")
_AUTOLINK = re.compile(r"<(https?://[^<>\s]{1,2000})>")
_RST = re.compile(
    r"`(?P<text>[^`<>]{1,300})<(?P<address>https?://[^<>\s]{1,2000}|\.{0,2}/[^<>\s]{1,300}\.(?:pdf|ps))>`__?"
)
_RST_WEB = re.compile(r"`(?P<text>[^`<>]{1,300})<(?P<address>https?://[^<>\s]{1,2000})>`__?")
_BEGINS_ITEM = re.compile(r"(?:[-*+•]|\d{1,3}[.)])\s`")  # whose title may have a file as its address
_HREF = re.compile(r"\\href\{(?P<address>[^{}\s]{1,2000})\}\{(?P<text>[^{}]{1,300})\}")
_TYPST = re.compile(
    r"#link\(\s?\"(?P<address>[^\"\s]{1,2000})\"\s?\)\[(?P<text>(?:[^\[\]]|\[[^\[\]]{0,200}\]){1,300})\]"
)
_TYPST_STYLE = re.compile(r"#(?:emph|strong|strike|text|underline)\[(?P<text>[^\[\]]{1,300})\]")
_ASCIIDOC = re.compile(
    r"(?<![(\[<\"'])(?:\blink:)?(?P<address>https?://[^\s\[\]()<>\"']{1,2000})\[(?P<text>[^\[\]^\"]{4,300})\^?\](?![(\[])"
)
_HATENA = re.compile(  # `[address:title]`, `[address:title=text:bookmark]`
    r"(?<!\])\[(?P<address>https?://[^\s\[\]]{1,2000}?):(?:title|bookmark|embed)(?:=(?P<text>[^\[\]:]{1,300}))?(?::[a-z:]{1,40})?\]"
)
_TEX_URL = re.compile(r"\\url\{([^{}\s]{1,2000})\}")
_ADDRESS = re.compile(r"https?://[^\s<>\"]{1,2000}")
_OPENED = re.compile(r"\\\[(?=\[|[^\[\]\\]{1,60}\](?!\())")
_ESCAPED_BULLET = re.compile(r"(\d{0,3})\\([-*+.)])(?=\s)")  # `\* Title`, as converters write it
_ESCAPED_IN_ADDRESS = re.compile(r"\\([_&#~%=+.$*!-])")
_ENTITY = re.compile(r"&(?:#\d{1,5}|#[xX][0-9A-Fa-f]{1,5}|[A-Za-z]{2,8});")
_SPACE_ENTITIES = re.compile(r"(?:&(?:nbsp|ensp|emsp|thinsp|#160|#xa0);\s?)+")
_ORG_INTO = re.compile(
    r"(?:https?:|www\.|file:|doi:|arxiv:|\.{0,2}/)|[^:*#]{1,500}\.(?:pdf|org|md|html?)$", re.IGNORECASE
)
_ORG_KEPT = re.compile(r"(?:cite|citet|citep|id|roam)[:&]", re.IGNORECASE)
_BRACKETS = str.maketrans({"[": "(", "]": ")"})
_TAG = re.compile(r"<(?P<end>/?)(?P<name>[A-Za-z][A-Za-z0-9]{0,9})(?P<rest>(?:\s[^<>]{0,2000})?)/?>")
_ATTRIBUTE = re.compile(
    r"(?P<name>href|src|alt)\s?=\s?(?:\"(?P<a>[^\"]{0,2000})\"|'(?P<b>[^']{0,2000})'|(?P<c>[^\s\"'<>]{1,2000}))",
    re.IGNORECASE,
)
_BOLD = frozenset({"b", "strong"})
# Tags that only change the appearance. Tags that separate text (br, p, li, td, …) are left for the formats.
_LOOKS = frozenset(
    """
    abbr big center cite em font i ins kbd mark nobr picture samp small source span sub sup tt u var wbr
    """.split()  # noqa: SIM905 - a list of words reads better than a list of quotes
)
# Block tags, which mean nothing on a line without a table or fold.
_BLOCKS = re.compile(
    r"</?(?:p|div|ul|ol|li|blockquote|section|article|header|footer|main|nav|dl|dt|dd|hr|h[1-6]|figure|figcaption|aside|iframe)"
    r"(?:\s[^<>]{0,500})?/?>",
    re.IGNORECASE,
)
_ITALIC_PARAGRAPH = re.compile(
    r"<p(?:\s[^<>]{0,200})?>\s?<(?P<tag>em|i)>(?P<words>[^<>*]{3,200})</(?P=tag)>\s?</p>", re.IGNORECASE
)
_ITALIC_WORDS = re.compile(
    r"(?<=[.,\"”)]\s)<(?P<tag>em|i|cite)>(?P<words>[^\s<>*]+(?:\s[^\s<>*]+){2,40})</(?P=tag)>"
)  # of references: a title, a journal
_OF_TABLES = re.compile(r"</?(?:table|thead|tbody|tr|td|th|dl|dt)\b", re.IGNORECASE)
_HEAD = re.compile(
    r"(?:<[a-z][^<>]{0,200}>\s?){0,3}<h(?P<level>[1-6])(?:\s[^<>]{0,300})?>(?P<name>.{1,1000}?)</h[1-6]>(?P<rest>.{0,500})",
    re.IGNORECASE,
)
_ITEM = re.compile(r"(?:<[uo]l[^<>]{0,200}>\s?){0,3}<li(?:\s[^<>]{0,200})?>\s?", re.IGNORECASE)
_BREAK_LAST = re.compile(r"\s?<br\s?/?>$", re.IGNORECASE)
_MAX_BREAK_CHARS = len(" <br />")
# `![Title](address of a paper)`, written like a picture by mistake.
_LIKE_PICTURE = re.compile(
    r"!(?=\[[^\[\]!]{4,300}\]\(\s?https?://(?:www\.)?(?:arxiv\.org/(?:abs|pdf)/|(?:dx\.)?doi\.org/10|openreview\.net/|"
    r"aclanthology\.org/|dl\.acm\.org/doi/|ieeexplore\.ieee\.org/|proceedings\.|openaccess\.thecvf\.com/)"
    r"[^\s()]{1,300}(?<!\.png)(?<!\.jpg)(?<!\.gif)(?<!\.svg)\))"
)
_VIEWER = re.compile(
    r"chrome-extension://[^\s()?]{1,200}\?file=(?P<address>https?(?::|%3A)[^\s()]{1,2000})", re.IGNORECASE
)
_ONLINE = re.compile(r"\s?\[online\]\.?(?:\s?Available(?: at| from)?:?)?", re.IGNORECASE)  # as IEEE asks for
_AVAILABLE = re.compile(  # `- available online @ [citeseerx](address)`, which is the site's name and not a title
    r"(?P<label>(?:[-*+•]\s{1,4})?available)(?:\sonline)?(?:\s(?:@|at|from|via|on|here):?|:)\s(?=\[|https?:)",
    re.IGNORECASE,
)
_PAGES_AS_LABEL = re.compile(  # `Physical Review Letters 124, [177201 (2020)](address)`
    r"\[(?P<pages>\d[\d\s,.:–-]{0,30}\((?:19|20)\d\d\)|\((?:19|20)\d\d\)(?=\]\([^()]{1,2000}\)[_.]{0,2}$))\]"
    r"\((?P<address>https?://[^\s()]{1,2000})\)"
)
_TAG_OF_EXPORT = re.compile(  # as Pandoc writes those of Org
    r"<span class=\"tag\"[^<>]{0,100}>(?P<name>[^<>\s]{1,40})</span>"
)
_DOUBLED = re.compile(r"(?<![\w/=?&.-])https?://(?=https?://)")
_SPACES = re.compile(r" {2,}")


def spell(text: str) -> str:
    """Return the line with all links as `[text](address)`.

    Lines without markup are returned unchanged.
    """
    if "\\" in text:
        text = _unescaped(text)
    if "&" in text and "`" not in text:
        text = _SPACE_ENTITIES.sub(" ", text).replace("&amp;", "&").strip()
    if "<" in text:
        italic = _ITALIC_PARAGRAPH.fullmatch(text)
        text = f"*{italic['words']}*" if italic else _without_tags(text)
    if "[[" in text:
        text = _org_links(text)
    if "](" in text:
        text = _repaired(text)
    return _spell_addresses(text) if "://" in text else text


def _spell_addresses(text: str) -> str:
    """Return the line with its web addresses as links, as other markup and people write them."""
    text = _DOUBLED.sub("", text)
    if "![" in text:
        text = _LIKE_PICTURE.sub("", text)
    if "chrome-ext" in text:
        text = _VIEWER.sub(lambda found: unquote(found["address"]), text)
    if available := _AVAILABLE.match(text):
        text = f"{available['label']}: {text[available.end() :]}"
    if "[" in text:
        text = _other_wikis(_other_markup(text))
    if text.count("](") == 1:
        text = _PAGES_AS_LABEL.sub(r"\g<pages> [link](\g<address>)", text)
    return _entities_read(text) if "&" in text else text


def _unescaped(text: str) -> str:
    if bullet := _ESCAPED_BULLET.match(text):
        text = f"{bullet[1]}{bullet[2]}{text[bullet.end() :]}"
    text = text.replace(r"\&", "&")
    if r"\]" in text and "](" in text:
        text = text.replace(r"\[", "[").replace(r"\]", "]")
    elif r"\[" in text and "](" in text:  # `\[OSDI'20] Title \[[pdf](address)]`
        text = _OPENED.sub("[", text)
    if r"\href{" in text or r"\url{" in text:
        text = _TEX_URL.sub(r" \1 ", _HREF.sub(_link, text))
    return _ADDRESS.sub(lambda found: _ESCAPED_IN_ADDRESS.sub(r"\1", found[0]), text) if "://" in text else text


def _repaired(text: str) -> str:
    """Repair links such as `]({https:…)`, `)[https:…]` and `){:target="_blank"}`.

    The text of a link whose address a template fills in is a quoted name.
    """
    if "]({{" in text:
        text = _FILLED_IN.sub(r'"\g<text>"', text)
    if "]({" in text or "]([" in text or "]( " in text:
        text = _NESTED.sub(r"](\g<address>)", text)
        text = _BRACED.sub(r"](\g<address>)", text)
    text = _WITHOUT_SLASHES.sub(r"](\g<scheme>//", text)
    text = _WITH_SPACES.sub(lambda link: link[0].replace(" ", "%20"), text)
    return _ATTRIBUTES.sub(")", text) if "){" in text else text


def _other_markup(text: str) -> str:
    """Convert links of Hatena (`[address:title]`), Typst (`#link("address")[text]`) and AsciiDoc (`address[text]`)."""
    if "nline]" in text:  # [Online]. Available: address
        text = _ONLINE.sub("", text)
    if ":title" in text or ":bookmark" in text or ":embed" in text:
        text = _HATENA.sub(lambda link: _link(link) if link["text"] else f" {link['address']} ", text)
    if "#" in text and '")[' in text:
        text = _TYPST.sub(_link, _TYPST_STYLE.sub(r"\g<text>", text))
    return _ASCIIDOC.sub(_link, text)


def _other_wikis(text: str) -> str:
    """Convert `(text)[address]`, `([text])(address)`, `[address text]` and `[text|address]`."""
    if "])(" in text:
        text = _IN_BRACKETS.sub(r"[\g<text>]", text)
    if ")[" in text:
        text = _REVERSED.sub(_link, text)
    if "[http" in text:
        text = _WIKI_WEB.sub(_link, text)
    return _WIKI_PIPE.sub(_link, text) if "|http" in text else text


def _entities_read(text: str) -> str:
    return _ADDRESS.sub(lambda found: _ENTITY.sub(lambda entity: html.unescape(entity[0]), found[0]), text)


def _link(match: re.Match[str]) -> str:
    return f"[{match['text'].strip()}]({match['address']})"


def _org_links(text: str) -> str:
    """Convert `[[address][title]]` and `[[address]]`.

    A title may contain brackets: it ends at the last one of a run.
    """
    parts: list[str] = []
    position = 0
    while (start := text.find("[[", position)) >= 0:
        end = text.find("]", start + 2)
        if end < 0:
            break
        target, next_char = text[start + 2 : end].strip(), text[end + 1 : end + 2]
        close = text.find("]]", end + 2) if next_char == "[" else end
        if close < 0:
            break
        if not next_char or next_char not in "[]" or not _is_org_target(target):
            parts.append(text[position : start + 2])
            position = start + 2
            continue
        while next_char == "[" and text[close + 2 : close + 3] == "]":
            close += 1
        parts += [text[position:start], _org_link(target, text[end + 2 : close] if next_char == "[" else "")]
        position = close + 2
    return "".join(parts) + text[position:]


def _is_org_target(target: str) -> bool:
    return _ORG_INTO.match(target) is not None and not _ORG_KEPT.match(target)


def _org_link(target: str, title: str) -> str:
    if not title or title == target:
        return f" {target} " if "://" in target else f"[{target.rpartition('/')[2]}]({target})"
    balanced = title.count("[") == title.count("]") and "][" not in title
    return f"[{title if balanced else title.translate(_BRACKETS)}]({target})"


def _without_tags(text: str) -> str:
    text = _ANGLED.sub(lambda found: "](" + found[1].strip().replace(" ", "%20"), text) if "](" in text else text
    if ">`_" in text:
        text = (_RST if _BEGINS_ITEM.match(text) else _RST_WEB).sub(_link, text)
    if "<http" in text:
        text = _AUTOLINK.sub(r" \1 ", _SLACK.sub(_link, text))
    if ">" not in text:
        return _SPACES.sub(" ", text).strip()
    text = _TAG_OF_EXPORT.sub(r"#\g<name>", text) if "tag" in text else text
    if "*" not in text and ("</em>" in text or "</i>" in text or "</cite>" in text):
        text = _ITALIC_WORDS.sub(r"*\g<words>*", text)
    open_links: list[str] = []
    result = _TAG.sub(lambda tag: _spelled_tag(tag, open_links), text)
    while open_links:
        result += _closing(open_links)
    if "<" in result and not result.startswith("|") and not _OF_TABLES.search(result[:2000]):
        result = _without_blocks(result)
    return _SPACES.sub(" ", result).strip()


def _without_blocks(text: str) -> str:
    """Convert <h2>Name</h2> to ## Name and <li> to a bullet, and remove other block tags."""
    head = _HEAD.fullmatch(text) if "<h" in text[:400].lower() else None
    if head and "<summary" not in text[:400].lower():
        name = _BLOCKS.sub(" ", f"{head['name']} {head['rest']}").strip()
        return f"{'#' * int(head['level'])} {name}" if name else ""
    text = _ITEM.sub("- ", text, count=1) if _ITEM.match(text) else text
    return _without_last_breaks(_BLOCKS.sub(" ", text).strip())


def _without_last_breaks(text: str) -> str:
    """Strip trailing <br> tags from the end: a repeated pattern would take quadratic time."""
    end = len(text)
    while match := _BREAK_LAST.search(text, max(end - _MAX_BREAK_CHARS, 0), end):
        end = match.start()
    return text[:end]


def _spelled_tag(tag: re.Match[str], open_links: list[str]) -> str:
    name = tag["name"].lower()
    if name in _BOLD:
        return "**"
    if name in _LOOKS:
        return ""
    if name == "img":
        attributes = _attributes(tag["rest"])
        return f"![{attributes.get('alt', '').translate(_BRACKETS)}]({attributes.get('src', '')})"
    if name != "a":
        return tag[0]
    if tag["end"]:
        return _closing(open_links) if open_links else ""
    open_links.append(_attributes(tag["rest"]).get("href", ""))
    return "[" if open_links[-1] else ""


def _closing(open_links: list[str]) -> str:
    address = open_links.pop().strip().replace(" ", "%20")
    return f"]({address})" if address else ""


def _attributes(rest: str) -> dict[str, str]:
    return {
        match["name"].lower(): html.unescape(match["a"] or match["b"] or match["c"] or "")
        for match in _ATTRIBUTE.finditer(rest)
    }
