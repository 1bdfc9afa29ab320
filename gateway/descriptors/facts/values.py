"""The facts about one RPC, as values to be read. It knows neither annotations nor configuration."""

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

FieldPath = tuple[str, ...]
"""The proto names that lead from a message to one of its fields, through messages that are no list and no map."""


class ClientCapability(enum.Enum):
    """Something that a client declares that it can do; the value is the protocol's name for it."""

    SAMPLING = "sampling"
    ELICITATION = "elicitation"
    ROOTS = "roots"
    TASKS = "io.modelcontextprotocol/tasks"


class Confirmation(enum.Enum):
    """Whether the user is asked before the backend is called."""

    UNSPECIFIED = "unspecified"
    NEVER = "never"
    ALWAYS = "always"


class TaskSupport(enum.Enum):
    """Whether a call may, or must, go on as a task."""

    UNSPECIFIED = "unspecified"
    NONE = "none"
    OPTIONAL = "optional"
    REQUIRED = "required"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """What a client may assume about a call (MCP ToolAnnotations). None: it follows from the RPC's own options."""

    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None


NO_HINTS = Hints()


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFacts:
    """How calls go on as tasks. None: as the gateway has it for all of them."""

    support: TaskSupport = TaskSupport.UNSPECIFIED
    ttl_seconds: float | None = None
    poll_interval_seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptFacts:
    """The prompt that the RPC is offered as. An empty text: made from the RPC's name or comment."""

    name: str = ""
    title: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceFacts:
    """The resource (`uri`) or template of resources (`uri_template`) that the RPC is offered as: one of them is set."""

    uri: str = ""
    uri_template: str = ""
    name: str = ""
    title: str = ""
    description: str = ""
    mime_type: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionFacts:
    """What the RPC completes: an argument of the prompt or the template; every argument where `argument` is empty."""

    prompt: str = ""
    resource_template: str = ""
    argument: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentFacts:
    """Where the value of a field of the request comes from, in the place of the caller; such a field is not offered.

    One of three, or none of them (the field is hidden and stays unset): a `constant`, which is ProtoJSON and counts
    where `has_constant`; the `header` of the caller's HTTP request; the gateway's `environment`.
    """

    constant: Any = field(default=None, repr=False)
    has_constant: bool = False
    header: str = ""
    environment: str = ""

    @property
    def has_value(self) -> bool:
        """Whether the field gets a value at all, and is not just kept from callers."""
        return self.has_constant or bool(self.header or self.environment)


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaType:
    """The media type of a field's values: a fixed `name` such as "image/png", or what the field `beside` it says.

    `beside` is the proto name of a string field of the same message.
    """

    name: str = ""
    beside: str = ""


def _empty() -> Mapping[Any, Any]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class RpcFacts:
    """What is known of one RPC beyond its types: its annotation, overlaid by the configuration.

    An empty text, an empty tuple or None: nothing is said, and what follows from the RPC itself holds. `aliases` are
    further names by which the tool can be called. `examples` are arguments, each an object. `input_schema` and
    `output_schema` stand in the place of the derived ones. `deadline_seconds` stands in the place of what holds else.
    `output_mask` are the paths of proto names that are left of a reply.

    Of fields: `headers` gives the name that a field of the request is mirrored under (x-mcp-header), `arguments` where
    its value comes from, both by its path from the request. `media_types` and `sensitive` are by the full name of a
    field wherever it stands in this RPC's messages. `faults` are one-line causes why something that the annotation or
    the configuration says is not done.
    """

    name: str = ""
    aliases: tuple[str, ...] = ()
    title: str = ""
    description: str = ""
    examples: tuple[Mapping[str, Any], ...] = ()
    hints: Hints = NO_HINTS
    required_capabilities: frozenset[ClientCapability] = frozenset()
    confirmation: Confirmation = Confirmation.UNSPECIFIED
    task: TaskFacts = TaskFacts()
    input_schema: Mapping[str, Any] | None = None
    output_schema: Mapping[str, Any] | None = None
    hidden: bool = False
    also_tool: bool = False
    prompt: PromptFacts | None = None
    resource: ResourceFacts | None = None
    completion: CompletionFacts | None = None
    deadline_seconds: float | None = None
    output_mask: tuple[str, ...] = ()
    headers: Mapping[FieldPath, str] = field(default_factory=_empty)
    arguments: Mapping[FieldPath, ArgumentFacts] = field(default_factory=_empty)
    media_types: Mapping[str, MediaType] = field(default_factory=_empty)
    sensitive: frozenset[str] = frozenset()
    faults: tuple[str, ...] = ()

    @property
    def is_tool(self) -> bool:
        """Whether the RPC is offered as a tool: not where it is hidden, nor where it is something else and no more."""
        if self.hidden:
            return False
        return self.also_tool or (self.prompt is None and self.resource is None and self.completion is None)


NO_FACTS = RpcFacts()
