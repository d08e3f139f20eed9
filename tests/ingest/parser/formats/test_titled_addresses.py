"""A title above several addresses: which of them it names, and what becomes of the others."""

from readtrack.ingest import parser
from tests.tables import cases

TITLE = "A Story of Caches and Clouds"
PAPER, PREPRINT = "https://www.usenix.org/conference/osdi22/presentation/yu", "https://arxiv.org/abs/2305.15778"
VIDEO, CODE, SLIDES = "https://youtu.be/5ZlavKF_98U", "https://github.com/a/b", "https://speakerdeck.com/a/caches"
POST = "https://blog.example.org/posts/caches"


@cases(
    ("addresses", "titled"),
    [
        ((VIDEO, PREPRINT), "arxiv:2305.15778"),
        ((CODE, PREPRINT), "arxiv:2305.15778"),
        ((PREPRINT, PAPER), "usenix:osdi22/yu"),
        ((PREPRINT, VIDEO), "arxiv:2305.15778"),
        ((SLIDES, VIDEO, CODE, PAPER), "usenix:osdi22/yu"),
        ((VIDEO, CODE), "github:a/b"),
        ((SLIDES, VIDEO), "youtube:5ZlavKF_98U"),
        ((POST, PREPRINT), "url:blog.example.org/posts/caches"),
    ],
)
def test_the_title_names_the_paper_before_its_preprint_code_video_and_slides(addresses, titled):
    entries = parser.parse("\n".join([TITLE, *addresses]))
    assert [each.identifiers[0] for each in entries if each.title == TITLE] == [titled]
    assert sum(parser.tally(entries).values()) == 1 + len(addresses)
    found = {link.url for each in entries for link in each.links}
    assert len(found) == len(addresses)


def test_a_video_above_or_below_the_paper_is_one_of_its_links():
    for addresses in ((VIDEO, PREPRINT), (PREPRINT, VIDEO)):
        (entry,) = parser.parse("\n".join([TITLE, *addresses]))
        assert {link.role for link in entry.links} == {"video", "landing"}


@cases(
    "text",
    [
        "- {title}\n  {video}\n  {paper}\n",
        "- {title}\n  - {video}\n  - {paper}\n",
        "- {title}\n{video}\n{paper}\n",
        "1. {title}\n{paper}\n{video}\n",
    ],
)
def test_items_choose_among_their_addresses_as_titles_do(text):
    (entry,) = parser.parse(text.format(title=TITLE, video=VIDEO, paper=PREPRINT))
    assert (entry.title, entry.identifiers) == (TITLE, ("arxiv:2305.15778",))
    assert {link.role for link in entry.links} == {"video", "landing"}


@cases(
    "text",
    [
        "{title} | Nature\n{address}",
        ">{title} | Nature\n[{address}]({address})",
        "> {title} | Nature\n> <{address}>",
        "[{address}]({address}) | {title} | Nature",
        "7. [{address}]({address}) | {title} | Nature",
        "{title} | Nature\n[www.nature.com/articles/nature16961]({address})",
    ],
)
def test_an_address_as_text_of_its_own_link_is_read_as_the_bare_address(text):
    (entry,) = parser.parse(text.format(title=TITLE, address="https://www.nature.com/articles/nature16961"))
    assert (entry.title, entry.identifiers, entry.venue) == (TITLE, ("doi:10.1038/nature16961",), "Nature")


def test_a_title_above_its_address_keeps_it_below_other_titles():
    above = "Ada Lovelace, Ken Abe. Agreeing on Caches: Combining Wires and Rules. EMNLP2015.\n\n"
    entries = parser.parse(
        f"{above}Addressing a Complete Cache by Combining Statistical Methods\nhttps://a.org/sub.pdf\n"
    )
    (paper,) = (entry for entry in entries if entry.identifiers)
    assert (paper.title, paper.first) == ("Addressing a Complete Cache by Combining Statistical Methods", 3)
    titles = [
        "Attention is all you need",
        "BERT: pre-training of deep transformers",
        "Deep residual learning for images",
    ]
    run = "\n".join([*titles, "https://arxiv.org/abs/1310.4546"])
    assert [(entry.title, bool(entry.identifiers)) for entry in parser.parse(run)] == [
        (titles[0], False),
        (titles[1], False),
        (titles[2], True),
    ]


def test_a_list_below_a_quoted_title_is_notes_on_it():
    text = (
        "# \n> Actin cables organize networks in mitosis | Nature\n[https://arxiv.org/abs/2103.05309](https://arxiv.org/abs/2103.05309)\n\n"
        "- 体細胞分裂時に細胞内小器官を娘細胞に均等に分配する機構\n- (1) 皮質下におけるアクチンメッシュワーク\n\n"
        "# \n> Biological networks with singular Jacobians | bioRxiv\nhttps://arxiv.org/abs/2103.01433\n"
    )
    assert [(entry.kind, entry.title) for entry in parser.parse(text) if entry.kind in {"paper", "lead", "topic"}] == [
        ("paper", "Actin cables organize networks in mitosis"),
        ("paper", "Biological networks with singular Jacobians"),
    ]


@cases(
    ("behind", "venue"),
    [
        ("Development | The Company of Biologists", "Development"),
        ("Bioinformatics | Oxford Academic", "Bioinformatics"),
    ],
)
def test_a_journal_before_its_publisher_is_the_venue_even_if_it_is_a_subject(behind, venue):
    (paper,) = parser.parse(f"> Patterns of a multi-morphogen system | {behind}\nhttps://arxiv.org/abs/2103.01433\n")
    assert (paper.title, paper.venue) == ("Patterns of a multi-morphogen system", venue)


def test_other_forms_below_a_quoted_title_stay_works():
    quoted = "> {} | Nature\nhttps://arxiv.org/abs/2103.0{}\n\n"
    text = (
        quoted.format("Actin cables organize networks", 5309)
        + quoted.format("Biological networks with Jacobians", 1433)
        + "@article{b, title={Decay of nuclei}, year={1951}, author={Mayer, M.}}\n\n"
        + "Densely Connected Convolutional Networks for Vision\nMask Regions for Instance Segmentation\n"
        + "A Method for Stochastic Optimization\n"
    )
    assert sum(entry.kind == "paper" for entry in parser.parse(text)) == 6
    later = "To read next.\n\n- Adam: A Method for Stochastic Optimization\n- Dropout: A Way to Prevent Overfitting\n"
    text = quoted.format("Actin cables organize networks", 5309) + quoted.format("Biological networks", 1433) + later
    assert sum(entry.kind == "paper" for entry in parser.parse(text)) == 4
