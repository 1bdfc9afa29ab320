"""The validation rules of a backend (protovalidate), applied to requests before they are sent.

What a rule refuses becomes a problem of the value gate, as if the converter had found it. Rules that cannot be run
refuse nothing: the backend has the last word on its own rules.
"""

from collections.abc import Callable, Container, Iterable, Mapping
from itertools import islice

from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message

from gateway.contract.distilled import Problem
from gateway.contract.quoting import one_line, quote
from gateway.descriptors.api import Api
from gateway.descriptors.field_names import get_field_names
from gateway.descriptors.typed_fields import list_filled_in
from gateway.descriptors.validation.engine import UnusableRules, Violation
from gateway.transcoding.converters.outcomes import LIMIT_CAUSES
from gateway.transcoding.errors import ArgumentProblems
from gateway.transcoding.violation_paths import find_message, follow_elements

# A violation takes the engine some 20 us, and a packed list may hold one in each byte: of a larger request only the
# first one is told.
LIMIT_EXPLAINED_BYTES = 16 * 1024

_LIMIT_MESSAGE = 200
_RETURNED_FALSE = '" returned false'

Check = Callable[[Message], None]


class RuleGate:
    """The rules of one backend as checks of requests."""

    def __init__(self, api: Api, tell: Callable[[str], None]) -> None:
        """`tell` gets one line, once for each type of request, when rules fail over the values of a call."""
        self._rules = api.rules
        self._engine = api.rule_engine
        self._tell = tell
        self._told: set[str] = set()
        self._faults: dict[str, Mapping[str, str]] = {}

    def list_faults(self, request: Descriptor) -> tuple[str, ...]:
        """A line for each type in a request of this type whose rules cannot be used at all."""
        return tuple(
            f"the validation rules of {name} cannot be used, so requests that hold one are sent unchecked: {fault}"
            for name, fault in self._find_faults(request).items()
        )

    def find_check(self, request: Descriptor) -> Check | None:
        """A function that raises ArgumentProblems where a request breaks rules; None where it never can."""
        faults = self._find_faults(request)
        if not self._rules.list_ruled_types(request) or request.full_name in faults:
            return None
        engine = self._engine
        # What the gateway fills in is not there yet, and no caller's to mend.
        spared = frozenset(field.number for field in list_filled_in(request))

        def check(message: Message) -> None:
            try:
                found = engine.find_violations(message, first_only=not spared)
                if spared:
                    found = tuple(violation for violation in found if not _is_within(violation, spared))
                if not found:
                    return
                # Asked of the class: a field may bear the name of a method and hide it.
                is_complete = bool(spared) or type(message).ByteSize(message) <= LIMIT_EXPLAINED_BYTES
                if is_complete and not spared:
                    found = engine.find_violations(message)
            except UnusableRules as failure:
                if not (failure.is_broken and faults):
                    self._tell_once(request, failure)
                return
            is_complete = is_complete and len(found) <= LIMIT_CAUSES
            raise ArgumentProblems(_explain(found, request), is_complete=is_complete)

        return check

    def _find_faults(self, request: Descriptor) -> Mapping[str, str]:
        """Why rules cannot be used, by the full names of the types in such a request that have them."""
        faults = self._faults.get(request.full_name)
        if faults is None:
            ruled = self._rules.list_ruled_types(request)
            found = ((kind.full_name, self._engine.find_fault(kind)) for kind in ruled)
            faults = self._faults[request.full_name] = {name: fault for name, fault in found if fault is not None}
        return faults

    def _tell_once(self, request: Descriptor, failure: UnusableRules) -> None:
        if request.full_name in self._told:
            return
        self._told.add(request.full_name)
        self._tell(
            f"validation rules failed over a request of the type {request.full_name}, which was sent unchecked: "
            f"{failure.reason}"
        )


def _is_within(violation: Violation, numbers: Container[int]) -> bool:
    """Whether the violation is in one of these fields of the request."""
    return bool(violation.elements) and violation.elements[0]["fieldNumber"] in numbers


def _explain(violations: Iterable[Violation], request: Descriptor) -> tuple[Problem, ...]:
    return tuple(
        Problem(at=follow_elements(violation.elements, request), text=_explain_one(violation, request))
        for violation in islice(violations, LIMIT_CAUSES)
    )


def _explain_one(violation: Violation, request: Descriptor) -> str:
    if violation.oneof:
        return f"needs exactly one of {_list_members(violation, request)}"
    if violation.rule_id == "required":
        return "is required"
    said = violation.message
    if said.startswith('"') and said.endswith(_RETURNED_FALSE):
        # A rule without words of its own: the engine shows its expression, which is no answer to a caller.
        is_named = violation.rule_id and violation.rule_id != said[1 : -len(_RETURNED_FALSE)]
        said = f"breaks the rule {quote(violation.rule_id)}" if is_named else "breaks a rule of the backend"
    said = one_line(said or violation.rule_id, _LIMIT_MESSAGE)
    return f"key: {said}" if violation.is_for_key else said


def _list_members(violation: Violation, request: Descriptor) -> str:
    message = find_message(violation.elements, request)
    if message is None:
        return one_line(violation.oneof, _LIMIT_MESSAGE)
    members = {field.number for field in message.oneofs_by_name[violation.oneof].fields}
    published = get_field_names(message).published
    return ", ".join(f"`{name}`" for name, field in published.items() if field.number in members)
