"""What a method is to the dispatcher: one row, with the function that answers and the facts that are checked before.

Adding a method is adding a row where the dispatcher is built. This module must never know any method.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gateway.contract.envelopes import Refusal, RequestId
from gateway.mcp.catalogue import Catalogue
from gateway.mcp.exchange import Exchange
from gateway.mcp.mirroring.parameters import HeaderParameter
from gateway.mcp.revisions import Revision


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodCall:
    """One admitted request: its parameters are of the method's shape, its `_meta` is there.

    `catalogue` is what is served while this request is answered, even when a newer one comes in meanwhile.
    """

    request_id: RequestId
    params: Mapping[str, Any]
    exchange: Exchange
    catalogue: Catalogue
    revision: Revision


# The members of a result, or why there is none. A method's own refusals are not rejections: they answer with HTTP 200
# unless their condition says otherwise.
Outcome = dict[str, Any] | Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """One row of the method table.

    `capability` is the server capability that the method belongs to, stated by server/discover. `nullable` names
    optional parameters whose null counts as absent, as clients write them that know no absence. `mirrors` gives the
    arguments that `Mcp-Param-*` headers mirror for these parameters.
    """

    name: str
    answer: Callable[[MethodCall], Awaitable[Outcome]]
    capability: str | None = None
    nullable: tuple[str, ...] = ()
    mirrors: Callable[[Mapping[str, Any], Catalogue], tuple[HeaderParameter, ...]] | None = None
