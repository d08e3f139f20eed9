"""Names of journals, to tell an article from a conference paper where only the venue is known."""

import re

from readtrack.infra.text.titles.vocabulary import words_of

_SAYS_SO = re.compile(
    r"\b(?:journal|transactions|trans|letters|magazine|reviews?|communications|annals|quarterly|bulletin|archives|"
    r"newsletter|vldb|pvldb|cacm|jmlr|tmlr|tpds|tocs|tods)\b|"
    r"^(?:nature|science|plos|bmc|npj|cell|jama|(?:the )?lancet|acta|advances in|frontiers in|trends in)\b|"
    r"^proc(?:eedings|\.) of the (?:ieee|national academy|royal society|acm on|vldb)\b|"
    r"^ieee (?:access|computer|design & test|internet computing|intelligent systems|micro|network|pervasive computing|"
    r"security & privacy|software|spectrum)$|"
    r"\b(?:news|osr)$|"
    r"(?:学报|學報|[论論]文[志誌]|[学學]?会[志誌]|紀要|[杂雜雑][志誌]|通讯|月刊|季刊)(?=$|[\s\d(（,，:：第])",
    re.IGNORECASE,
)
_MEETING = re.compile(r"\b(?:conference|conf|symposium|workshop|congress|meeting)\b", re.IGNORECASE)
_ISSUE = re.compile(r"(?<![\s,;])[\s,;]{1,20}(?:\(|vol\b|\d).*", re.IGNORECASE)
_JOURNALS = frozenset(
    name.casefold()
    for name in words_of("""
eLife | PNAS | NEJM | BMJ | Bioinformatics | Genome Biology | Genome Research | Genetics | Neuron | NeuroImage
Immunity | Nucleic Acids Research | Current Biology | Molecular Cell | iScience | Scientific Reports | Biometrika
Biometrics | Biostatistics | Technometrics | Statistical Science | Epidemiology | Cognition | Cognitive Science
Psychometrika | Psychological Science | Behavioral and Brain Sciences | Econometrica | Management Science
Marketing Science | Operations Research | Organization Science | Information Systems Research
Theoretical Economics | Research Policy
Scientometrics | Synthese | Mind | Isis | Inventiones Mathematicae | Mathematische Annalen | Mathematical Programming
Mathematics of Computation | Mathematics of Operations Research | Bernoulli | Chaos | Physica D | Quantum | Automatica
Artificial Intelligence | Machine Learning | Neural Computation | Neural Networks | Neurocomputing | Pattern Recognition
Computational Linguistics | Information and Computation | Information Sciences | Information Fusion
Information Systems | Knowledge-Based Systems | Expert Systems with Applications | Applied Soft Computing
Medical Image Analysis | Computer Networks | Computers & Security | Computers & Education | Computers in Human Behavior
Computer Speech & Language | Speech Communication | Signal Processing | Image and Vision Computing | Autonomous Robots
Sensors | Remote Sensing | Theoretical Computer Science | Algorithmica | Combinatorica | Distributed Computing
Parallel Computing | Performance Evaluation | Future Generation Computer Systems | Software: Practice and Experience
Real-Time Systems | Computing Surveys | ACM Computing Surveys | ACM Queue | Queue | SIAM Review | Distill | Heliyon
Angewandte Chemie | Langmuir | Macromolecules | Biomaterials | Carbon | Fuel | Energy | Ecology | Evolution | Heredity
Circulation | Blood
""")
)


def is_journal(venue: str) -> bool:
    """Return True for a venue that is known as a journal or named like one. Its year and volume may follow."""
    name = _ISSUE.sub("", venue.strip())
    return name.casefold() in _JOURNALS or (_SAYS_SO.search(name) is not None and _MEETING.search(name) is None)
