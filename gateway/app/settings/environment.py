"""`${NAME}` and `${NAME:-default}` in a configured text, filled from the environment."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

_REFERENCE = re.compile(r"\$(?:(?P<escaped>\$)|\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^}]*))?\})")
_HALF_WRITTEN = re.compile(r"\$\{[^}]*\}?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Expansion:
    """A text with its references filled in. `names` are the variables it took, `problem` why it could not be done."""

    text: str
    names: tuple[str, ...] = ()
    problem: str | None = None


def expand(text: str, environ: Mapping[str, str]) -> Expansion:
    """The text with each `${NAME}` replaced; `$$` stands for one `$`.

    `${NAME:-default}` takes the default where the variable is unset or empty, as a POSIX shell does. A variable that
    is not set, or a reference that is only half one, is the problem; its value is not part of any problem.
    """
    if "$" not in text:
        return Expansion(text=text)
    parts: list[str] = []
    names: list[str] = []
    position = 0
    for match in _REFERENCE.finditer(text):
        parts.append(text[position : match.start()])
        position = match.end()
        if match["escaped"]:
            parts.append("$")
            continue
        name, default = match["name"], match["default"]
        value = environ.get(name) if default is None else environ.get(name) or default
        if value is None:
            problem = f"the environment has no {name}; set it or write ${{{name}:-default}}"
            return Expansion(text=text, names=(name,), problem=problem)
        names.append(name)
        parts.append(value)
    parts.append(text[position:])
    half_written = _HALF_WRITTEN.search(_REFERENCE.sub("", text))
    if half_written:
        problem = 'holds "${" that opens no ${NAME} or ${NAME:-default}; write $${ for the characters themselves'
        return Expansion(text=text, problem=problem)
    return Expansion(text="".join(parts), names=tuple(names))
