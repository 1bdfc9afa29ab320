"""What is said of a tool: its title, its description, and the hints about what calling it does.

Texts come from the backend's comments where it has any, else from its names. This module knows no schema.
"""

from collections.abc import Iterator

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from gateway.descriptors.api import Api, Rpc
from gateway.descriptors.facts.values import NO_HINTS, Hints
from gateway.descriptors.field_names import get_field_names
from gateway.descriptors.options import HttpRule, Idempotency
from gateway.descriptors.root_forms import MESSAGES_PROPERTY, TRUNCATED_PROPERTY
from gateway.descriptors.texts.names_in_words import say_deed, say_name

# How many message types are looked through for comments that were cut or cleaned.
_LIMIT_TYPES_REVIEWED = 500

_COUNTED_KINDS = frozenset(
    {
        FieldDescriptor.CPPTYPE_INT32,
        FieldDescriptor.CPPTYPE_INT64,
        FieldDescriptor.CPPTYPE_UINT32,
        FieldDescriptor.CPPTYPE_UINT64,
        FieldDescriptor.CPPTYPE_DOUBLE,
        FieldDescriptor.CPPTYPE_FLOAT,
        FieldDescriptor.CPPTYPE_BOOL,
    }
)


def make_title(rpc: Rpc, api: Api) -> str:
    """The RPC's method name in words, "Get order"; a name of one word says whose it is: "Range (KV)"."""
    title = say_name(rpc.method)
    if " " in title:
        return title
    return f"{title} ({_get_subject(rpc)})"


def make_description(rpc: Rpc, api: Api, *, given: str = "") -> str:
    """What the RPC does: its comment, or a sentence made from its names, and what the schemas cannot say.

    `given` stands in the place of the comment. Never empty. Says so where the RPC or its service is deprecated, how to
    page (AIP-158), what of it is a stream, and once what an absent field means where the reply has numbers or flags
    without presence.
    """
    deed = given or api.comments.get_comment(rpc.descriptor.full_name) or _describe_by_name(rpc)
    deprecated = api.options.is_deprecated(rpc.descriptor) and "deprecated" not in deed.lower()
    paragraphs = ["Deprecated.", deed] if deprecated else [deed]
    paragraphs += _explain_streams(rpc)
    if api.options.is_paged(rpc.descriptor) and not (rpc.client_streaming or rpc.server_streaming):
        paragraphs.append(_explain_paging(rpc))
    if _leaves_out_zeros(rpc.response):
        paragraphs.append("A field absent from the result has its zero value (0, false, empty).")
    return "\n\n".join(paragraphs)


def make_annotations(rpc: Rpc, api: Api, hints: Hints = NO_HINTS) -> dict[str, bool]:
    """The MCP ToolAnnotations, each hint stated, so that no client falls back to a default of its own.

    NO_SIDE_EFFECTS, or a google.api.http binding to a safe verb, is read-only. PUT and DELETE are idempotent as
    RFC 9110, section 9.2.2, has it, and so is the level IDEMPOTENT. Whatever is not known to be harmless is called
    destructive. What a backend reaches is not known either, so every tool is open-world. What `hints` say stands
    before all of that.
    """
    level = api.options.idempotency(rpc.descriptor)
    verbs = set(_list_verbs(api.options.http_rule(rpc.descriptor)))
    read_only = level is Idempotency.NO_SIDE_EFFECTS or (bool(verbs & {"GET", "HEAD"}) and "DELETE" not in verbs)
    read_only = read_only if hints.read_only is None else hints.read_only
    idempotent = read_only or level is Idempotency.IDEMPOTENT or bool(verbs & {"PUT", "DELETE"})
    return {
        "readOnlyHint": read_only,
        "destructiveHint": not read_only if hints.destructive is None else hints.destructive,
        "idempotentHint": idempotent if hints.idempotent is None else hints.idempotent,
        "openWorldHint": True if hints.open_world is None else hints.open_world,
    }


def find_text_warning(rpc: Rpc, api: Api) -> str | None:
    """One line that says which comments of the RPC and its request were cut or had invisible characters, or None."""
    cut: list[str] = []
    cleaned: list[str] = []
    for name in _list_commented(rpc):
        text = api.comments.get_text(name)
        if text.was_cut:
            cut.append(name)
        if text.had_hidden:
            cleaned.append(name)
    faults = [
        f"{what} {names[0]}" + (f" and {len(names) - 1} more" if len(names) > 1 else "")
        for what, names in (("comment cut:", cut), ("invisible characters taken out of the comment:", cleaned))
        if names
    ]
    return f"{rpc.name}: {'; '.join(faults)}" if faults else None


def _describe_by_name(rpc: Rpc) -> str:
    deed = say_deed(rpc.method, of=_get_subject(rpc))
    return f"{deed} ({rpc.service})." if deed else f"Calls {rpc.method} of {rpc.service}."


def _get_subject(rpc: Rpc) -> str:
    """The service's name without its package and without the word that says no more than that it is one."""
    name = rpc.service.rpartition(".")[2]
    return name.removesuffix("Service") or name


def _explain_paging(rpc: Rpc) -> str:
    asked = {field.name: name for name, field in get_field_names(rpc.request).published.items()}
    token = get_field_names(rpc.response).printed[rpc.response.fields_by_name["next_page_token"].number]
    return (
        f"Results come in pages of at most {asked['page_size']}. For the next page, call again with "
        f"{asked['page_token']} set to {token} of the result and all other arguments the same; an empty or absent "
        f"{token} means the last page."
    )


def _explain_streams(rpc: Rpc) -> Iterator[str]:
    if rpc.client_streaming:
        yield f"All messages of the call are given at once, in `{MESSAGES_PROPERTY}`."
    if rpc.server_streaming:
        yield (
            f"The result lists the messages of a stream in `{MESSAGES_PROPERTY}`, in order. A stream that is long in "
            f"size or time is cut, and `{TRUNCATED_PROPERTY}` says so."
        )


def _leaves_out_zeros(response: Descriptor) -> bool:
    return any(
        field.cpp_type in _COUNTED_KINDS and not field.has_presence and not field.is_repeated
        for field in response.fields
    )


def _list_verbs(rule: HttpRule | None) -> Iterator[str]:
    if rule is not None:
        yield rule.verb.upper()
        for other in rule.additional:
            yield other.verb.upper()


def _list_commented(rpc: Rpc) -> Iterator[str]:
    yield rpc.descriptor.full_name
    seen = {rpc.request.full_name}
    pending = [rpc.request]
    while pending and len(seen) <= _LIMIT_TYPES_REVIEWED:
        message = pending.pop()
        for field in message.fields:
            yield field.full_name
            inner = field.message_type
            if inner is None or inner.full_name.startswith("google.protobuf."):
                continue
            if inner.full_name not in seen:
                seen.add(inner.full_name)
                pending.append(inner)
