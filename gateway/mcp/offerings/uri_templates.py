"""URI templates of RFC 6570 level 1, read backwards: which values make a template into this URI?

Level 1 is what MCP clients expand by hand: `{name}`, its value percent-encoded. A value never holds a slash, so no two
readings of a URI are possible.
"""

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote

_VARIABLE = re.compile(r"\{([A-Za-z_][A-Za-z0-9_.]*)\}")
_VALUE = r"([^/?#&=]+)"
_UNRESERVED = "-._~"  # RFC 3986 section 2.3, beside letters and digits


@dataclass(frozen=True, slots=True, kw_only=True)
class UriTemplate:
    """One template. `variables` are its names in the order in which they stand."""

    text: str
    variables: tuple[str, ...]
    _pattern: re.Pattern[str]

    def find_values(self, uri: str) -> dict[str, str] | None:
        """The decoded values that expand to this URI, or None where there are none."""
        found = self._pattern.fullmatch(uri)
        if found is None:
            return None
        return {name: unquote(value) for name, value in zip(self.variables, found.groups(), strict=True)}

    def expand(self, values: dict[str, str]) -> str:
        """The URI of these values; KeyError for a variable that has none."""
        return _VARIABLE.sub(lambda found: quote(values[found[1]], safe=_UNRESERVED), self.text)


def parse_uri_template(text: str) -> UriTemplate:
    """The template of a text. Raises ValueError, one line, for what level 1 has no form for."""
    variables = tuple(_VARIABLE.findall(text))
    literal = _VARIABLE.sub("", text)
    if "{" in literal or "}" in literal:
        raise ValueError(f"{text!r} must be a URI template of RFC 6570 level 1: only {{name}} is known")
    if len(set(variables)) < len(variables):
        raise ValueError(f"{text!r} names a variable twice")
    if re.search(r"\}\{", text):
        raise ValueError(f"{text!r} has two variables with nothing between them")
    parts = _VARIABLE.split(text)
    pattern = "".join(re.escape(part) if position % 2 == 0 else _VALUE for position, part in enumerate(parts))
    return UriTemplate(text=text, variables=variables, _pattern=re.compile(pattern))
