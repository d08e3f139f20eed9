"""Tables with commas, semicolons and tabs: told apart by content, read by the names of their columns."""

from readtrack.ingest import parser
from tests.tables import cases

ARXIV = "https://arxiv.org/abs/2305.15778"


def rows(text):
    return [each for each in parser.parse(text) if each.kind not in {"table", "blank"}]


def spans(text):
    return [(each.first, each.last, each.kind) for each in parser.parse(text)]


@cases(
    "text",
    [
        f"Title,URL\nA Story of Caches,{ARXIV}\n",
        f"title;url;year\nA Story of Caches;{ARXIV};2023\n",
        f"Title\tLink\nA Story of Caches\t{ARXIV}\n",
        f'"Link","Paper Title"\n"{ARXIV}","A Story of Caches"\n',
        f"标题，链接\nA Story of Caches，{ARXIV}\n",
        f"論文名,リンク,状態\nA Story of Caches,{ARXIV},\n",
        "Paper,arXiv ID\nA Story of Caches,2305.15778v2\n",
        "\ufeffName,arXiv\nA Story of Caches,arXiv:2305.15778\n",
        f"A Story of Caches\t{ARXIV}\nAnother Story of Caches\thttps://example.org/b\nThird Story of it\thttps://x.org/c\n",
    ],
    ids=["commas", "semicolons", "tabs", "quotes", "wide", "Japanese", "id", "mark", "no header"],
)
def test_a_table_is_recognised_by_its_header_or_by_a_column_of_urls(text):
    first = rows(text)[0]
    assert (first.kind, first.title, first.identifiers) == ("paper", "A Story of Caches", ("arxiv:2305.15778",))


@cases(
    "text",
    [
        "Caches, pipelines and stories\nare what we read, and talk about\n",
        "The title, url and doi are missing.\n",
        "- title, url\n- one, two\n",
        f"Storage, networks: {ARXIV}\nand more, as before\n",
        "title,url\n",
    ],
)
def test_prose_with_commas_is_not_a_table(text):
    assert not [each for each in parser.parse(text) if each.kind == "table"]


def test_a_quoted_cell_may_contain_delimiters_quotes_and_line_endings():
    text = f'Title,Abstract,URL\n"Caches, ""Ours""","One.\n\nTwo, three.",{ARXIV}\nOther Story,,https://arxiv.org/abs/2401.00134\n'
    first, second = rows(text)
    assert (first.first, first.last, first.title, first.abstract) == (2, 4, 'Caches, "Ours"', "One. Two, three.")
    assert (second.first, second.last, second.title) == (5, 5, "Other Story")


def test_an_unclosed_quotation_mark_consumes_no_other_row():
    text = f'Title,URL\n5" Disks and Caches,{ARXIV}\n' + "Other Story of it,https://arxiv.org/abs/2401.00134\n" * 300
    assert rows(text)[0].last == 2


def test_unquoted_commas_belong_to_the_title():
    (first,) = rows(f"Title,URL,Year\nCaches, Pipelines, Stories,{ARXIV},2023\n")
    assert (first.title, first.year) == ("Caches, Pipelines, Stories", 2023)


def test_exports_of_a_reference_manager_are_read():
    text = (
        "Item Type,Publication Year,Author,Title,Publication Title,DOI,Url,Date,Date Added,Extra,Manual Tags\n"
        'conferencePaper,2023,"Person, A.; Other, B.",A Story,Proc. of X,10.1145/1.2,https://x.org/p,2023-05-16,'
        "2024-01-01,arXiv:2305.15778 [cs],caches; storage\n"
    )
    (paper,) = rows(text)
    assert paper.identifiers == ("doi:10.1145/1.2", "arxiv:2305.15778")
    assert paper.authors == ("A. Person", "B. Other")
    assert (paper.venue, paper.year, paper.published, paper.read_on) == ("Proc. of X", 2023, "2023-05-16", "")
    assert paper.topics == ("caches", "storage")
    assert "https://x.org/p" in [link.url for link in paper.links]


@cases(
    ("cell", "authors"),
    [
        ("Kwon, Woosuk; Li, Zhuohan", ("Woosuk Kwon", "Zhuohan Li")),
        ("Kwon, Woosuk", ("Woosuk Kwon",)),
        ("Woosuk Kwon, Zhuohan Li, et al.", ("Woosuk Kwon", "Zhuohan Li")),
        ("Jeffrey Dean and Sanjay Ghemawat", ("Jeffrey Dean", "Sanjay Ghemawat")),
        ("周孜轩、宁雪妃", ("周孜轩", "宁雪妃")),
        ("Kaiming He 他", ("Kaiming He",)),
        (
            "Bengio, Yoshua and Lodi, Andrea and Prouvost, Antoine.",
            ("Yoshua Bengio", "Andrea Lodi", "Antoine Prouvost"),
        ),
        ("['Yugeng Liu', 'Zheng Li']", ("Yugeng Liu", "Zheng Li")),
        ("B Mildenhall, PP Srinivasan…", ("B Mildenhall", "PP Srinivasan")),
        ("", ()),
    ],
)
def test_authors_are_read_in_any_list_format(cell, authors):
    (paper,) = rows(f'title,url,authors\nA Story of Caches,{ARXIV},"{cell}"\n')
    assert paper.authors == authors


@cases(
    ("column", "cell", "status", "read_on"),
    [
        ("status", "unread", "to_read", ""),
        ("status", "archive", "read", ""),
        ("状态", "已读", "read", ""),
        ("Read?", "x", None, ""),
        ("Read on", "2024-03-02", "read", "2024-03-02"),
        ("読了", "2024/03/02", "read", "2024-03-02"),
        ("time_added", "2024-03-02", None, ""),
        ("Date Added", "2024-03-02", None, ""),
    ],
)
def test_a_status_comes_from_its_column_and_a_saved_date_is_not_a_reading_date(column, cell, status, read_on):
    (paper,) = rows(f"title,url,{column}\nA Story of Caches,{ARXIV},{cell}\n")
    assert (paper.status, paper.read_on, paper.published) == (status, read_on, "")


def test_folders_and_tags_are_topics_and_inboxes_are_not():
    (paper,) = rows(f'title,url,folder,tags\nA Story of Caches,{ARXIV},Systems/Storage,"#caches, Unread"\n')
    assert paper.topics == ("Systems", "Storage", "caches")


def test_a_tag_may_be_a_word_that_heads_the_rest_of_a_list():
    (paper,) = rows(f"title,url,tags\nA Story of Caches,{ARXIV},other\n")
    assert (paper.topics, paper.headings) == (("other",), ())


def test_broad_topics_are_topics_too():
    (paper,) = rows(f"Broad Topic,Subtopic,Title,Link\nStorage,Caches,A Story of Caches,{ARXIV}\n")
    assert paper.topics == ("Storage", "Caches")


def test_an_article_does_not_become_a_paper_because_it_has_a_year():
    found = rows("year,title,url\n2022,A Story of Caches,https://medium.com/@someone/story-91334bc1b227\n")
    assert [each.paper_kind for each in found] == ["article"]


def test_rows_that_are_not_papers_keep_their_kind():
    text = (
        "title,url,type\nA tool,https://github.com/a/b,\nA talk,https://www.youtube.com/watch?v=zjkBMFhNj_g,\n"
        "Some page,https://example.org/a,webpage\nA work,https://example.org/w,conferencePaper\nNamed only,,book\n"
        "Weekly news,,webpage\n"
    )
    kinds = [each["kind"] for each in parser.preview_json(rows(text), "t")]
    assert kinds == ["code", "video", "page", "paper", "paper", "lead"]


def test_values_exported_from_bibtex_lose_their_braces():
    (paper,) = rows(
        '"","author","title","journal","doi"\n"1","A. Person","{Aid Is\n   Not Oil}","{IO}","{10.1017/S1}"\n'
    )
    assert (paper.title, paper.venue, paper.identifiers) == ("Aid Is Not Oil", "IO", ("doi:10.1017/s1",))


def test_a_url_counts_whatever_its_column_is_called():
    found = rows(
        "Method,Title,Year,Source\nx,A Story of Caches,2021,https://www.sciencedirect.com/science/article/pii/S1\n"
    )
    assert (found[0].paper_kind, found[0].venue) == ("paper", "")
    assert found[0].identifiers == ("url:www.sciencedirect.com/science/article/pii/S1",)


def test_a_publisher_is_a_venue_but_its_host_is_not():
    text = f"title,publisher,url\nA Story of Caches,EJOR,{ARXIV}\nOther Story of it,dl.acm.org,https://arxiv.org/abs/2401.00134\n"
    assert [each.venue for each in rows(text)] == ["EJOR", ""]


def test_a_table_ends_where_its_rows_end_and_text_continues():
    text = f"# Papers\n\ntitle,url\nA Story of Caches,{ARXIV}\n\nSome words, as before.\n"
    assert spans(text)[2:] == [(3, 3, "table"), (4, 4, "paper"), (5, 5, "blank"), (6, 6, "snippet")]


def test_columns_without_a_title_are_read_line_by_line():
    found = rows("1\thttps://arxiv.org/abs/2305.15778\n2\thttps://example.org/b\n3\thttps://example.org/c\n")
    assert [(each.title, each.identifiers[0][:4]) for each in found] == [("", "arxi"), ("", "url:"), ("", "url:")]


def test_an_address_in_a_column_without_a_name_identifies_the_row():
    (found,) = rows(f"title,,year\nA Story of Caches,{ARXIV},2020\n")
    assert (found.title, found.identifiers, found.year) == ("A Story of Caches", ("arxiv:2305.15778",), 2020)


def test_a_row_with_nothing_but_code_is_its_code():
    (found, _) = rows("Title,Authors,DOI,Code\nA Story of Caches,Ada,,https://github.com/a/b\nOther,Ada,,\n")
    assert (found.title, found.identifiers) == ("A Story of Caches", ("github:a/b",))


@cases("header", ["Title", "title", "Paper", "タイトル", "标题", "論文名", "\ufeffTitle", '"Title"'])
def test_a_file_with_one_column_of_titles_is_a_table(header):
    found = rows(f'{header}\nA story of caches\n"Orca, a system: its ""users"""\n\nA story, with commas, of disks\n')
    assert [(each.kind, each.title) for each in found] == [
        ("paper", "A story of caches"),
        ("paper", 'Orca, a system: its "users"'),
        ("paper", "A story, with commas, of disks"),
    ]


@cases(
    "text",
    [
        "Paper\nWe met at noon and talked about it.\nThen we left.\n",
        "Title\n\nThis is some prose about things.\n",
        "Notes\nA story of caches\n",
        "Title\n",
    ],
)
def test_prose_below_a_word_is_no_column_of_titles(text):
    assert not [each for each in parser.parse(text) if each.kind in {"table", "paper"}]


@cases(
    ("column", "cell", "topics"),
    [
        ("Topic", "Input/Output", ("Input/Output",)),
        ("Topic", "Storage, distributed", ("Storage, distributed",)),
        ("Topic", "Storage; Caches", ("Storage", "Caches")),
        ("Category", "Storage|Caches", ("Storage", "Caches")),
        ("分野", "推論、学習", ("推論", "学習")),
        ("Tags", "storage, caches", ("storage", "caches")),
        ("Keywords", "I/O, caches; disks", ("I/O", "caches", "disks")),
        ("Topics", "storage, caches", ("storage", "caches")),
        ("Folder", "Systems/Storage", ("Systems", "Storage")),
    ],
)
def test_a_topic_is_split_by_the_separators_of_its_column_only(column, cell, topics):
    (paper,) = rows(f'title,url,{column}\nA Story of Caches,{ARXIV},"{cell}"\n')
    assert paper.topics == topics


@cases(
    ("header", "cells", "venue", "year"),
    [
        ("Title,Where,When", "NSDI,2023", "NSDI", 2023),
        ("Title,Conf,Year", "NSDI,2023", "NSDI", 2023),
        ("Title,Where", "NSDI'23", "NSDI", 2023),
        ("Title,Published", "NSDI 2023", "NSDI", 2023),
        ("Title,Published", "2023-05-16", "", 2023),
        ("论文,会议,年份", "NSDI,2023", "NSDI", 2023),
        ("Title,Year", "NSDI 2023", "NSDI", 2023),
    ],
)
def test_venue_and_year_come_from_columns_of_any_usual_name(header, cells, venue, year):
    (paper,) = rows(f"{header}\nA Story of Caches,{cells}\n")
    assert (paper.venue, paper.year) == (venue, year)


def test_rows_without_header_and_addresses_are_read_beside_a_column_of_venues():
    lines = [
        "Attention is all you need\tVaswani et al.\tNeurIPS 2017",
        "Deep residual learning for image recognition\tHe et al.\tCVPR 2016",
        "Semi-supervised classification with graph networks\tKipf and Welling\tICLR 2017",
    ]
    found = rows("\n".join(lines))
    assert [(each.title, each.venue, each.year) for each in found] == [
        ("Attention is all you need", "NeurIPS", 2017),
        ("Deep residual learning for image recognition", "CVPR", 2016),
        ("Semi-supervised classification with graph networks", "ICLR", 2017),
    ]
    assert found[0].authors == ("Vaswani",)


@cases(
    "text",
    [
        "Title                 Venue  Year\n--------------------  -----  ----\n{}\n",
        "{}\n",
        "what                  at     when\n{}\n",
    ],
    ids=["header and rule", "cells only", "unknown names"],
)
def test_a_table_of_spaces_is_read_by_its_gutters(text):
    cells = "A Story of Caches     OSDI   2006\nTwo Tales of Wires    SOSP   2007\nThe Cache Strikes     NSDI   2008"
    found = [(each.title, each.venue, each.year) for each in rows(text.format(cells))]
    assert found == [
        ("A Story of Caches", "OSDI", 2006),
        ("Two Tales of Wires", "SOSP", 2007),
        ("The Cache Strikes", "NSDI", 2008),
    ]


def test_two_spaces_between_sentences_are_no_column():
    text = (
        "We met at ten.  Then we read on, and\nlater went home.  It was 2006 and we\nread it all.  The end came soon.\n"
    )
    assert not [each for each in parser.parse(text) if each.kind in {"table", "paper"}]


def test_rows_between_may_be_empty_or_name_the_topic_of_those_below():
    rows = (
        "Authors\tYear\tJournal\tTitle\tComments",
        "# Slow rivers\t\t\t\t",
        "Silva et al.\t2012\tJ Fish\tWhy Rivers Are Slow\t",
        "\t\t\t\t",
        "Fast fish\t\t\t\t",
        "Abe\t2013\tJ Fish\tWhy Fish Are Fast\tgood",
    )
    papers = [entry for entry in parser.parse("\n".join(rows)) if entry.kind == "paper"]
    assert [(paper.title, paper.topics, paper.year) for paper in papers] == [
        ("Why Rivers Are Slow", ("Slow rivers",), 2012),
        ("Why Fish Are Fast", ("Fast fish",), 2013),
    ]


@cases(
    "row",
    [
        lambda title, authors, year: (title, authors, year),
        lambda title, authors, year: (authors, title, year),
        lambda title, authors, year: (title, year, authors),
    ],
)
def test_titles_that_look_like_names_are_told_from_authors_by_lists_and_length(row):
    papers = [
        ("Paxos Made Simple", "Leslie Lamport", "2001"),
        ("Raft Made Simple", "Diego Ongaro, John Ousterhout", "2014"),
        ("Spanner Goes Global", "James Corbett and Jeff Dean", "2012"),
        ("Virtual Time Synchrony", "K. Birman", "1987"),
    ]
    found = rows("".join("\t".join(row(*paper)) + "\n" for paper in papers))
    assert [each.title for each in found] == [title for title, _, _ in papers]
    assert found[1].authors == ("Diego Ongaro", "John Ousterhout")
