"""Journals, theses and meetings that a text names as a whole, with or without a year, volume or pages behind."""

import re

from readtrack.infra.text.titles.dates import MONTHS
from readtrack.infra.text.titles.vocabulary import CJK_LETTERS, words_of

_JOURNALS = frozenset(
    name.casefold()
    for name in words_of("""
PLoS ONE | PLOS Biology | PLoS Computational Biology | PLOS Genetics | PLOS Medicine | eLife | The Lancet | Lancet
New England Journal of Medicine | NEJM | JAMA | BMJ | Annals of Statistics | The Annals of Statistics | Biometrika
Science Advances | Science Robotics | Science Translational Medicine | Science Signaling | Science Immunology
Developmental Cell | Cancer Cell | Cell Stem Cell | Cell Metabolism | Cell Host & Microbe | Cell Research | Immunity
Nucleic Acids Research | Bioinformatics | Briefings in Bioinformatics | BMC Bioinformatics | Genome Research
Genome Biology | Neuron | NeuroImage | Genetics | Current Biology | Molecular Cell | Cell Reports | Cell Systems
iScience | Scientific Reports | Nature Communications | Nature Methods | Nature Genetics | Nature Neuroscience
Nature Medicine | Nature Biotechnology | Nature Physics | Nature Materials | Nature Machine Intelligence
Proc Natl Acad Sci | Proceedings of the National Academy of Sciences | Physical Review | Physical Review Letters
Phys. Rev. Lett. | PRL | Physical Review A | Physical Review B | Physical Review D | Physical Review E
Physical Review X | Physical Review Research | Physical Review Applied | Physical Review Fluids
Physical Review Materials | PRX Quantum | PRX Energy | PRX Life | Reviews of Modern Physics | JHEP | MNRAS | PRD
ApJ | ApJL | The Astrophysical Journal
Astrophysical Journal | Astronomy & Astrophysics | Astronomy and Astrophysics | JCAP | JACS | Angewandte Chemie
Chemical Reviews | Chemical Science | ACS Nano | Nano Letters | Advanced Materials | Journal of Chemical Physics
Econometrica | American Economic Review | AER | Quarterly Journal of Economics | QJE | Journal of Political Economy
JPE | Review of Economic Studies | REStud | Review of Economics and Statistics | Journal of Finance
Journal of Financial Economics | Review of Financial Studies | NBER | NBER Working Paper | Management Science
Operations Research | Marketing Science | Organization Science | Strategic Management Journal | MIS Quarterly
Information Systems Research | American Political Science Review | American Sociological Review
Psychological Science | Psychological Review | Psychological Bulletin | Cognition | Cognitive Science
Behavioral and Brain Sciences | Trends in Cognitive Sciences | Neural Computation | Neural Networks | Neurocomputing
Machine Learning | Artificial Intelligence | Pattern Recognition | Pattern Recognition Letters | Information Sciences
Information Fusion | Knowledge-Based Systems | Expert Systems with Applications | Applied Soft Computing
Medical Image Analysis | Speech Communication | Signal Processing | Computer Networks | Computers & Security
Computers in Human Behavior | Automatica | Remote Sensing | Remote Sensing of Environment | Sensors | Heliyon
Water Resources Research | Geophysical Research Letters | Optics Express | Optics Letters | Applied Optics
Communications of the ACM | ACM Computing Surveys | Computing Surveys | Proceedings of the IEEE | SIAM Review
Harvard Business Review | Scientific American | Distill | Computational Linguistics | Information and Computation
Theoretical Computer Science | Autonomous Robots | Soft Matter | Langmuir | Ecology | Ecology Letters | Evolution
American Naturalist | The American Naturalist | Molecular Biology and Evolution | Annual Review of Psychology
IACR ePrint | Cryptology ePrint Archive | ePrint | SSRN | PsyArXiv | ChemRxiv | HAL | Research Square | OSF
Lecture Notes in Computer Science | LNCS | Technical Report | TechReport | Tech Report | White Paper | F1000Research
PeerJ | GigaScience | Frontiers in Neuroscience | ISPRS | TITS | T-ITS | T-IV | TIV | RAL | IJRR | JFR | TASLP | TGRS
GRSL | TCYB | TEVC | TFS | TSP | SPL | TIM | IoTJ | TWC | TCOM | TIT | TSC | TCC | TBD | TVT | JBHI | TMI | MedIA
TBME | One Earth | Joule | Matter | Chem | Structure | Cell Death & Differentiation | Science of the Total Environment
Global Change Biology | Global Ecology and Biogeography | Ecological Applications | Ecological Monographs | Ecography
Oikos | Oecologia | Ecosphere | Ecosystems | Biogeosciences | Biogeochemistry | New Phytologist | Plant Physiology
The Plant Cell | Plant Cell | The Plant Journal | Tree Physiology | Functional Ecology | Conservation Biology
Biological Conservation | Biological Reviews | Methods in Ecology and Evolution | Forest Ecology and Management
Agricultural and Forest Meteorology | Environmental Science & Technology | Water Research | Climate Dynamics
Climatic Change | Earth System Science Data | Geoscientific Model Development | Geophysical Journal International
Earth and Planetary Science Letters | Atmospheric Chemistry and Physics | Hydrology and Earth System Sciences
Quaternary Science Reviews | Cryosphere | The Cryosphere | Icarus | Space Science Reviews | EMBO Reports
The EMBO Journal | Genes & Development | Genome Medicine | Human Molecular Genetics | PLOS Pathogens
PLOS Neglected Tropical Diseases | Systematic Biology | Evolutionary Applications | Molecular Ecology | Heredity
Molecular Systems Biology | Cell Reports Medicine | Cell Genomics | Cell Chemical Biology | Development | Blood
Circulation | Gut | Chest | Thorax | Brain | Cortex | Stroke | Neurology | Pediatrics | Radiology | Diabetes Care
Annals of Internal Medicine | JAMA Internal Medicine | Clinical Infectious Diseases | Cancer Research | Cancer
Cancer Discovery | Oncogene | Hepatology | Gastroenterology | Sleep | Pain | Vaccine | Epidemiology | Biostatistics
Statistics in Medicine | Biometrics | Technometrics | Statistical Science | The American Statistician | Bernoulli
Sociological Methodology | Political Analysis | Political Studies | Political Behavior | Party Politics
World Politics | World Development | International Security | International Organization | Foreign Affairs
International Affairs | International Studies Quarterly | Comparative Political Studies | Comparative Politics
PS: Political Science and Politics | Perspectives on Politics | Politics & Society | Governance | Democratization
Public Choice | Public Opinion Quarterly | Social Forces | Social Networks | Social Problems | Social Research
Theory and Society | Sociological Theory | Gender & Society | Demography | Population and Development Review
Current Anthropology | American Ethnologist | American Anthropologist | American Antiquity | Antiquity | Urban Studies
Progress in Human Geography | Environment and Planning A | Social Studies of Science | Research Policy
Scientometrics | Economic Journal | The Economic Journal | European Economic Review | Games and Economic Behavior
Economics Letters | Experimental Economics | Economic Policy | Brookings Papers on Economic Activity
Oxford Economic Papers | The Review of Financial Studies | The Journal of Finance | The Quarterly Journal of Economics
Financial Analysts Journal | Academy of Management Review | Academy of Management Journal
Administrative Science Quarterly | Decision Support Systems | Child Development | Developmental Science
Developmental Psychology | Emotion | Memory & Cognition | Mind & Language | Perspectives on Psychological Science
Psychological Methods | Psychometrika | Behavior Research Methods | Personality and Social Psychology Bulletin
American Psychologist | Trends in Neurosciences | Cerebral Cortex | Progress in Neurobiology | Hippocampus
Psychoneuroendocrinology | Language | Lingua | Linguistic Inquiry | Glossa | Natural Language & Linguistic Theory
Language Learning | Applied Linguistics | Cognitive Linguistics | TESOL Quarterly | Mind | Noûs | Synthese
Erkenntnis | Ethics | Philosophy of Science | Philosophical Studies | The Philosophical Review | Critical Inquiry
Past & Present | Isis | Computers & Education | Educational Researcher | Review of Educational Research
Learning and Instruction | Harvard Law Review | Yale Law Journal | Inventiones Mathematicae | Annals of Mathematics
Communications in Mathematical Physics | New Journal of Physics | Classical and Quantum Gravity | Europhysics Letters
Living Reviews in Relativity | Quantum | Accounts of Chemical Research | Chemical Communications | Inorganic Chemistry
Organic Letters | Chemistry of Materials | Macromolecules | Acta Materialia | Biomaterials | Small | Advanced Science
Advanced Functional Materials | Energy & Environmental Science | Applied Energy | Renewable Energy | Fuel | Carbon
Composite Structures | Physics of Fluids | Physica D | Chaos | Nonlinear Dynamics | Systems & Control Letters
Transportation Science | Networks | Interfaces | Omega | Human Factors | Ergonomics | Applied Ergonomics
Interacting with Computers | Nature Sustainability | National Science Review | Science China | The ISME Journal
ISME Journal | mBio | Microbiome | Studies in History and Philosophy of Science
Bulletin of the American Mathematical Society | Mathematische Annalen | ICDAR | DAS | ICFHR | FG | BTAS | IJCB | ICB
ITW | ISIT | ICLP | ICFP | ESOP | VMCAI | FMCAD | CONCUR | STACS | LATA
""")
)  # fmt: skip
# Subjects of study as well: a journal only with a year, volume or pages behind.
_SUBJECTS = frozenset(
    name.casefold()
    for name in words_of("""
Genetics | Cognition | Cognitive Science | Neural Computation | Neural Networks | Machine Learning | Sensors | Neuron
Artificial Intelligence | Pattern Recognition | Information Sciences | Information Fusion | Knowledge-Based Systems
Speech Communication | Signal Processing | Computer Networks | Computers & Security | Computers in Human Behavior
Remote Sensing | Operations Research | Management Science | Marketing Science | Organization Science | Bioinformatics
Computational Linguistics | Theoretical Computer Science | Information and Computation | Autonomous Robots
Soft Matter | Ecology | Evolution | Chemical Science | Advanced Materials | Medical Image Analysis
Applied Soft Computing | Structure | Matter | Development | Blood | Circulation | Gut | Chest | Brain | Stroke
Neurology | Pediatrics | Radiology | Cancer | Sleep | Pain | Vaccine | Epidemiology | Governance | Democratization
Demography | Emotion | Language | Mind | Ethics | Quantum | Small | Carbon | Fuel | Chaos | Networks | Interfaces
Omega | Human Factors | Ergonomics | Ecosystems | Interacting with Computers | Social Networks | Renewable Energy
Cognitive Linguistics | Applied Linguistics | Nonlinear Dynamics | Philosophy of Science | Climatic Change
World Politics | Comparative Politics | Language Learning | Functional Ecology | Conservation Biology
Molecular Ecology | Urban Studies | Inorganic Chemistry | Biometrics | Heredity | Child Development | Public Choice
Social Problems | Applied Energy | Macromolecules | Biomaterials | Microbiome | International Security
World Development | Developmental Psychology | Statistical Science | Hippocampus | Applied Optics
Information Systems Research | Technical Report | Tech Report | White Paper | Distill
""")
)  # fmt: skip
_COMMON_WORDS = frozenset({"nature", "science", "cell"})
# Behind a journal in the title of a page: `The Title | Development | The Company of Biologists`.
_PUBLISHERS = frozenset(
    name.casefold()
    for name in words_of("""
Oxford Academic | The Company of Biologists | Cambridge Core | SpringerLink | Springer | AAAS | Wiley Online Library
ACS Publications | The Royal Society | Royal Society Publishing | MIT Press | Taylor & Francis | Elsevier | JSTOR
Annual Reviews | Annual Reviews Inc. | Sage Journals | SAGE Publications | BMJ Journals | RSC Publishing | IOPscience
""")
)  # fmt: skip
_WORD = r"(?:[A-Z][\w'’&.-]*|of|the|on|in|and|for|&|[:–-])"
_SHORTENED = r"(?:[A-Z][a-z]{1,7}\.|Commun|Rev|Lett|Chem|Phys|Biol|Methods|Genet|Neurosci|Acad|Sci|Soc|Mech|Econ)"
_NAMED = re.compile(
    # `Journal of Looms`, `The International Journal of Looms`, `Annals of Looms`
    r"(?:(?:The\s)?(?:(?:International|European|American|British|Canadian|Asian|Annual|Philosophical)\s)?"
    r"(?:Journal|Annals|Transactions|Trans\.|Bulletin|Reviews?|Letters|Archives|Communications|Frontiers|Acta|Advances|Trends|"
    r"Foundations and Trends|"
    rf"Proceedings|Proc\.|Notices|Annual Reviews?)\s(?:of|on|in)(?:\s{_WORD}){{1,12}}|"
    # `Loom Letters`, `IEEE Looms`, `Nature Looms`, `American Loom Review`
    rf"(?:{_WORD}\s){{1,8}}(?:Journal|Letters|Lett\.|Quarterly|Transactions|Magazine|Bulletin|Proceedings)|"
    rf"(?:IEEE|ACM)(?:/[A-Z]+)?\s{_WORD}(?:\s{_WORD}){{0,10}}|"
    rf"(?:Nature|BMC|PLO?S|npj|JAMA|Lancet|The Lancet)(?:\s{_WORD}){{1,5}}|"
    r"(?:The\s)?(?:American|European|British|Canadian|Australian|Asian|African|Scandinavian|International|Annual|Harvard|"
    rf"Oxford)\s(?:{_WORD}\s){{1,5}}(?:Reviews?|Studies|Affairs|Archives|Research)|"
    # `PhD thesis, University of Looms`
    r"(?:(?i:ph\.?\s?d\.?|master'?s?|doctoral|bachelor'?s?|msc)\s(?i:thesis|dissertation))"
    r"(?:,?\s(?:at\s)?[A-Z][\w ]{2,60})?|"
    # `J. Loom. Eng.`, `Phys. Rev. Lett.`
    r"(?:(?:(?:IEEE|ACM)\s)?(?:J|Trans)\.?\s(?=.{0,40}[a-z]{2}\.)|"
    r"(?:Phys|Proc|Ann|Annu|Rev|Comput|Chem|Biol|Nat|Sci|Am|Int|Adv|Mol|Appl|Opt|Astron)\.?\s)"
    rf"(?:{_SHORTENED}|[A-Z]{{1,2}}\.?)(?:\s(?:{_SHORTENED}|[A-Z][a-z]{{1,12}}|[A-Z]{{1,4}}|&|of|in)){{0,6}})"
)
_CJK_NAMED = re.compile(
    rf"[{CJK_LETTERS}A-Za-z\d\s・ー（）()]{{1,40}}(?:学会|學會|論文誌|论文集|論文集|学报|學報|学刊|全国大会|大会|研究会|シンポジウム|"
    r"年会|紀要|学位论文|硕士论文|博士论文|碩士論文|修士論文|博士論文|卒業論文|ジャーナル|会议|會議|国際会議|予稿集|논문지|학회)(?:誌|志)?"
)
_BEHIND = re.compile(
    r"\s?['’]\d\d(?!\d).{0,60}|"
    r"[\s,，(（]{1,3}(?:(?:vol|no|volume|issue|pp?|pages|第)\.?\s?\d|\(?\d{1,4}\s?(?:\(|:|,\s?\d|$)|(?:19|20)\d\d|['’]\d\d).{0,60}",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<![\d.:/-])(?:19[5-9]|20[0-4])\d(?![\d/]|[:.]\d)")
_IN = re.compile(r"^(?:[Ii]n:?|@|at|To appear in|Published in|Appeared in|Accepted (?:at|by|to))\s(?:the\s)?(?=[A-Z])")
_ISSUE_FIRST = re.compile(r"(?P<issue>[A-Z][^()]{3,60}\d[^()]{0,20}\((?:19|20)\d\d\))\s[-–—|]\s(?=\S+\s\S)")
_JOURNAL_LAST = re.compile(
    r"(?P<title>\S+(?:\s\S+){2,60}?)(?:\s[-–—|]|:|(?P<stop>(?<=\w\w)\.[”\"]?))\s(?P<journal>[A-Z][^|:]{3,60}?)\.?"
)
_SAYS_SO = re.compile(
    r"(?:(?:The|International|Philosophical)\s)?(?:Journal|Annals|Transactions|Proceedings)\s(?:of|on|in)\s"
)
_MIN_WORDS = 3
_YEAR_LAST = re.compile(  # `The Title, Stat Comput (2018) 28:219–237`, `The Title, Pattern Recognition(2021)`
    rf",\s(?P<journal>[A-Z][\w.&’'-]*(?:\s{_WORD}){{0,8}}?)(?:,?\s|(?=\())\(?(?P<year>(?:19|20)\d\d)\)?"
    r"(?P<volume>[\s,;:]{1,2}\d{1,4}(?:\s?\(\d{1,3}\))?\s?[:,]\s?\d{1,5}\s?[-–]\s?\d{1,5})?\.?$"
)
_VOLUME_LAST = re.compile(r"\s\d{1,4}(?:\s?\(\d{1,3}\))?\s?[,:]\s?e?\d{1,5}(?:\s?[-–]\s?\d{1,5})?$")
_GOES_ON = re.compile(r"\s(?:of|in|on|for|from|and|&|the|a|an|as|to)\s$", re.IGNORECASE)  # The Laws of Nature 3, 10-20
_MAX_WORDS = 6
_OF_SUBJECTS = re.compile(  # Computers & Operational Research, Encyclopedia of Language & Linguistics
    r"[^.]+\s&\s[^.]*(?:Research|Sciences?|Studies|Engineering|Education|Medicine|Society|[a-z]{3}ics|ology)"
)
_OF_PERSONS = re.compile(r"\b[A-Z]\.|\sand\s|\s(?:Jr|Sr)\b|\w{4}\.\s")
_FULL_TEXT = re.compile(  # `Sensors | Free Full-Text | The Title`
    r"(?!PMC|PubMed)(?P<journal>[A-Z][\w&,: -]{2,60}) \| (?:Free )?Full-Text(?: HTML)? \| (?P<title>\S.*)",
    re.IGNORECASE,
)
_EDGE_CHARS = 160
_ENDS_DATED = frozenset("0123456789).")
_EDGES = " ,，.:：()（）-–"


def take_journal(title: str) -> tuple[str, str, int | None]:
    """Split the journal from the title of a web page: title, journal and year. "" and None if there is none.

    Examples: `Phys. Rev. X 11, 011009 (2021) - The Title`, `The Title | Science Advances`, `The Title: Cell Journal`.
    """
    before = _ISSUE_FIRST.match(title)
    if before and (journal := named_journal(before["issue"])):
        return title[before.end() :], *journal
    if full_text := _FULL_TEXT.fullmatch(title):
        return full_text["title"], full_text["journal"], None
    if " | " in title:  # `The Title | Subject | Journal | Publisher`
        words, *others = title.split(" | ")
        journals = (journal for other in others if (journal := _named_on_page(other, others[-1])))
        if len(words.split()) >= _MIN_WORDS and (found := next(journals, None)):
            return words, *found
    behind = _JOURNAL_LAST.fullmatch(title)
    if behind is None or (behind["stop"] and not _is_sure(behind["journal"])):
        return title, "", None
    if (journal := named_journal(behind["journal"])) and not is_subject(journal[0]):
        return behind["title"].lstrip('“"'), *journal
    return title, "", None


def take_dated_journal(title: str) -> tuple[str, str, int | None] | None:
    """Split journal and year from `The Title, Stat Comput (2018) 28:219–237`; None where it may be a person or subject.

    A volume with pages and a name that is known tell that it is a journal. A name that is known needs no year and no
    comma: `The Title Molecular Cell 73, 1127-1137`.
    """
    if volume := _VOLUME_LAST.search(title, max(0, len(title) - _EDGE_CHARS)) if title[-1:].isdigit() else None:
        words = title[: volume.start()].split(" ")
        names = (" ".join(words[-count:]) for count in range(min(_MAX_WORDS, len(words) - _MIN_WORDS), 0, -1))
        name = next((name for name in names if name[0].isupper() and is_journal_name(name)), "")
        before = title[: volume.start() - len(name)]
        if name and not _GOES_ON.search(before):
            return before.rstrip(" ,."), name, None
    last = _YEAR_LAST.search(title, max(0, len(title) - _EDGE_CHARS)) if title[-1:] in _ENDS_DATED else None
    is_month = last is not None and last["journal"].casefold().rstrip(".") in MONTHS
    if last is None or is_month or len(title[: last.start()].split()) < _MIN_WORDS:
        return None
    name = last["journal"]
    is_sure = bool(last["volume"] and not _OF_PERSONS.search(name)) or is_journal_name(name)
    is_sure = is_sure or _OF_SUBJECTS.fullmatch(name) is not None
    return (title[: last.start()], name, int(last["year"])) if is_sure else None


def _named_on_page(name: str, last: str) -> tuple[str, int | None] | None:
    """Return the journal of a part of a page's title; a subject only before a publisher, the `last` part."""
    if name.casefold() in _SUBJECTS:
        return (name, None) if last.casefold() in _PUBLISHERS else None
    return named_journal(name)


def _is_sure(name: str) -> bool:
    """Return True for a journal that is known or says so, as behind a full stop, where a title may go on."""
    return name.casefold() in _JOURNALS or _SAYS_SO.match(name) is not None


def is_subject(name: str) -> bool:
    """Return True for a journal whose name is also a subject of study or a single word: `Language`, `Cancer`."""
    return " " not in name or name.casefold() in _SUBJECTS


def is_journal_name(name: str) -> bool:
    """Return True for the name of a journal where only one can stand, also if it is a common word: `Nature`."""
    folded = name.casefold()
    return folded in _COMMON_WORDS or folded in _JOURNALS or _NAMED.fullmatch(name) is not None


def named_journal(text: str) -> tuple[str, int | None] | None:
    """Return the name and the year if a text is only that; None for other texts, and for what may be a subject."""
    text = _IN.sub("", text, count=1)
    behind = _BEHIND.search(text)
    name = (text[: behind.start()] if behind else text).strip(_EDGES)
    if behind is None and name.casefold() in _SUBJECTS:
        return None
    years = set(_YEAR.findall(behind[0])) if behind else set()
    if not (name.casefold() in _JOURNALS or _NAMED.fullmatch(name) or _CJK_NAMED.fullmatch(name)):
        return None
    return name, int(years.pop()) if len(years) == 1 else None
