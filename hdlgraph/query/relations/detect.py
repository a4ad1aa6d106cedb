"""Tells whether a question asks for a relation of the design, which one, and of what."""

from __future__ import annotations

import re

from hdlgraph.query.relations.forms import is_kind, matching
from hdlgraph.query.relations.sought import Asked, Sought

MAX_CHARS = 240
"""A longer question asks for more than a relation."""
MAX_WORDS = 16
"""Of a phrase that names something; a longer one tells a story."""
_BEFORE = re.compile(
    r"^(?:(?:and|so|but|then|ok|okay|please|hey|hi|well|now|also)\b,? |(?:can|could|would) you "
    r"(?:please )?(?:tell|show|find)(?: me)? |(?:do you know|i(?: would|'d)? (?:like|want|need) to "
    r"know|i wonder|i am looking for|i'm looking for|looking for|tell me|show me|name|find|"
    r"find me) )",
    re.I,
)
_AFTER = re.compile(
    r"\s*(?:[?.!;,]+|,? please|,? exactly|,? then|,? directly|,? anyway|,? again"
    r"|,? in (?:this|the) (?:repo(?:sitory)?|design|project|code ?base|rtl|source tree))\s*$",
    re.I,
)
_FILE_THAT = re.compile(
    r"^(?:which|what|in (?:which|what)|where) (?:\w+ )?(?:file|source|module|code)s?"
    r"(?: (?:is|are))? (?:implements?|describes?|defines?|contains?|holds?|has|is for|models?"
    r"|codes?|for|with|of|about|do i open for|the code of) (?:the )?(?P<type>[\w -]{2,40}?) "
    r"(?:that|which) (?P<rest>.+)$",
    re.I,
)
_WHERE_THAT = re.compile(
    r"^(?:where is|find|show|open|which is) (?:the )?(?P<type>[\w -]{2,40}?) (?:that|which) "
    r"(?P<rest>.+?)(?: (?:implemented|defined|described|coded))?$",
    re.I,
)
_THE_THAT = re.compile(
    r"^(?:(?:where|what|which) (?:is|are) )?(?:the )?(?P<type>[\w-]{2,24}(?: [\w-]{2,24})?) "
    r"(?:that|which) (?P<rest>.+)$",
    re.I,
)
_VERBS = {
    "driving": "drives",
    "feeding": "feeds",
    "instantiating": "instantiates",
    "using": "uses",
    "containing": "contains",
    "wrapping": "wraps",
    "importing": "imports",
    "reading": "reads",
    "consuming": "consumes",
    "receiving": "receives",
    "extending": "extends",
    "testing": "tests",
    "exercising": "exercises",
    "including": "includes",
    "generating": "generates",
}
_DOING = re.compile(
    rf"^(?:(?:which|what) (?:is|are) )?(?:the |all )?(?P<type>[\w-]{{2,24}}) "
    rf"(?P<verb>{'|'.join(_VERBS)}) (?P<rest>.+)$",
    re.I,
)
_SPOKEN = re.compile(
    r"^(?P<rest>.{6,120}?)[:;,] (?:where|in (?:which|what) (?:file|module)|which file|what file) "
    r"(?:is it|is that|does it|is this)\b.*$",
    re.I,
)
_AHEAD = re.compile(
    r"^(?P<name>[\w$.:]*[\w$]) ?[:,;] (?P<rest>(?:who|which|what|where|in which|in what)\b[^:,;]*?)"
    r"\b(?:it|them|this)\b(?P<more>(?: (?:by|from|in|to|with))?)$",
    re.I,
)
"""A name that stands before a question, in which "it" is that name."""
_STORY = re.compile(
    r",|;|\b(?:between|stores|keeps|handles|performs|implements|decides|how|why|what|who|when|whether|where|does|do|did|must|should|would|can|so|because|"
    r"happens?|without|while|after|before|until|unless)\b",
    re.I,
)
"""What no name of a thing has: a second clause, or a circumstance."""
_CARRIED = re.compile(r"^(?P<asked>[^()]*?)\s*\((?P<files>[^()]*)\)\s*$")
_IT = re.compile(r"\b(?:it|this|that|them|they|these|those)\b(?! \w+s\b)", re.I)
_ITS = re.compile(r"\b(?:its|their) ([\w ]{2,40}?)(?=[?.!]*$| (?:come|go|end|go(?:es)?)\b)", re.I)
_ARTICLE = re.compile(r"^(?:the|a|an|any|all|its|their) ", re.I)
_TELLS = re.compile(
    r"^(?:how (?!(?:is|are|does|do|many|often)\b)|why |when |can |does |do |if |compare )"
    r"|\b(?:so that|because|in order to|even though|instead of|as soon as)\b"
    r"|\band (?:how|what|why|when|where|who)\b"
    r"|.(?<!only |uilt |here |sent |ated |uded )\b(?:if|whether|why|while|until|unless|how)\b.{12}",
    re.I,
)
"""What asks for more than a relation; looked for first, as it is quick."""
FILE_OF = re.compile(
    r"^(?:which|what) (?:\w+ ){0,2}?(?:files?|sources?|headers?|packages?) (?:holds?|contains?|has|"
    r"have|includes?|provides?|houses?|hosts?|owns?|keeps?)\b",
    re.I,
)
"""Asks for the file in which something stands, which is no unit that instantiates it."""
_NO_TYPE = re.compile(
    r"\b(?:that|if|who|which|is|are|be|can|it|its|would|never|not|and|or|a|an|of|turns?|carries|"
    r"rel(?:y|ies)|shows?|to|from|by|with|does|do|lets?|keeps?)\b",
    re.I,
)
_NO_PART = re.compile(
    r"\b(?:states?|ports?|parameters?|signals?|registers?|inputs?|outputs?|modes?|fields?|bits?|"
    r"widths?|depths?|values?|interrupts?|alerts?|commands?|errors?|modports?|functions?|tasks?|"
    r"types?|pins?|clocks?|resets?|steps?|phases?|events?|flags?|opcodes?|addresses)$",
    re.I,
)
"""What a unit has and does not instantiate."""
_MIDDLE = re.compile(
    r"^(?:what|which|who)\b(?!.*\b(?:signals?|nets?|wires?|connected|connects?|runs?)\b).* "
    r"(?:in )?between ",
    re.I,
)
"""Asks for what stands between two things, which is no unit that holds both."""
_NO_START = re.compile(r"^(?:and|or|to|of|it|they|this|that|from|by|in|is|be|back)\b", re.I)


def asked_relation(question: str) -> Asked | None:
    """Returns the relation that a question asks for and nothing else; None if it asks for none."""
    text = " ".join(question[: MAX_CHARS + 1].replace("\u2019", "'").replace("`", "").split())
    if not text or len(text) > MAX_CHARS:
        return None
    text = _bare(_standing(text))
    for one in _readings(text):
        found = _form(one)
        if found is not None:
            return found
    return None


def _standing(text: str) -> str:
    """Returns a question with the file in place of "it", where a conversation put it behind it."""
    carried = _CARRIED.match(text)
    if carried is None:
        return text
    name = carried["files"].partition(",")[0].strip()
    if "." not in name:
        return carried["asked"]
    own = _ITS.sub(lambda found: f"the {found[1]} of {name}", carried["asked"])
    return _IT.sub(name, own)


def _bare(text: str) -> str:
    """Returns a question without greetings before it and what only closes it."""
    while (shorter := _BEFORE.sub("", _AFTER.sub("", text))) != text:
        text = shorter
    text = re.sub(r"^(who|what|where)'?s\b", r"\1 is", text, flags=re.I)
    return re.sub(r"^(which|what) (?:kind|type|sort)s? of (?!the )", r"\1 ", text, flags=re.I)


def _readings(text: str) -> list[str]:
    """Returns a question, before it what stays where it only asks for the file of an answer."""
    found = []
    for pattern in (_FILE_THAT, _WHERE_THAT, _THE_THAT):
        inner = pattern.match(text)
        if inner:
            found.append(f"which {inner['type']} {inner['rest']}")
    doing = _DOING.match(text)
    if doing:
        found.append(f"which {doing['type']} {_VERBS[doing['verb'].lower()]} {doing['rest']}")
    ahead = _AHEAD.match(text)
    if ahead:
        found.append(f"{ahead['rest']}{ahead['name']}{ahead['more']}")
    spoken = _SPOKEN.match(text)
    if spoken:
        found.append(spoken["rest"])
    return [*found, text]


def _form(text: str) -> Asked | None:
    # What names a thing has no comma in it, and so has no question for one relation.
    if "," in text or ";" in text or _TELLS.search(text):
        return None
    of_file = FILE_OF.match(text) is not None
    for sought, sure, found in matching(text):
        if sought is Sought.BETWEEN and _MIDDLE.match(text):
            continue
        if of_file and sought is Sought.PARENTS:
            continue
        said = {
            key.partition("_")[0]: _ARTICLE.sub("", value.strip(" ,"))
            for key, value in found.groupdict().items()
            if value
        }
        asked = _checked(sought, sure, said, text.lower().startswith(("where", "in which")))
        if asked is not None:
            return asked
    return None


def _checked(sought: Sought, sure: float, said: dict[str, str], place: bool) -> Asked | None:
    """Returns what a form found, None where its phrases name nothing."""
    name, other, kind = (said.get(key, "") for key in ("name", "other", "type"))
    if not name or any(len(phrase.split()) > MAX_WORDS for phrase in (name, other)):
        return None
    if any(_STORY.search(one) or _NO_START.search(one) for one in (name, other) if one):
        return None
    if _NO_TYPE.search(kind) or (sought is Sought.CHILDREN and _NO_PART.search(kind)):
        return None
    if kind and is_kind().fullmatch(kind):
        kind = ""
    return Asked(sought, name, other, kind, sure, place)
