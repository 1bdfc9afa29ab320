"""What a client can be told has changed, as a table, and what of it changed between two catalogues.

Adding something that changes is adding a row. Source: MCP 2026-07-28, basic/utilities/subscriptions.
"""

import enum
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gateway.mcp.catalogue import Catalogue


class Topic(enum.Enum):
    """A list that clients may keep, and want to hear of when it changes."""

    TOOLS = "tools"
    PROMPTS = "prompts"
    RESOURCES = "resources"


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicRow:
    """One topic: the member of a SubscriptionFilter that asks for it, the notification that tells of it.

    `read_version` gives a value that is equal for two catalogues as long as the list in them is.
    """

    filter_member: str
    notification: str
    read_version: Callable[[Catalogue], Hashable]


TOPICS: Mapping[Topic, TopicRow] = MappingProxyType(
    {
        Topic.TOOLS: TopicRow(
            filter_member="toolsListChanged",
            notification="notifications/tools/list_changed",
            read_version=lambda catalogue: catalogue.version,
        ),
        Topic.PROMPTS: TopicRow(
            filter_member="promptsListChanged",
            notification="notifications/prompts/list_changed",
            read_version=lambda catalogue: catalogue.offerings.prompts_version,
        ),
        Topic.RESOURCES: TopicRow(
            filter_member="resourcesListChanged",
            notification="notifications/resources/list_changed",
            read_version=lambda catalogue: catalogue.offerings.resources_version,
        ),
    }
)


def find_changed(before: Catalogue, after: Catalogue) -> frozenset[Topic]:
    """The topics whose lists differ between two catalogues."""
    return frozenset(topic for topic, row in TOPICS.items() if row.read_version(before) != row.read_version(after))
