"""References taken apart: which words are the title, which the authors, and what remains; names and roles of links."""

from readtrack.ingest.parser.citations.parse_citation import parse_citation
from readtrack.ingest.parser.citations.venue import find_venue
from readtrack.ingest.parser.items.link_roles import role_from_label
from readtrack.ingest.parser.vocabulary.author_names import names_in
from readtrack.ingest.parser.vocabulary.title_affixes import take_head
from tests.tables import cases


@cases(
    ("words", "title", "authors", "rest"),
    [
        ("**A Story of Caches.** *Ada Lovelace et al. arXiv.*", "A Story of Caches", ("Ada Lovelace",), "arXiv"),
        ("A Story of Caches. *Ada Lovelace et al.* OSDI", "A Story of Caches", ("Ada Lovelace",), "OSDI"),
        ("**Story**: a Tale of Caches, ", "Story: a Tale of Caches", (), ""),
        ("The **primacy bias** in caches, ", "The primacy bias in caches", (), ""),
        (
            "*Wired Caches*, Ada Lovelace, Charles Babbage, 2016",
            "Wired Caches",
            ("Ada Lovelace", "Charles Babbage"),
            "2016",
        ),
        (
            "Лавлейс А., Бэббидж Ч. О кэшах // Вестник машин. — 1943. — Т. 3",
            "О кэшах",
            ("Лавлейс А.", "Бэббидж Ч."),
            "In Вестник машин, 1943, Т. 3",
        ),
        (
            "Lovelace A. A story of caches : thesis / A. Lovelace ; Engine University. — 1943. — 12 p",
            "A story of caches",
            ("Lovelace A.",),
            "thesis / A. Lovelace ; Engine University, 1943, 12 p",
        ),
        ("Lovelace A. B. (1998). *The cache of wires.* ACM", "The cache of wires", ("Lovelace A. B.",), "ACM 1998"),
        (
            "A. B. Lovelace: *Wired Caches* (Engine Press, 1943)",
            "Wired Caches",
            ("A. B. Lovelace",),
            "(Engine Press, 1943)",
        ),
        (
            "A. Lovelace and C. Babbage: Wired robust caches. *Foundations of Caches*, 4 (1943), 1-243",
            "Wired robust caches",
            ("A. Lovelace", "C. Babbage"),
            "Foundations of Caches, 4 (1943), 1-243",
        ),
        (
            "Lovelace, A., Rossion, B., & Babbage, C. (1943). The cache of wires. Engines, 2(1), 3-9",
            "The cache of wires",
            ("Lovelace, A.", "Rossion, B.", "Babbage, C."),
            "Engines, 2(1), 3-9 1943",
        ),
        ("J. Dean and S. Ghemawat. A Story of Caches. OSDI", "A Story of Caches", ("J. Dean", "S. Ghemawat"), "OSDI"),
        ("Lovelace, A. (1998). *The cache of wires*. ACM", "The cache of wires", ("Lovelace, A.",), "ACM 1998"),
        ('K. He, X. Zhang, "A Story of Caches," in CVPR', "A Story of Caches", ("K. He", "X. Zhang"), "in CVPR"),
        ('"Why Should I Trust You?": A Story of Caches', '"Why Should I Trust You?": A Story of Caches', (), ""),
        ("Simple, Fast, and Adorable Wire Caches", "Simple, Fast, and Adorable Wire Caches", (), ""),
        ("Does a Cache Need Wires? The Case Against", "Does a Cache Need Wires? The Case Against", (), ""),
        ("Fast vs. Slow Caches", "Fast vs. Slow Caches", (), ""),
        ("Learning by Caching", "Learning by Caching", (), ""),
        (
            "A Story of Caches by Ada Lovelace, Charles Babbage",
            "A Story of Caches",
            ("Ada Lovelace", "Charles Babbage"),
            "",
        ),
        (
            "A Story of Caches - Ada Lovelace, Charles Babbage",
            "A Story of Caches",
            ("Ada Lovelace", "Charles Babbage"),
            "",
        ),
        ("A Story of Caches - a survey", "A Story of Caches - a survey", (), ""),
        ("A Story of Caches | UCB", "A Story of Caches", (), "UCB"),
        ("[A Story of Caches]", "A Story of Caches", (), ""),
        ("缓存综述。作者讨论了很多", "缓存综述", (), "作者讨论了很多"),
        ("A Story of Caches? *Some Words*", "A Story of Caches?", (), "Some Words"),
        (
            "Why Wires? Ada Lovelace, Charles Babbage. *Proc. of Wires*",
            "Why Wires?",
            ("Ada Lovelace", "Charles Babbage"),
            "Proc. of Wires",
        ),
        ("*OSDI*", "OSDI", (), ""),
        ("A Story of Caches ***code available***", "A Story of Caches", (), "code available"),
        ("_Wired Caches_ - Lovelace", "Wired Caches", ("Lovelace",), ""),
        ("_Wired Caches_ - Ada Lovelace: a slow start", "Wired Caches", ("Ada Lovelace",), "a slow start"),
        (
            "織田 花子.(2011). 織機の評価に与える影響. 織機学会誌, 3",
            "織機の評価に与える影響",
            ("織田 花子",),
            "織機学会誌, 3 2011",
        ),
        (
            "von Babbage M, Lovelace P, van de Silva R, et al. Quiet looms: Diagnostic criteria. J Looms. 2015;25:105",
            "Quiet looms: Diagnostic criteria",
            ("von Babbage M", "Lovelace P", "van de Silva R"),
            "J Looms. 2015;25:105",
        ),
        ("Frankenstein (1818) Mary Shelley", "Frankenstein (1818) Mary Shelley", (), ""),
        (
            "Ada Lovelace, Charles Babbage - A Story of Caches",
            "A Story of Caches",
            ("Ada Lovelace", "Charles Babbage"),
            "",
        ),
        (
            "Lovelace, Ada & Van Dam, Charles J. & Abe, Ken. (2012). BOARD: A Story of Caches. Wires. 39. 1-9.",
            "BOARD: A Story of Caches",
            ("Ada Lovelace", "Charles J. Van Dam", "Ken Abe"),
            "Wires. 39. 1-9. 2012",
        ),
    ],
)
def test_a_reference_is_split_into_its_parts(words, title, authors, rest):
    found = parse_citation(words)
    assert (found.title, found.authors, found.remainder) == (title, authors, rest)


@cases(
    ("text", "names"),
    [
        ("Ada Lovelace, Charles Babbage and Alan Turing", ("Ada Lovelace", "Charles Babbage", "Alan Turing")),
        ("Lovelace et al.", ("Lovelace",)),
        ("Dean, J., & Ghemawat, S.", ("Dean, J.", "Ghemawat, S.")),
        ("张三, 李四", ("张三", "李四")),
        ("Jean-Pierre McDonald, Anna van der Berg", ("Jean-Pierre McDonald", "Anna van der Berg")),
        ("S. F. Ch'ng, T.-T. Do", ("S. F. Ch'ng", "T.-T. Do")),
        ("Maria D'agostino, Barbara Jones", ("Maria D'agostino", "Barbara Jones")),
        ("You're Wrong, Don't Stop", ()),
        ("L'algorithme Paxos, C'est Moi", ()),
        ("Deep Learning, Neural Networks", ()),
        ("Ada Lovelace", ()),
        ("NeurIPS, ICML", ()),
        ("", ()),
    ],
)
def test_names_are_distinguished_from_other_words(text, names):
    assert names_in(text) == names


@cases(
    ("text", "rest", "venue", "published"),
    [
        ("[2023/07] A Story", "A Story", "", "2023-07"),
        ("arXiv 2023.10, A Story", "A Story", "arXiv", "2023-10"),
        ("ICLR 2024, Spotlight. A Story", "A Story", "ICLR", ""),
        ("Science Robotics 2022, A Story", "A Story", "Science Robotics", ""),
        ("1987, A Story", "A Story", "", "1987"),
        ("19-NSDI-A Story", "A Story", "NSDI", ""),
        ("(22 SP)A Story", "A Story", "SP", ""),
        ("['17 USENIX] A Story", "A Story", "USENIX", ""),
        ("(16 GB) A Story", "(16 GB) A Story", "", ""),
        ("(12 MAR) A Story", "(12 MAR) A Story", "", ""),
        ("ASPLOS / A Story", "A Story", "ASPLOS", ""),
        ("`Story` - A Tale", "Story - A Tale", "", ""),
        ("[12] 🔥 A Story OSDI'22", "A Story", "OSDI", ""),
        ("A Story of Caches OSDI2022", "A Story of Caches", "OSDI", ""),
        ("A Model for CoNLL2003", "A Model for CoNLL2003", "", ""),
        ("[Some Conf 2020] A Story", "A Story", "Some Conf", ""),
        ("[PAI]", "[PAI]", "", ""),
        ("A Story (due 2025-03-01)", "A Story", "", ""),
        ("A Story 📅 2025-03-01", "A Story", "", ""),
        ("A Story, 2025-03-01", "A Story", "", "2025-03-01"),
        ("2019.ISCA-46.2BP1.A Story", "A Story", "ISCA", ""),
        ("Story(2).2016.SP.The Second Story", "The Second Story", "SP", ""),
        ("2003.Tagged Story", "Tagged Story", "", "2003"),
        ("``ACM 2011`` ``Engines`` A Story", "A Story", "ACM", ""),
        ("A Story (journal)", "A Story", "", ""),
        ("A Story (PhD thesis)", "A Story", "", ""),
        ("3D Gaussian Splatting", "3D Gaussian Splatting", "", ""),
        ("*Ada Lovelace. IEEE(RAL)*", "*Ada Lovelace. IEEE(RAL)*", "", ""),
    ],
)
def test_text_around_a_title_is_removed(text, rest, venue, published):
    head = take_head(text)
    assert (head.title, head.venue, head.published) == (rest, venue, published)


@cases(
    ("label", "role"),
    [
        ("Paper", "own"),
        ("link to paper", "own"),
        ("arXiv'23", "own"),
        ("2305.15778", "own"),
        ("https://arxiv.org/abs/2305.15778", "own"),
        ("", "own"),
        (":scroll:", "own"),
        ("pdf: NIPS 2013", "own"),
        ("こちら", "own"),
        ("Official Code", "code"),
        ("PyTorch code", "code"),
        ("代码", "code"),
        ("slides", "slides"),
        ("talk video", "video"),
        ("知乎", "commentary"),
        ("Project Page", "landing"),
        ("A Story of Caches", ""),
        ("Megatron-LM", ""),
    ],
)
def test_a_link_text_is_a_generic_label_or_a_name(label, role):
    assert role_from_label(label) == role


@cases("text", ["A Story of Caches (`Wired`)", "A Story of Caches (**Wired**)", "[Wired] A Story of Caches"])
def test_a_short_name_beside_a_title_is_a_tag(text):
    head = take_head(text)
    assert (head.title, head.tags) == ("A Story of Caches", ("Wired",))


@cases(
    ("reference", "title", "venue", "year"),
    [
        (
            "Vaswani, A., & Parmar, N. (2017). Attention is all you need. Advances in NIPS, 30.",
            "Attention is all you need",
            "Advances in NIPS",
            2017,
        ),
        (
            "Lamport, L. (1978). Time, clocks, and events. Communications of the ACM, 21(7), 558–565.",
            "Time, clocks, and events",
            "Communications of the ACM",
            1978,
        ),
        (
            'A. Vaswani and N. Parmar, "Attention is all you need," in Proc. NeurIPS, 2017, pp. 5998-6008.',
            "Attention is all you need",
            "NeurIPS",
            2017,
        ),
        (
            'L. Lamport, "Time, clocks, and events," Commun. ACM, vol. 21, no. 7, pp. 558–565, Jul. 1978.',
            "Time, clocks, and events",
            "Commun. ACM",
            1978,
        ),
        (
            "J. Dean and S. Ghemawat. 2004. MapReduce on Clusters. In 6th Symposium on Systems (OSDI 04). USENIX.",
            "MapReduce on Clusters",
            "OSDI",
            2004,
        ),
        (
            'Abe K. & Silva S., "The story of law: quiet courts", 34(2) Comp. L. & Loom Rev. 234, 2018.',
            "The story of law: quiet courts",
            "Comp. L. & Loom Rev.",
            2018,
        ),
        ("He K, Zhang X, Sun J. Deep residual learning. CVPR 2016.", "Deep residual learning", "CVPR", 2016),
        (
            "Silver D, Huang A, et al. Mastering the game of Go. Nature. 2016;529(7587):484-489.",
            "Mastering the game of Go",
            "Nature",
            2016,
        ),
        (
            "LeCun, Y., Bengio, Y. & Hinton, G. Deep learning. Nature 521, 436–444 (2015).",
            "Deep learning",
            "Nature",
            2015,
        ),
        (
            "Kaplan, J. et al. Scaling laws for models. arXiv preprint arXiv:2001.08361 (2020).",
            "Scaling laws for models",
            "arXiv",
            2020,
        ),
        (
            "Brown, T. B. et al. (2020) Few-shot learners of language. arXiv:2005.14165.",
            "Few-shot learners of language",
            "arXiv",
            2020,
        ),
        ("He et al. (2016). **Deep residual learning**. CVPR. Well written.", "Deep residual learning", "CVPR", 2016),
        (
            "Lamport, L. (1978). Time, clocks, and events. In *Proceedings of SOSP*.",
            "Time, clocks, and events",
            "SOSP",
            1978,
        ),
        ("K. He, X. Zhang, and J. Sun: Deep residual learning. CVPR (2016)", "Deep residual learning", "CVPR", 2016),
        ("Corbettら（2012）『Spanner: a global database』OSDI。時計の誤差", "Spanner: a global database", "OSDI", 2012),
        ("Kipf T N, Welling M. Graph networks[C]//ICLR. 2017: 1-14.", "Graph networks", "ICLR", 2017),
        (
            "吴博, 梁循, 等. 图神经网络前沿进展［J］．计算机学报，2022，45（1）：35-68．",
            "图神经网络前沿进展",
            "计算机学报",
            2022,
        ),
        ("OpenAI T. A story[EB/OL]. (2018-10-11)[2023-05-01]. https://example.org/a.", "A story", "", 2018),
        (
            "Dwork, C. and Roth, A. (2014) 'A user’s privacy', Oakland, pp. 1-9 (Accessed: 3 May 2023).",
            "A user’s privacy",
            "Oakland",
            2014,
        ),
        (
            "Gray, J.: Notes on data. In: Operating Systems. LNCS, vol. 60. Springer (1978)",
            "Notes on data",
            "Operating Systems",
            1978,
        ),
        (
            "佐藤一郎, 山田次郎, 鈴木花子: 分散合意の評価, 情報処理学会論文誌, Vol. 65 (2024).",
            "分散合意の評価",
            "情報処理学会論文誌",
            2024,
        ),
        (
            'J. S. Bell, "On the paradox," Physics Physique Fizika, vol. 1, pp. 195-200, 1964.',
            "On the paradox",
            "Physics Physique Fizika",
            1964,
        ),
        (
            "Gish W, States DJ. (1993) A story of two caches. Nat Genet. 3(3):266-272.",
            "A story of two caches",
            "Nat Genet",
            1993,
        ),
        ("A. Lovelace et al., *Cachet*, ICML, 2020.", "Cachet", "ICML", 2020),
        ("A. Lovelace, *A story of two caches*, CLSR, 2013.", "A story of two caches", "CLSR", 2013),
        (
            "Ada Lovelace, *A story of two caches*, Acta Wires, 33(1):69-97, 1996.",
            "A story of two caches",
            "Acta Wires",
            1996,
        ),
        ("AdaMae Lovelace, Ken Abe, *A story of two caches*, OSDI, 1996.", "A story of two caches", "OSDI", 1996),
        ("Lovelace, A. *A story of two caches. Quiet Press, 2013*.", "A story of two caches", "Quiet Press", 2013),
        (
            "**Paper 4.** Lovelace, A., Abe, K. and Silva, M., 2016. A story of caches. Bioinformatics, 32(9), pp.1-9.",
            "A story of caches",
            "Bioinformatics",
            2016,
        ),
        ("Lovelace A, Abe KM, Silva M *et al.* A story of caches. OSDI 2016.", "A story of caches", "OSDI", 2016),
        (
            'Ada K. Lovelace, 1976. "Caches and Their Wires" Econometrica',
            "Caches and Their Wires",
            "Econometrica",
            1976,
        ),
        (
            'Ada K. Lovelace, 1976. "Caches at Sea" Oxford Economic Papers',
            "Caches at Sea",
            "Oxford Economic Papers",
            1976,
        ),
        ("Lovelace (1970) Caches and Wires", "Caches and Wires", "", 1970),
        ("Lovelace and Babbage (1976) The Cache Market (Chapters 1-3)", "The Cache Market", "", 1976),
        ('Lovelace, Ada & Abe, Ken M, 1976. "Caches and Their Wires" OSDI', "Caches and Their Wires", "OSDI", 1976),
        ('Lovelace, Ada, Jr, 1976. "Caches and Their Wires" OSDI', "Caches and Their Wires", "OSDI", 1976),
        ('Ada K. Lovelace, 1976. "Caches and Their Wires" OSDI', "Caches and Their Wires", "OSDI", 1976),
        (
            "A story of caches, by Ada Lovelace and Ken Abe. 24th OSDI, pages 2-9, May 2015.",
            "A story of caches",
            "OSDI",
            2015,
        ),
        (
            "Lovelace, A. (1991). Quiet Journal. **A story of two caches**. 94-104.",
            "A story of two caches",
            "Quiet Journal",
            1991,
        ),
    ],
)
def test_a_reference_gives_its_title_venue_and_year(reference, title, venue, year):
    citation = parse_citation(reference)
    assert (citation.title, *find_venue(citation.remainder)) == (title, venue, year)
    assert citation.authors


@cases("remainder", ["", "a remark on it", "see page 12", "good, and short", "1-12"])
def test_a_remark_is_no_venue(remainder):
    assert find_venue(remainder) == ("", None)


LAW = "Custers B., Dechesne F. & van der Hof S."


@cases(
    ("reference", "title", "authors"),
    [
        (f'{LAW}, "A comparison of data laws", 34 Comp. L. & Sec. Rev. 2, 2018.', "A comparison of data laws",
         ("Custers B.", "Dechesne F.", "van der Hof S")),
        ('James Clark and Alexandra, "Brexit: key impacts", 19(1) Privacy, 2018', "Brexit: key impacts",
         ("James Clark", "Alexandra")),
        ('Van der Hof, Simone. "I Agree, or Do I", 34 Wis. L. J., 2016.', "I Agree, or Do I", ("Van der Hof, Simone",)),
        ('Smith D., "Will it be an "adequate" destination?", 102 Privacy News, 2019',
         'Will it be an "adequate" destination?', ("Smith D",)),
    ],
)  # fmt: skip
def test_names_of_any_form_stand_before_a_quoted_title_journal_and_year(reference, title, authors):
    citation = parse_citation(reference)
    assert (citation.title, citation.authors) == (title, authors)


@cases(
    "sentence",
    [
        'The Book, "Brexit: key impacts", was nice in 2018.',
        'TODO. "Deep Residual Learning for Images", CVPR, 2016',
        'Session A. "Deep Residual Learning for Images", CVPR, 2016',
        'World Health Organization, "Deep Residual Learning for Images", Geneva, 2021',
        'Today we read, "Brexit: key impacts", 19(1) Privacy, 2018',
    ],
)
def test_a_sentence_with_a_quoted_title_has_no_authors(sentence):
    assert parse_citation(sentence).authors == ()
