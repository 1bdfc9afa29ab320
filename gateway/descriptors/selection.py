"""Which RPCs the operator chose. It knows names only."""

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Globs over "pkg.Service/Method": `*` stands for any characters, `?` for one, `[ab]` for one of these.

    A pattern may also name a service ("shop.v1.Cart") or all below a package ("shop.v1.*"). An RPC is selected when an
    `include` pattern matches it, or there is none, and no `exclude` pattern does. Case counts.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def is_selected(self, rpc_name: str) -> bool:
        """Whether the RPC of that name ("pkg.Service/Method") is chosen."""
        if self.include and not any(_matches(pattern, rpc_name) for pattern in self.include):
            return False
        return not any(_matches(pattern, rpc_name) for pattern in self.exclude)

    def find_idle_patterns(self, rpc_names: Iterable[str]) -> tuple[str, ...]:
        """The patterns that match none of these RPCs, which most often are misspelt; in order."""
        names = tuple(rpc_names)
        patterns = dict.fromkeys((*self.include, *self.exclude))
        return tuple(pattern for pattern in patterns if not any(_matches(pattern, name) for name in names))


def _matches(pattern: str, rpc_name: str) -> bool:
    """Whether the pattern matches the RPC, or its service's name alone. A leading slash, as on the wire, is passed."""
    glob = pattern.removeprefix("/")
    return fnmatchcase(rpc_name, glob) or fnmatchcase(rpc_name.partition("/")[0], glob)
