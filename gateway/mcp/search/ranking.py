"""Which tools fit a question best: BM25 over their names, texts and arguments, each counted by what it weighs.

Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), BM25F: the weighted
counts of all fields go through one saturation. The same tools and the same question give the same answer everywhere.
"""

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gateway.mcp.search.words import ALIKE, iterate_words

_SATURATION = 1.2
_LENGTH_SHARE = 0.4
_NAME, _TITLE, _RPC, _DESCRIPTION, _ARGUMENT, _ARGUMENT_TEXT = 4.0, 3.0, 1.5, 1.5, 1.0, 0.3
_ALIKE_SHARE = 0.4
_PREFIX_SHARE = 0.5
_LEAST_PREFIX = 3
_LIMIT_QUESTION = 50
_LIMIT_SCHEMAS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A tool that fits, by its name, and how well."""

    name: str
    score: float


class Ranking:
    """The index of one catalogue's tools."""

    def __init__(self, listings: Iterable[Mapping[str, Any]]) -> None:
        """`listings` are entries of tools/list. It takes some tenths of a millisecond for each."""
        self._postings: dict[str, dict[str, float]] = defaultdict(dict)
        lengths: dict[str, float] = {}
        for listing in listings:
            weights = _weigh(listing)
            lengths[listing["name"]] = sum(weights.values())
            for word, weight in weights.items():
                self._postings[word][listing["name"]] = weight
        self._names = sorted(lengths)
        mean = sum(lengths.values()) / len(lengths) if lengths else 1.0
        self._norms = {
            name: _SATURATION * (1 - _LENGTH_SHARE + _LENGTH_SHARE * length / (mean or 1.0))
            for name, length in lengths.items()
        }
        self._vocabulary = sorted(self._postings)

    def find(self, question: str, limit: int) -> tuple[tuple[Hit, ...], int]:
        """The tools that fit best, the best first, equals by name, and how many fit at all.

        A question without words that say anything is fitted by every tool.
        """
        words = list(dict.fromkeys(iterate_words(question)))[:_LIMIT_QUESTION]
        if not words:
            return tuple(Hit(name=name, score=0.0) for name in self._names[:limit]), len(self._names)
        scores: dict[str, float] = defaultdict(float)
        for word in words:
            for name, score in self._score(word).items():
                scores[name] += score
        best = sorted(scores.items(), key=lambda item: (-round(item[1], 9), item[0]))
        return tuple(Hit(name=name, score=round(score, 3)) for name, score in best[:limit]), len(best)

    def _score(self, word: str) -> dict[str, float]:
        """What one word of a question adds to each tool; of several readings of the word the best counts."""
        scores: dict[str, float] = {}
        for reading, share in self._read(word):
            found = self._postings[reading]
            rarity = math.log(1 + (len(self._names) - len(found) + 0.5) / (len(found) + 0.5))
            for name, weight in found.items():
                score = share * rarity * weight * (_SATURATION + 1) / (weight + self._norms[name])
                scores[name] = max(score, scores.get(name, 0.0))
        return scores

    def _read(self, word: str) -> Iterator[tuple[str, float]]:
        """The indexed words that a word may mean, with the share of the score that each is worth."""
        if word in self._postings:
            yield word, 1.0
        for other in ALIKE.get(word, ()):
            if other in self._postings:
                yield other, _ALIKE_SHARE
        if len(word) >= _LEAST_PREFIX:
            start = bisect_left(self._vocabulary, word)
            for longer in self._vocabulary[start : start + 20]:
                if not longer.startswith(word):
                    break
                if longer != word:
                    yield longer, _PREFIX_SHARE


def _weigh(listing: Mapping[str, Any]) -> dict[str, float]:
    """The words of an entry with the sum of what each of their places weighs."""
    weights: dict[str, float] = defaultdict(float)
    meta = listing.get("_meta", {})
    rpc = next((value for key, value in meta.items() if key.endswith("/rpc")), "")
    service, _, method = str(rpc).rpartition("/")
    texts = [
        (_NAME, method or listing["name"]),
        (_TITLE, listing.get("title", "")),
        (_RPC, f"{listing['name']} {service}"),
        (_DESCRIPTION, listing.get("description", "")),
        *_iterate_arguments(listing.get("inputSchema", {})),
    ]
    for weight, text in texts:
        for word in iterate_words(text):
            weights[word] += weight
    return weights


def _iterate_arguments(schema: Mapping[str, Any]) -> Iterator[tuple[float, str]]:
    """The names of arguments at any depth and what is said of them, the nearest first."""
    pending: list[Any] = [schema]
    for _ in range(_LIMIT_SCHEMAS):
        if not pending:
            return
        part = pending.pop(0)
        if not isinstance(part, Mapping):
            continue
        if isinstance(part.get("description"), str):
            yield _ARGUMENT_TEXT, part["description"]
        for name, member in part.get("properties", {}).items():
            yield _ARGUMENT, name
            pending.append(member)
        pending += [part.get("items"), part.get("additionalProperties"), *part.get("$defs", {}).values()]
