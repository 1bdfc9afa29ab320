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
from gateway.mcp.revisions import Era, Revision
from gateway.mcp.sessions.session import SessionHolder


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodCall:
    """One admitted request: its parameters are of the method's shape, its `_meta` is there.

    `catalogue` is what is served while this request is answered, even when a newer one comes in meanwhile. `holder` has
    the session that the request belongs to or opens; None in the per-request era.
    """

    request_id: RequestId
    params: Mapping[str, Any]
    exchange: Exchange
    catalogue: Catalogue
    revision: Revision
    holder: SessionHolder | None = None


# The members of a result, or why there is none. A method's own refusals are not rejections: they answer with HTTP 200
# unless their condition says otherwise.
Outcome = dict[str, Any] | Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """One row of the method table.

    `capability` is the server capability that the method belongs to, stated by server/discover. `nullable` names
    optional parameters whose null counts as absent, as clients write them that know no absence. `mirrors` gives the
    arguments that `Mcp-Param-*` headers mirror for these parameters. `eras` are those in which there is such a method.
    """

    name: str
    answer: Callable[[MethodCall], Awaitable[Outcome]]
    capability: str | None = None
    nullable: tuple[str, ...] = ()
    mirrors: Callable[[Mapping[str, Any], Catalogue], tuple[HeaderParameter, ...]] | None = None
    eras: frozenset[Era] = frozenset(Era)
