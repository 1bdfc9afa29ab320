"""Whether the names of tools are such as every client takes, and each RPC's its own."""

import re
from collections.abc import Iterator, Mapping

from gateway.contract.quoting import quote
from gateway.descriptors.tool_names import LIMIT_CHARACTERS, find_collisions

# A derived name keeps to the strictest rules of all clients together, one that an operator chose to those of the most.
_DERIVED = re.compile(rf"[A-Za-z][A-Za-z0-9_]{{0,{LIMIT_CHARACTERS - 1}}}", re.ASCII)
_CHOSEN = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}", re.ASCII)


def find_name_faults(names: Mapping[str, str], *, are_derived: bool = True) -> Iterator[tuple[str, str]]:
    """What is wrong with the names of tools, from RPC to name: each RPC that is concerned, with the fault."""
    legal = _DERIVED if are_derived else _CHOSEN
    for rpc, name in names.items():
        if not legal.fullmatch(name):
            yield rpc, f"some client would refuse {quote(name)} as the name of a tool"
    for collision in find_collisions(names):
        for rpc in collision.rpcs:
            yield rpc, collision.describe()
