"""What the log is told of views: tools that a profile cannot list, and lists that are long for a model."""

import logging
from collections.abc import Mapping, Sequence

from gateway.app.settings.model import ProfilesSection, ToolsSection, ToolSurface
from gateway.app.views.profile_view import ProfileView, Unlisted

_LOG = logging.getLogger("propylon.profiles")
_LIMIT_TOLD = 20
_TOGETHER = "; "


def list_served_profiles(profiles: ProfilesSection, *, http: bool) -> tuple[str, ...]:
    """The profiles that some client can see, each once: those of endpoints, and those of clients by their names."""
    of_endpoints = profiles.paths.values() if http else ()
    return tuple(dict.fromkeys((*of_endpoints, *(profile for _, profile in profiles.clients))))


def tell_unlisted(profile: str, view: ProfileView) -> None:
    """Tells which tools a profile does not list and why, where somebody uses the profile."""
    for one in view.unlisted[:_LIMIT_TOLD]:
        facts: Mapping[str, object] = {"profile": profile, "tool": one.tool, "reason": _TOGETHER.join(one.reasons)}
        _LOG.warning("a profile cannot list a tool", extra=facts)
    hidden = len(view.unlisted) - _LIMIT_TOLD
    if hidden > 0:
        _LOG.warning(
            "a profile cannot list more tools", extra={"profile": profile, "tools": hidden, "see": _see(profile)}
        )


def summarise_unlisted(profile: str, unlisted: Sequence[Unlisted], tools: int) -> None:
    """Tells how many of the tools a profile does not list, where nobody may ever use the profile."""
    if not unlisted:
        return
    first = unlisted[0]
    facts: Mapping[str, object] = {
        "profile": profile,
        "unlisted": len(unlisted),
        "tools": tools,
        "first": first.tool,
        "reason": _TOGETHER.join(first.reasons),
        "see": _see(profile),
    }
    _LOG.info("a profile cannot list all tools", extra=facts)


def tell_of_many(tools: ToolsSection, count: int) -> None:
    """Tells of more tools than `tools.many`, where all of them are listed."""
    if tools.surface is ToolSurface.LIST and count > tools.many:
        facts: Mapping[str, object] = {
            "tools": count,
            "many": tools.many,
            "advice": "tools.surface: search offers three that find them; tools.include chooses fewer",
        }
        _LOG.warning("models choose badly among so many tools", extra=facts)


def _see(profile: str) -> str:
    return f"propylon check --profile {profile}"
