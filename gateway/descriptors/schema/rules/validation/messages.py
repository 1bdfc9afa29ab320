"""What validation rules say of a message as a whole."""

from google.protobuf.descriptor import Descriptor

from gateway.contract.quoting import one_line
from gateway.descriptors.schema.rules.facts import Role
from gateway.descriptors.schema.rules.validation.clauses import LIMIT_TEXT
from gateway.descriptors.schema.rules.validation.values import list_expressions
from gateway.descriptors.validation.rules import Rules


def list_message_notes(rules: Rules, message: Descriptor, role: Role) -> tuple[str, ...]:
    """The rules that no single field has, in words. Fields that exclude each other are the fields' own notes."""
    if role is Role.UNCHECKED or not rules.has_rules(message):
        return ()
    own = rules.find_message_rules(message)
    return () if own is None else tuple(one_line(clause.text, LIMIT_TEXT) for clause in list_expressions(own))


def find_required_oneofs(rules: Rules, message: Descriptor, role: Role) -> frozenset[str]:
    """The names of the oneofs of which one member must be set."""
    if role is Role.UNCHECKED or not rules.has_rules(message):
        return frozenset()
    return frozenset(oneof.name for oneof in message.oneofs if rules.is_oneof_required(oneof))
