"""BibTeX in notes: every line in one entry, fields as people write them, broken entries kept."""

import pytest

from readtrack.infra.text.person_names import NameParts, name_parts
from readtrack.ingest import parser
from readtrack.ingest.parser.bibliography.bibtex_entries import read_head
from readtrack.ingest.parser.bibliography.bibtex_names import parse_bibtex_names
from readtrack.ingest.parser.bibliography.work import format_published
from readtrack.ingest.parser.vocabulary.author_names import parse_author_list
from readtrack.metadata.parsing.latex import decode_latex
from tests.growth import LONG, assert_grows_with_its_text, repeat
from tests.tables import cases


def read(text):
    return [entry for entry in parser.parse(text) if entry.kind != "blank"]


def one(fields, kind="article"):
    (entry,) = read(f"@{kind}{{key,\n{fields}\n}}\n")
    return entry


@cases(
    ("fields", "identifiers"),
    [
        ("title={T x y}, eprint={1711.05101v2}, archivePrefix={arXiv}", ("arxiv:1711.05101",)),
        ("title={T x y}, eprint={astro-ph/0405395}", ("arxiv:astro-ph/0405395",)),
        ("title={T x y}, journal={arXiv preprint arXiv:1810.04805}", ("arxiv:1810.04805",)),
        ("title={T x y}, journal={CoRR}, volume={abs/1412.6980}", ("arxiv:1412.6980",)),
        ("title={T x y}, doi={https://doi.org/10.1145/1.2}", ("doi:10.1145/1.2",)),
        (r"title={T x y}, doi={10.1007/978-3\_4}", ("doi:10.1007/978-3_4",)),
        ("title={T x y}, doi={10.48550/arXiv.2305.15778}", ("arxiv:2305.15778",)),
        ("title={T x y}, doi={10.1145/1.2}, eprint={2305.15778}", ("arxiv:2305.15778", "doi:10.1145/1.2")),
        (r"title={T x y}, howpublished={\url{https://arxiv.org/abs/2305.15778}}", ("arxiv:2305.15778",)),
        ("title={T x y}, url={https://www.usenix.org/conference/osdi23/presentation/ren}", ("usenix:osdi23/ren",)),
        ("title={T x y}, url={https://example.org/a}", ("url:example.org/a",)),
        ("title={T x y}, biburl={https://dblp.org/rec/1.bib}", ()),
        ("title={T x y}, file={:home/me/x.pdf:PDF}", ()),
        ("title={T x y}, url={https://github.com/o/r}", ()),
    ],
)
def test_identifier_fields_become_identifiers(fields, identifiers):
    entry = one(fields)
    assert (entry.kind, entry.paper_kind, entry.identifiers) == ("paper", "paper", identifiers)


@cases(
    ("kind", "fields", "paper_kind"),
    [
        ("online", "title={A Post}, url={https://karpathy.github.io/2015/05/21/rnn/}", "article"),
        ("misc", "title={A Post}, url={https://arxiv.org/abs/2305.15778}", "paper"),
        ("misc", "title={A Report}, url={https://example.org/report.pdf}", "paper"),
        ("software", "title={JAX}, url={https://github.com/google/jax}", "code"),
        ("software", "title={CGAL}, url={https://cgal.org}", "code"),
        ("techreport", "title={A Report}, url={https://example.org/report}", "paper"),
    ],
)
def test_the_entry_type_distinguishes_pages_and_code_from_papers(kind, fields, paper_kind):
    assert one(fields, kind).paper_kind == paper_kind


@cases(
    ("written", "plain"),
    [
        (r"{BERT}: Pre-training of {Deep} Models", "BERT: Pre-training of Deep Models"),
        (r"Erd{\H{o}}s and R\'enyi, G{\"o}del, Fran\c{c}ois, \v{C}ern\'y", "Erdős and Rényi, Gödel, François, Černý"),
        (r"Stra{\ss}e, {\O}re, {\L}ukasz, na{\"\i}ve", "Straße, Øre, Łukasz, naïve"),
        (r"Tux{\texttwosuperior}: {\em Fast} \emph{and} \textbf{Free}", "Tux²: Fast and Free"),
        (r"R\&D: 100\% of \#1, a\_b, pages 1--2 --- ``so''", "R&D: 100% of #1, a_b, pages 1–2 — “so”"),
        (r"An $O(n \log n / \alpha_{i})$ Bound", r"An $O(n \log n / \alpha_{i})$ Bound"),
        (r"\mu-law and \alpha{}-stable at ~10x", "μ-law and α-stable at ~10x"),
        (r"The \LaTeX{} Companion", "The LaTeX Companion"),
        (r"\href{https://example.org}{Here} it is", "Here it is"),
        ("broken {\\", "broken \\"),
    ],
)
def test_latex_becomes_plain_text_and_math_stays(written, plain):
    assert decode_latex(written, lone_braces=False) == plain


@cases(
    ("written", "names"),
    [
        ("Vaswani, Ashish and Shazeer, Noam and others", ("Ashish Vaswani", "Noam Shazeer")),
        ("Diederik P. Kingma and\n  Jimmy Ba", ("Diederik P. Kingma", "Jimmy Ba")),
        ("Ford, Jr., Henry and van der Aalst, W.", ("Henry Ford Jr.", "W. van der Aalst")),
        ("李, 航 and 王伟 and 山田, 太郎", ("李航", "王伟", "山田太郎")),
        ("{Barnes and Noble} and {OpenAI} and Del Balso, Mike", ("Barnes and Noble", "OpenAI", "Mike Del Balso")),
        ("Mike {Del Balso} AND {\\'E}va Lang", ("Mike Del Balso", "Éva Lang")),
        ("{Meta Platforms, Inc.} and {unclosed, A", ("Meta Platforms, Inc.", "A unclosed")),
        ("", ()),
    ],
)
def test_authors_are_joined_by_and(written, names):
    assert parse_bibtex_names(written) == names


@cases(
    ("written", "names"),
    [
        ("Tri Dao, Daniel Y. Fu and Chris Ré", ("Tri Dao", "Daniel Y. Fu", "Chris Ré")),
        ("Fang, Y., Zhang, H., & Ji, W.", ("Y. Fang", "H. Zhang", "W. Ji")),
        ("Dao, Tri; Fu, Daniel", ("Tri Dao", "Daniel Fu")),
        ("Kwon et al.", ("Kwon",)),
        ("Mehrdad Niknami (UC Berkeley)", ("Mehrdad Niknami",)),
        ("Fang, Y., and Ji, W.", ("Y. Fang", "W. Ji")),
        ("de Silva, Ana; Ito, K.", ("Ana de Silva", "K. Ito")),
    ],
)
def test_authors_are_listed_in_running_text(written, names):
    assert parse_author_list(written) == names


@cases(
    ("date", "month", "day", "iso"),
    [
        ("2023", "", "", "2023"),
        ("2023", "jul", "", "2023-07"),
        ("2023", "July", "", "2023-07"),
        ("2023", "7", "16", "2023-07-16"),
        ("2023", "16~may", "", "2023-05-16"),
        ("2023-05-16", "", "", "2023-05-16"),
        ("2023-05/2023-06", "", "", "2023-05"),
        ("2023", "13", "", "2023"),
        ("in press", "", "", ""),
        ("", "may", "", ""),
    ],
)
def test_dates_are_as_precise_as_the_entry(date, month, day, iso):
    assert format_published(date, month, day) == iso


def test_venue_topics_status_rating_and_abstract_are_imported():
    entry = one(
        "title={A Title of Words}, booktitle={OSDI}, keywords={caches; storage, read}, groups={Serving},\n"
        "ranking={rank4}, abstract={It is {fast}.}, note={Look at fig. 2}"
    )
    assert (entry.venue, entry.topics, entry.status) == ("OSDI", ("caches", "storage", "Serving"), "read")
    assert (entry.rating, entry.abstract, entry.text) == ("⭐⭐⭐⭐", "It is fast.", "Look at fig. 2")


def test_abbreviations_and_concatenated_values_are_expanded():
    text = (
        '@string{nips = "Neural Information"}\n'
        '@article{k, title = {A Fine Title}, journal = nips # " 30", month = "16~" # may, year = 2017}\n'
    )
    entry = read(text)[-1]
    assert (entry.venue, entry.published) == ("Neural Information 30", "2017-05-16")


def test_every_line_of_a_bibliography_is_in_one_entry():
    text = (
        '% Encoding: UTF-8\n@preamble{"x"}\n\nWords between.\n'
        "@article{a,\n title = {One Two Three},\n% odd\n year = 2001\n}\n"
        "@techreport(b,\n title = {Four Five Six},\n)\n@comment{jabref-meta: x;}\n@Comment unbracketed\n"
    )
    spans = [(entry.kind, entry.first, entry.last) for entry in parser.parse(text)]
    assert spans == [
        ("junk", 1, 1),
        ("junk", 2, 3),
        (spans[2][0], 4, 4),
        ("paper", 5, 9),
        ("paper", 10, 12),
        ("junk", 13, 13),
        ("junk", 14, 14),
    ]


def test_an_unclosed_entry_is_kept_for_review():
    text = (
        "@article{a,\n  title = {One Two Three},\n  doi = {10.1145/1.2}\n\n@article{b,\n  title = {Four Five Six}\n}\n"
    )
    first, second = read(text)
    assert (first.first, first.last, first.decision, first.identifiers) == (1, 4, "review", ("doi:10.1145/1.2",))
    assert "isn't closed" in first.reason
    assert (second.title, second.decision) == ("Four Five Six", "add")


def test_a_duplicate_key_is_flagged_for_review():
    first, second = read("@article{a, title={One Two Three}, year=1}\n@article{a, title={Four Five Six}, year=2}\n")
    assert (first.decision, second.decision) == ("add", "review")
    assert "line 1" in second.reason


def test_an_entry_without_title_and_url_is_an_unresolved_reference():
    entry = one("author={A. Nobody}, year={2001}")
    assert (entry.kind, entry.decision, entry.authors) == ("lead", "review", ("A. Nobody",))


@pytest.mark.parametrize("fence", ["```", "```bibtex", "~~~bib"])
def test_entries_in_a_code_fence_are_read_including_the_fence_lines(fence):
    text = f"# Reading\n\n{fence}\n@article{{a,\n title={{One Two Three}},\n doi={{10.1145/1.2}}\n}}\n\n{fence[:3]}\n"
    entry = read(text)[-1]
    assert (entry.kind, entry.first, entry.last, entry.identifiers) == ("paper", 3, 9, ("doi:10.1145/1.2",))


@cases(
    "above", ["## Citation", "## How to cite", "If you find this list useful, please cite:", "## 引用", "### Citing us"]
)
def test_how_to_cite_this_list_is_noise(above):
    text = (
        f"# Awesome Things\n\n{above}\n\n```bibtex\n"
        f"@misc{{me2024, title={{Awesome Things}}, url={{https://arxiv.org/abs/2401.00001}}}}\n```\n"
    )
    assert not [entry for entry in parser.parse(text) if entry.identifiers]


@cases("text", ["@karpathy (Andrej) says so\n", "@media (max-width: 600px) {\n", "@foo{bar\n", "@article\n"])
def test_other_lines_starting_with_an_at_sign_are_not_entries(text):
    assert not [entry for entry in parser.parse(text) if entry.kind == "paper"]


@cases(
    "text_of",
    [
        repeat("@article{a, title={", "{", "\n" * 50),
        repeat("@article{a,\n" + "x = {y},\n" * 60, "x = {y},\n"),  # what follows 60 lines is no part of the entry
        repeat("", "@article{\n"),
        repeat('@article{a, title="', '"{'),
        repeat("", "@string{a = b # "),
    ],
    ids=["braces", "fields", "beginnings", "quotes", "strings"],
)
def test_hostile_bibliographies_are_parsed_in_linear_time(text_of):
    assert_grows_with_its_text(parser.parse, text_of)
    entries = [entry for entry in parser.parse(text_of(LONG)) if entry.part == 1]
    assert sum(entry.last - entry.first + 1 for entry in entries) == len(text_of(LONG).splitlines())


@cases(
    ("fields", "identifier"),
    [
        ("title={T x y}, eprint={https://example.org/p.pdf}", "url:example.org/p.pdf"),
        ("title={T x y}, arxiv={2305.15778}", "arxiv:2305.15778"),
    ],
)
def test_a_field_for_the_archive_may_hold_an_address_or_a_bare_id(fields, identifier):
    assert one(fields).identifiers == (identifier,)


def test_a_value_whose_quote_is_never_closed_is_kept_for_review():
    (entry,) = read('@article{a, title="Never closed')
    assert (entry.title, entry.decision) == ("Never closed", "review")


@cases(
    ("raw", "head"),
    [
        ("@Article{key:1,\n title = {One, Two}}", ("article", "key:1")),
        ("  @book (\n  key2 ,", ("book", "key2")),
        ('@string{osdi = "OSDI"}', ("string", "")),
        ("@misc{alone}", ("misc", "")),
        ("Words.", ("", "")),
    ],
)
def test_the_type_and_key_of_an_entry_are_read_without_its_fields(raw, head):
    assert read_head(raw) == head


@cases(
    ("fields", "paper_kind"),
    [
        ("title={A Story}, author={A Person}, year={2020}, url={https://foo.example.org/story}", "paper"),
        ("title={A Story}, url={https://foo.example.org/story}", "page"),
        ("title={A Story}, author={A Person}, year={2020}, url={https://github.com/a/b}", "code"),
    ],
)
def test_a_page_with_author_title_and_year_is_a_paper(fields, paper_kind):
    (entry,) = read(f"@misc{{a, {fields}}}")
    assert entry.paper_kind == paper_kind


@cases(
    ("fields", "identifiers", "text"),
    [
        ("url={www2.example.org/a/story}", ("url:www2.example.org/a/story",), ""),
        ("url={ftp://old.example.org/story.ps}", (), "ftp://old.example.org/story.ps"),
        ("eprint={12345}, eprinttype={jstor}", ("url:www.jstor.org/stable/12345",), ""),
    ],
)
def test_an_unusual_address_is_kept(fields, identifiers, text):
    (entry,) = read(f"@article{{a, title={{A Story of Words}}, author={{A Person}}, year={{2020}}, {fields}}}")
    assert (entry.title, entry.identifiers, entry.text) == ("A Story of Words", identifiers, text)


def test_a_record_with_an_internal_address_keeps_its_fields():
    (entry,) = read("@misc{a, title={A Story}, author={A Person}, year={2020}, url={http://wiki.corp.internal/story}}")
    assert (entry.kind, entry.title, entry.authors, entry.year) == ("paper", "A Story", ("A Person",), 2020)
    assert (entry.links, "wiki.corp.internal" in entry.reason) == ((), True)


def test_blank_lines_below_a_record_are_kept_with_it():
    (entry,) = parser.parse("@article{a, title = {Caches for Engines}, year = 2020}\n \n\n")
    assert (entry.first, entry.last) == (1, 3)
    assert entry.raw.endswith("}\n \n")


def test_comments_in_capitals_or_between_rules_head_the_entries_below():
    comments = ("% NUCLEAR PHYSICS", "% a remark", "%% Attention models %%", "% TODO CHECK", "% --- Misc ---")
    text = "".join(f"{line}\n@book{{k{n}, title={{Book {n} of Many}}}}\n" for n, line in enumerate(comments))
    assert [entry.topics for entry in parser.parse(text) if entry.kind == "paper"] == [
        ("NUCLEAR PHYSICS",),
        ("NUCLEAR PHYSICS",),
        ("Attention models",),
        ("Attention models",),
        (),
    ]


@cases(
    "comment",
    [
        "%% Created for Ada Lovelace",
        "%% Not sure about the year",
        "% - Added by hand",
        "% IMPORTANT",
        "% READ THIS",
        "% --- Generated by Zotero ---",
    ],
)
def test_other_comments_head_nothing(comment):
    assert read(f"{comment}\n@book{{k, title={{A Book of Many}}}}\n")[-1].topics == ()


def test_a_comment_between_rules_heads_the_entries_below():
    rule = "% " + "-" * 40
    text = f"{rule}\n% 3. Finger Strength & Biomechanics\n{rule}\n\n@book{{k, title={{A Book of Many}}}}\n"
    assert read(text)[-1].topics == ("Finger Strength & Biomechanics",)


@cases("line", ["%\\cite{Aad:2012tfa}", "%15,000 citations counted in INSPIRE as of 28 Nov 2026"])
def test_what_inspire_writes_around_each_entry_is_no_request_to_cite(line):
    text = f"{line}\n@article{{Aad:2012tfa, title={{A Story of Caches}}}}\n"
    assert [(entry.kind, entry.title) for entry in parser.parse(text) if entry.title] == [
        ("paper", "A Story of Caches")
    ]


def test_a_key_between_a_comment_and_its_entry_changes_nothing():
    entry = "%\\cite{k}\n@book{k, title={A Book of Many}}\n"
    assert read(f"% NUCLEAR PHYSICS\n{entry}")[-1].topics == ("NUCLEAR PHYSICS",)
    assert not [one for one in parser.parse(f"% If you use this code, please cite:\n{entry}") if one.kind == "paper"]


def test_dois_with_angle_brackets_are_whole_and_tell_articles_of_an_issue_apart():
    issue = "10.1002/(SICI)1097-4571(199806)49:8"
    rest = ("<693::AID-ASI4>3.0.CO;2-O", "<712::AID-ASI5>3.0.CO;2-X")
    text = "".join(
        f"@article{{a{n}, title={{An article of the issue}}, doi={{{issue}{end}}}}}\n" for n, end in enumerate(rest)
    )
    assert [each.identifiers for each in parser.parse(text) if each.kind in {"paper", "mention"}] == [
        (f"doi:{issue}{end}".lower(),) for end in rest
    ]


PARENTS = [
    "@proceedings{pp, title={Proceedings of the Storage Days}, year={2020}, publisher={ACM}, doi={10.1145/1.2}}\n",
    "@xdata{xd, journaltitle={Journal of Storage}, date={2019-03}, crossref={none}}\n",
    "@book{bk, title={The Book of Caches}, author={Roe, Jane}, year={2001}, doi={10.1145/3.4}}\n",
]
CHILDREN = [
    "@inproceedings{a, title={A Title of Words}, author={Roe, Jane}, crossref={PP}}\n",
    "@article{b, title={Another Title of Words}, author={Roe, Jane}, xdata={xd, more}, month={feb}, year={2018}}\n",
    "@inbook{c, title={One Chapter of Words}, crossref={bk}}\n",
]


@pytest.mark.parametrize("entries", [[*PARENTS, *CHILDREN], [*CHILDREN, *PARENTS]])
@pytest.mark.parametrize("frame", ["{}", "# Works\n\n```bibtex\n{}```\n"])
def test_an_entry_takes_the_fields_that_it_lacks_from_its_parents(entries, frame):
    found = {
        entry.citation_key: entry for entry in read(frame.replace("{}", "".join(entries))) if entry.kind == "paper"
    }
    assert found.keys() == {"a", "b", "c", "bk"}  # no volume, and no mere fields
    assert [
        (entry.venue, entry.published, entry.authors, entry.identifiers) for key, entry in sorted(found.items())
    ] == [
        ("Proceedings of the Storage Days", "2020", ("Jane Roe",), ()),
        ("Journal of Storage", "2018-02", ("Jane Roe",), ()),
        ("", "2001", ("Jane Roe",), ("doi:10.1145/3.4",)),
        ("The Book of Caches", "2001", ("Jane Roe",), ()),
    ]


def test_a_volume_that_no_entry_names_is_a_work_and_parents_may_name_each_other():
    (volume,) = read(PARENTS[0])
    assert (volume.kind, volume.title) == ("paper", "Proceedings of the Storage Days")
    circle = "@book{x, title={A Title of Words}, crossref={y}}\n@book{y, title={Other Words Here}, crossref={x}}\n"
    assert [entry.title for entry in read(circle)] == ["A Title of Words", "Other Words Here"]


def test_names_in_named_parts_are_read():
    field = (
        "family=Maaten, given=Laurens, prefix=van der, useprefix=true and given={Jane}, family=Roe, suffix=Jr."
        ' and "family={Foo, Bar}, given=Bo" and family=山田, given=太郎 and Abe, Ken'
    )
    names = parse_bibtex_names(field)
    assert names == ("Laurens van der Maaten", "Jane Roe Jr.", "Bo Foo, Bar", "山田太郎", "Ken Abe")
    assert [name_parts(name) for name in names[:3]] == [
        NameParts("Maaten", "Laurens", "van der"),
        NameParts("Roe", "Jane", suffix="Jr."),
        NameParts("Foo, Bar", "Bo"),
    ]
