"""Drafts of tools: names, texts, schemas and converters of one backend's RPCs, as their facts would have them.

What a fact asks for and cannot be done is not done, and told: the tool stays. This module must never know a callable or
an event loop.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gateway.app.tool_examples import choose_examples, tell_examples
from gateway.contract.quoting import quote
from gateway.contract.validation import DeferredValidator, SchemaValidator
from gateway.descriptors.api import Api, Rpc
from gateway.descriptors.facts.values import TaskSupport
from gateway.descriptors.field_names import get_field_names
from gateway.descriptors.long_running import OPERATION, find_operation_result
from gateway.descriptors.root_forms import MESSAGES_PROPERTY, is_structured
from gateway.descriptors.rpc_facts import FactReader, FieldPath, MediaType, RpcEntry, RpcFacts
from gateway.descriptors.schema.builder import SchemaBuilder
from gateway.descriptors.schema.dialect import Direction
from gateway.descriptors.schema.header_annotations import annotate, drop_illegal_annotations
from gateway.descriptors.schema.overrides import find_schema_fault
from gateway.descriptors.schema.pruning import keep_only, take_out
from gateway.descriptors.schema.rules.media import MediaSource
from gateway.descriptors.tool_names import make_tool_name, use_given_name
from gateway.descriptors.tool_texts import find_text_warning, make_annotations, make_description, make_title
from gateway.descriptors.typed_fields import STREAM_EVENT
from gateway.mcp.listing import Listing
from gateway.transcoding.codec import Codec
from gateway.transcoding.operations import OperationCodec
from gateway.transcoding.rpc_transcoder import RpcTranscoder
from gateway.transcoding.surface.argument_filler import ArgumentFiller, list_taken_members
from gateway.transcoding.surface.fixed_values import UnfixableError
from gateway.transcoding.surface.reply_mask import ReplyMask, make_reply_mask
from gateway.transcoding.surface.surface_transcoder import SurfaceTranscoder
from gateway.transcoding.typed_fields.media import find_media_faults

RPC_META_KEY = "dev.propylon/rpc"
# Where the messages of a stream stand in a schema (`descriptors.root_forms`).
_MESSAGES = (MESSAGES_PROPERTY, "*")
_AS_TASK = frozenset({TaskSupport.OPTIONAL, TaskSupport.REQUIRED})


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDraft:
    """A tool but for the RPC's callable, which belongs to an event loop. `warnings` say what of it is not done.

    `operations` is set where the RPC starts a long-running operation; the response of `rpc` is then what that ends in.
    """

    name: str
    rpc: Rpc
    facts: RpcFacts
    listing: Listing
    transcoder: RpcTranscoder | SurfaceTranscoder
    output_validator: SchemaValidator | None
    operations: OperationCodec | None = None
    warnings: tuple[str, ...] = ()

    @property
    def header_reader(self) -> SurfaceTranscoder | None:
        """What takes arguments from the headers of a request, or None."""
        transcoder = self.transcoder
        return transcoder if isinstance(transcoder, SurfaceTranscoder) and transcoder.reads_headers else None


class ToolDrafter:
    """Drafts the tools of one backend: one codec and one reader of facts for all of them."""

    def __init__(
        self,
        api: Api,
        prefix: str,
        entries: Sequence[RpcEntry] = (),
        *,
        environ: Mapping[str, str] = os.environ,
        tell: Callable[[str], None] = lambda _line: None,
    ) -> None:
        """`environ` has the values of arguments that are taken from the environment.

        `tell` gets a line where validation rules fail over the values of a call.
        """
        self._environ = environ
        self._api = api
        self._prefix = prefix
        self._codec = Codec(api, tell=tell)
        self._reader = FactReader(api, entries)
        self._schemas: dict[frozenset[tuple[str, MediaType]], SchemaBuilder] = {}

    @property
    def fitting_paths(self) -> frozenset[str]:
        """The field paths of the entries that fitted an RPC so far (`descriptors.rpc_facts`)."""
        return self._reader.fitting_paths

    def read_facts(self, rpc: Rpc) -> RpcFacts:
        """What is known of the RPC."""
        return self._reader.read(self._end_in_result(rpc))

    def draft(self, rpc: Rpc, facts: RpcFacts) -> ToolDraft | str:
        """The RPC as a tool, or why it must not be one: a field that cannot be fixed is not left to callers."""
        try:
            filler = ArgumentFiller(rpc, facts.arguments, self._codec, self._environ) if facts.arguments else None
        except UnfixableError as error:
            return error.reason
        # A prompt or a resource cannot be waited for: such an RPC answers with its operation, as a tool too.
        is_tool_alone = facts.prompt is None and facts.resource is None and facts.completion is None
        is_operation = is_tool_alone and find_operation_result(rpc, self._api) is not None
        rpc = self._end_in_result(rpc) if is_operation else rpc
        mask, mask_faults = make_reply_mask(rpc.response, facts.output_mask)
        faults = [*facts.faults, *find_media_faults(rpc.response, facts.media_types), *mask_faults]
        if facts.task.support in _AS_TASK and not is_operation:
            faults.append(f"it never goes on as a task: that takes an RPC that returns {OPERATION}")
        schemas = self._get_schemas(facts)
        name = self._make_name(rpc, facts, faults)
        transcoder = _make_transcoder(RpcTranscoder(self._codec, rpc, facts), filler, mask)
        examples = choose_examples(transcoder, facts.examples, faults)
        input_schema = _make_input_schema(schemas, rpc, facts, faults)
        output_schema, reply_schema = _make_output_schemas(schemas, rpc, facts, mask, faults)
        listing: dict[str, Any] = {
            "name": name,
            "title": facts.title or make_title(rpc, self._api),
            "description": make_description(rpc, self._api, given=facts.description) + tell_examples(examples),
            "inputSchema": input_schema,
        }
        if output_schema is not None:
            listing["outputSchema"] = output_schema
        listing["annotations"] = make_annotations(rpc, self._api, facts.hints)
        listing["_meta"] = {RPC_META_KEY: rpc.name}
        rule_faults = self._codec.list_rule_faults(rpc.request)
        warning = find_text_warning(rpc, self._api)
        return ToolDraft(
            name=name,
            rpc=rpc,
            facts=facts,
            listing=Listing(listing),
            transcoder=transcoder,
            output_validator=None if reply_schema is None else DeferredValidator(reply_schema, subject="result"),
            operations=self._make_operations(rpc) if is_operation else None,
            warnings=(*rule_faults, *filter(None, (warning,)), *(f"{rpc.name}: {fault}" for fault in faults)),
        )

    def _end_in_result(self, rpc: Rpc) -> Rpc:
        """The RPC as its callers see it: one that starts an operation answers with what that ends in."""
        result = find_operation_result(rpc, self._api)
        return rpc if result is None else replace(rpc, response=result)

    def _make_operations(self, rpc: Rpc) -> OperationCodec:
        return OperationCodec(self._codec, rpc.response.full_name, default_uri=f"grpc:///{rpc.name}")

    def _make_name(self, rpc: Rpc, facts: RpcFacts, faults: list[str]) -> str:
        """The tool's name: the given one where it is one, behind the prefix."""
        given = use_given_name(facts.name, prefix=self._prefix) if facts.name else None
        if facts.name and given is None:
            faults.append(f"the name {quote(facts.name)} is not used: it must be of A-Z, a-z, 0-9, _ and -, at most 64")
        return given or make_tool_name(rpc.name, prefix=self._prefix)

    def _get_schemas(self, facts: RpcFacts) -> SchemaBuilder:
        """The builder for these media types: almost always the one for none."""
        key = frozenset(facts.media_types.items())
        builder = self._schemas.get(key)
        if builder is None:
            sources = (MediaSource(facts.media_types),) if key else ()
            builder = self._schemas[key] = SchemaBuilder(self._api, sources=sources)
        return builder


def _make_input_schema(schemas: SchemaBuilder, rpc: Rpc, facts: RpcFacts, faults: list[str]) -> dict[str, Any]:
    """The given schema where it can be one, else the derived one; with those headers that are legal."""
    schema: dict[str, Any] | None = None
    if facts.input_schema is not None:
        fault = find_schema_fault(facts.input_schema)
        if fault is None:
            schema = _copy(facts.input_schema)
        else:
            faults.append(f"its input_schema is not used: {fault}")
    if schema is None:
        schema = _leave_out_fixed(schemas.input_schema(rpc), rpc, facts)
        if not facts.headers:
            return schema
    for path, name in facts.headers.items():
        if not annotate(schema, _publish(rpc, path), name):
            where = quote(".".join(path))
            faults.append(f"the header {quote(name)} of {where} is left out: the input schema has no such property")
    faults += drop_illegal_annotations(schema, lambda path: _is_sensitive(rpc, path, facts))
    return schema


def _make_output_schemas(
    schemas: SchemaBuilder, rpc: Rpc, facts: RpcFacts, mask: ReplyMask | None, faults: list[str]
) -> tuple[Mapping[str, Any] | None, Mapping[str, Any] | None]:
    """What is listed, and what each reply is held to: not the same for a server's stream."""
    given = facts.output_schema
    if given is not None:
        fault = find_schema_fault(given)
        if fault is None and rpc.response.full_name != STREAM_EVENT:
            if rpc.server_streaming:
                fault = "the result of a stream is a list of its messages"
            elif not is_structured(rpc.response):
                fault = "the reply is no structured result"
        if fault is None:
            return given, given
        faults.append(f"its output_schema is not used: {fault}")
    listed = schemas.output_schema(rpc)
    is_list = rpc.server_streaming and listed is not None
    if listed is not None and mask is not None:
        listed = keep_only(listed, mask.make_tree(), at=_MESSAGES if is_list else ())
    if not is_list:
        return listed, listed
    single = schemas.message_schema(rpc.response, Direction.OUTPUT)
    return listed, single if mask is None else keep_only(single, mask.make_tree())


def _leave_out_fixed(schema: dict[str, Any], rpc: Rpc, facts: RpcFacts) -> dict[str, Any]:
    """The input schema without the fields that callers have no say in."""
    if not facts.arguments:
        return schema
    given = [path for path, source in facts.arguments.items() if source.has_value]
    paths = {_publish(rpc, path) for path in (*facts.arguments, *list_taken_members(rpc.request, given))}
    return take_out(schema, paths, at=_MESSAGES if rpc.client_streaming else ())


def _make_transcoder(
    plain: RpcTranscoder, filler: ArgumentFiller | None, mask: ReplyMask | None
) -> RpcTranscoder | SurfaceTranscoder:
    return plain if filler is None and mask is None else SurfaceTranscoder(plain, filler, mask)


def _publish(rpc: Rpc, path: FieldPath) -> tuple[str, ...]:
    """The property names of a path of proto names."""
    names: list[str] = []
    message = rpc.request
    for name in path:
        field = message.fields_by_name[name]
        names.append(next(key for key, one in get_field_names(message).published.items() if one.number == field.number))
        if field.message_type is not None:
            message = field.message_type
    return tuple(names)


def _is_sensitive(rpc: Rpc, path: tuple[str, ...], facts: RpcFacts) -> bool:
    """Whether a path of property names leads through a sensitive field."""
    message = rpc.request
    for name in path:
        field = get_field_names(message).accepted.get(name)
        if field is None:
            return False
        if field.full_name in facts.sensitive:
            return True
        if field.message_type is None:
            return False
        message = field.message_type
    return False


def _copy(value: Any) -> Any:
    """JSON data of its own."""
    match value:
        case Mapping():
            return {key: _copy(member) for key, member in value.items()}
        case list():
            return [_copy(item) for item in value]
        case _:
            return value
