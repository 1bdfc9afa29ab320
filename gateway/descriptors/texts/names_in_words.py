"""Says the name of an RPC in words: a title, and a sentence for an RPC that has no comment."""

import re

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+[0-9]*|[A-Z]+[0-9]*|[0-9]+")

# A name that opens with none of these is not taken for a sentence. Words that are as likely nouns ("OrderStatus",
# "LogLevel") are not among them: no sentence is better than a wrong one.
_VERBS_TEXT = """
abandon abort accept acknowledge acquire activate add allocate analyze answer append apply approve archive
assign attach authenticate authorize begin bind book calculate call cancel check clear clone close collect
commit compact compare complete compute configure confirm connect convert copy create deactivate decline
decode decrypt delete deliver deny deploy describe destroy detach detect disable discard disconnect dispatch
download drain drop edit enable encode encrypt enqueue enrol enroll evaluate execute expand expire explain
export extend fail fetch fill filter find finish flush follow forget fulfil generate get give grant import
increment ingest initialize insert inspect install invite invoke join kill launch list load lock lookup make
merge migrate modify monitor mount move mutate notify open parse patch pause pay perform predict prepare
preview promote provision publish pull purge push put query read rebuild receive recognize recover redeem
refresh refund register reject release reload remove rename render renew reorder replace replay reserve reset
resize resolve restart restore resume retrieve retry reverse revoke rollback rotate run save scan schedule
search select send set ship show shut sign simulate skip split start stop submit subscribe suggest suspend
swap switch sync synchronize take touch track transform translate undelete undeploy undo unlock unregister
unsubscribe update upgrade upload upsert validate verify view watch write
"""
_VERBS = frozenset(_VERBS_TEXT.split())
_PREPOSITIONS_TEXT = """
and as at between by for from in into of on or per since to until via with without
"""
_PREPOSITIONS = frozenset(_PREPOSITIONS_TEXT.split())
# Nouns that take no article.
_UNCOUNTED_TEXT = """
access capacity content data feedback health history info information metadata stock storage support text
traffic usage
"""
_UNCOUNTED = frozenset(_UNCOUNTED_TEXT.split())
_INITIALISMS_TEXT = "api cpu csv dns gpu html http https iam id ip json pdf sql ssl tls ttl ui uri url uuid vm vpn xml"
_INITIALISMS = frozenset(_INITIALISMS_TEXT.split())
_SPELT_WITH_VOWEL = frozenset("AEFHILMNORSX")
_VOWEL_LETTER_CONSONANT_SOUND = re.compile(r"u(?:ni|s[aeiu]|r[il]|ui|t[ie])|eu|one\b|once\b")


def split_words(name: str) -> list[str]:
    """The words of a CamelCase or snake_case name: "GetHTTPRule" gives ["Get", "HTTP", "Rule"]."""
    return _WORD.findall(name) or ([name] if name else [])


def say_name(name: str) -> str:
    """The name as a heading: "GetHTTPRule" gives "Get HTTP rule"."""
    text = " ".join(_split_spoken(name))
    return text[:1].upper() + text[1:]


def say_deed(name: str, *, of: str) -> str | None:
    """What an RPC of that name does, without a full stop: "GetOrder" gives "Gets an order".

    A verb alone gets the service's name `of` for its object. None where no known verb opens the name.
    """
    words = _split_spoken(name)
    if not words:
        return None
    together = words[0] in ("batch", "bulk") and len(words) > 1
    verb, *rest = words[1:] if together else words
    if verb not in _VERBS:
        return None
    deed = " ".join([_third_person(verb), *_add_article(rest or _split_spoken(of))])
    deed = f"{deed} in one batch" if together else deed
    return deed[:1].upper() + deed[1:]


def _split_spoken(name: str) -> list[str]:
    """The words as they stand within a sentence."""
    words = [word if _is_acronym(word) else word.lower() for word in split_words(name)]
    return [word.upper() if word in _INITIALISMS else word for word in words]


def _is_acronym(word: str) -> bool:
    return len(word) > 1 and word[0].isalpha() and word.upper() == word


def _third_person(verb: str) -> str:
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return f"{verb}es"
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}s"


def _add_article(words: list[str]) -> list[str]:
    """The words with "a" or "an" before an object in the singular."""
    end = next((index for index, word in enumerate(words) if word in _PREPOSITIONS), len(words))
    if end == 0:
        return words
    head = words[end - 1]
    if head in _UNCOUNTED or (head.endswith("s") and not head.endswith("ss")) or words[0] in ("all", "my", "each"):
        return words
    return [_get_article(words[0]), *words]


def _get_article(word: str) -> str:
    if _is_acronym(word):
        return "an" if word[0] in _SPELT_WITH_VOWEL else "a"
    lower = word.lower()
    vowel = lower[0] in "aeiou" and not _VOWEL_LETTER_CONSONANT_SOUND.match(lower)
    return "an" if vowel else "a"
