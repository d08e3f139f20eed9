"""Reasons for what a line of notes became, as messages in English. `ingest.imports.reasons` translates them.

Every reason that the parser gives comes from here, so that none is left without a translation.
"""

from readtrack.infra.i18n import N_

# Lines without content of their own.
BLANK = N_("Blank line.")
HIDDEN = N_("HTML comment, ignored.")
USED = N_("A link address used by the text above or below.")
NO_TEXT = N_("No text, only a bullet or symbol.")
CONTENTS = N_("Table of contents, ignored.")
PICTURES = N_("Images such as badges, ignored.")
FOLD_EDGE = N_("Start or end of a collapsible section.")
TABLE_HEADER = N_("Table header.")
TABLE_MARKUP = N_("Table markup.")
TABLE_LEGEND = N_("Legend of the table in lines {first} to {last}.")
TEMPLATE_CODE = N_("Template code, ignored.")
STYLES = N_("Style sheet or script, ignored.")
CHAT_HEAD = N_("Who wrote a message and when, ignored.")
LATEX_MARKUP = N_("LaTeX markup, ignored.")
PROPERTIES = N_("Properties without a paper.")
EXPORT_WITHOUT_PAPERS = N_("This export has no papers.")
FRONT_MATTER = N_("Front matter without a paper.")
OUTLINE_MARKUP = N_("Outline markup.")
LIBRARY_MARKUP = N_("Part of a reference manager's library without an item of its own.")
EMPTY_OUTLINE_ITEM = N_("Outline item without text, ignored.")
BOOKMARK_MARKUP = N_("Bookmark file markup.")
BOOKMARK_FOLDER = N_("“{name}” is a folder of the browser, not a topic.")
BOOKMARK_WITHOUT_ADDRESS = N_("Bookmark without a web address, ignored.")
ORG_SETTING = N_("Org setting, ignored.")
ORG_COMMENT = N_("Org comment, ignored.")
ORG_DRAWER = N_("Org properties and dates, ignored.")
BIBTEX_COMMENT = N_("BibTeX comment, ignored.")
BIBTEX_PREAMBLE = N_("BibTeX preamble, ignored.")
BIBTEX_ABBREVIATION = N_("BibTeX abbreviation, used by the entries.")
BIBTEX_PARENT = N_("BibTeX fields that other entries use, no paper of its own.")
HOW_TO_CITE = N_("How to cite this list, ignored.")

# Headings that are no topics, and remarks.
NO_WORDS = N_("Heading without words, ignored.")
IS_DATE = N_("“{name}” is a date, not a topic.")
IS_VENUE = N_("“{name}” is a venue, not a topic.")
IS_ABOUT_LIST = N_("“{name}” describes the list, not a topic.")
IS_STATUS = N_("“{name}” is a reading status, not a topic.")
NOTE_TITLE = N_("The title of the note, not a topic.")
SECTION_ABOUT_LIST = N_("The section “{name}” is about the list itself, ignored.")
HEADING_IN_NOTES = N_("Heading in the notes on “{paper}”.")
BOLD_LINE = N_("Bold line without entries below.")
FOLD_OF_PAPER = N_("Collapsed section of the paper above.")
NOTE_ON_PAPER = N_("Note on “{paper}”.")
NESTED = N_("Nested under “{text}”.")

# References that name no paper completely.
UNLINKED = N_("Title without an address.")
LINKED = N_("Link to a note, without an address.")
DIARY_ITEM = N_("Item of a diary without an address.")
SECOND_HAND = N_("Description without a title or address.")
NO_PAPER = N_("Table row without an address that is not a paper.")
CITATION_KEY = N_("Citation key “{key}” without a title or address.")
OMITTED_LINK = N_("The link to {host} is left out: it can only be reached from inside a network.")
SEARCH_WITHOUT_TITLE = N_("Search results for “{terms}”, which is not a paper title.")
SEARCH_LIKELY_TITLE = N_("Search results. The query looks like a paper title.")
SEARCH_POSSIBLE_TITLE = N_("Search results. The query may be a paper title.")

# Entries that a person has to look at.
NAMELESS_RECORD = N_("The record has neither a title nor an identifier.")
NAMELESS = N_("The entry has no title or address. Add one.")
NOT_CLOSED = N_("The entry isn't closed. Check its fields.")
PARTLY_READ = N_("Part of the entry can't be read. Check its fields.")
NO_END = N_("The record has no ER line at its end. Check that it is complete.")
KEY_USED_BEFORE = N_("The key “{key}” is already used on line {line}. Is it the same work?")
MALFORMED = N_("The list is truncated or malformed here. Everything above was read.")
AFTER_LIST = N_("This follows the end of the list and was not read.")
UNREAD = N_("This line can't be read because of an internal error. See the log for details.")
SECOND_ADDRESS = N_("The second address under the title “{title}”. Is it the same work?")

# Repeated papers.
ALREADY_ON_LINE = N_("Already on line {line}.")
SAME_AS_LINE = N_("Same as line {line}.")
OTHER_TITLE_ON_LINE = N_("Already on line {line}, but titled “{title}” there. Is one of the links wrong?")
SAME_TITLE_AS_LINE = N_("Same title as line {line}: {there} there, {here} here. Are they the same work?")
