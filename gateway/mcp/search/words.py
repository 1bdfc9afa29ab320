"""From text and names to the words that are searched: the same words for a tool and for a question about it."""

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from types import MappingProxyType

_RUN = re.compile(r"[^\W_]+")
# "ListHTTPRoutes2" is list, http, routes and 2.
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_LIMIT_RUNS = 2000

_EMPTY_WORDS = """
a an and are as at be by can do for from has have i in is it its me my of on or our s so that the their them these this
to us was we what when where which who will with you your
"""
_EMPTY = frozenset(_EMPTY_WORDS.split())

_DEEDS = (
    ("add", "create", "insert", "make", "new", "open", "place", "register"),
    ("delete", "drop", "erase", "purge", "remove"),
    ("fetch", "get", "lookup", "read", "retrieve", "show", "view"),
    ("browse", "enumerate", "find", "list", "query", "search"),
    ("change", "edit", "modify", "patch", "set", "update"),
    ("cancel", "abort", "stop"),
    ("begin", "launch", "run", "start"),
)
ALIKE: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {word: tuple(other for other in deed if other != word) for deed in _DEEDS for word in deed}
)
"""Words for one deed, each with the others."""


def iterate_words(text: str) -> Iterator[str]:
    """The words of a text in their plain form, those of its beginning; what says nothing is left out."""
    for run in islice(_RUN.finditer(text), _LIMIT_RUNS):
        for part in _PART.findall(run[0]) if run[0].isascii() else (run[0],):
            word = _make_plain(part.lower())
            if word not in _EMPTY:
                yield word


def _make_plain(word: str) -> str:
    """The word in the singular, as far as that can be told from its end."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
