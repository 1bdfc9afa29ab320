"""What a result says beside a reply that is not told as it came: values shown otherwise, lists that were shortened.

Each remark is told twice: as a further block of text, for some clients show a model nothing else, and in `_meta` for
programs. This module must never know how a reply was read.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gateway.contract.distilled import Location, Problem, distil
from gateway.contract.shortening import Cut
from gateway.contract.stream_results import TRUNCATED_META_KEY, CutReason

NOTES_META_KEY = "dev.propylon/notes"


def note_values(result: dict[str, Any], notes: Iterable[Problem]) -> None:
    """Adds notes on values of the reply that are shown otherwise than the backend sent them; none adds nothing."""
    errors = distil(notes, subject="reply").errors
    if errors:
        lines = "\n".join(map(_tell_location, errors))
        _add(result, f"not shown as the backend sent it:\n{lines}", {NOTES_META_KEY: errors})


def note_cuts(result: dict[str, Any], cuts: Sequence[Cut], limit_bytes: int) -> None:
    """Adds which lists of the reply were shortened so that it keeps to a limit; none adds nothing."""
    if not cuts:
        return
    shown = "; ".join(
        f"{cut.at or 'the list'} shows the first {cut.kept} of {cut.total} items, the other {cut.total - cut.kept} are "
        "left out"
        for cut in cuts
    )
    advice = (
        "No page token leads to what is left out: to see it, ask for less at once, by a smaller page size, a narrower "
        "filter or fewer fields."
    )
    lists = [{"at": cut.at, "kept": cut.kept, "total": cut.total} for cut in cuts]
    truncated = {"reason": CutReason.BYTES.value, "limit": limit_bytes, "lists": lists}
    text = f"truncated to keep to the gateway's limit of {limit_bytes} bytes: {shown}.\n{advice}"
    _add(result, text, {TRUNCATED_META_KEY: truncated})


def _tell_location(location: Location) -> str:
    problems = "; ".join(location["problems"])
    return f"{location['at']}: {problems}" if location["at"] else problems


def _add(result: dict[str, Any], text: str, meta: Mapping[str, Any]) -> None:
    result["content"].append({"type": "text", "text": text})
    result["_meta"] = {**result.get("_meta", {}), **meta}
