"""Prompts, resources, templates and completions as values; an RPC answers each, or the configuration holds it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gateway.mcp.offerings.uri_templates import UriTemplate
from gateway.transcoding.reply_parts import CompletionPart

if TYPE_CHECKING:
    from gateway.mcp.catalogue import Tool


@dataclass(frozen=True, slots=True, kw_only=True)
class RpcSource:
    """An RPC that answers: `tool` is what calls it, listed or not.

    `make_arguments` turns the values that a client gave, all of them text, into the RPC's arguments.
    """

    tool: "Tool"
    make_arguments: Callable[[Mapping[str, str]], Mapping[str, Any]] = dict


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A prompt. `listing` is its entry in prompts/list.

    `source` None: `messages` are the prompt, with `{{name}}` in the place of arguments. `choices` are the values that
    an argument can take, by its name, where they are known.
    """

    name: str
    listing: Mapping[str, Any]
    source: RpcSource | None = None
    messages: tuple[Mapping[str, Any], ...] = ()
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """A resource. `listing` is its entry in resources/list; `source` None: `read` gives its contents."""

    uri: str
    listing: Mapping[str, Any]
    source: RpcSource | None = None
    read: Callable[[], tuple[Mapping[str, Any], ...]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceTemplate:
    """A template of resources. `listing` is its entry in resources/templates/list; `choices` as for a prompt."""

    template: UriTemplate
    listing: Mapping[str, Any]
    source: RpcSource
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Completer:
    """An RPC that completes arguments of a prompt (by name) or of a template (by its text); all of them or one.

    `read_values` is set for one that knows nothing of completion: what its reply says of the argument. Its arguments
    are made of the values so far; KeyError where one is missing.
    """

    owner: str
    argument: str
    source: RpcSource
    read_values: Callable[[Any], CompletionPart] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Offerings:
    """All that is served beside tools. `prompts_version` and `resources_version` are digests of the lists."""

    prompts: Mapping[str, Prompt] = field(default_factory=dict)
    resources: Mapping[str, Resource] = field(default_factory=dict)
    templates: tuple[ResourceTemplate, ...] = ()
    completers: tuple[Completer, ...] = ()
    prompts_version: str = ""
    resources_version: str = ""


NO_OFFERINGS = Offerings()
