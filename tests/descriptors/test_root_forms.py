import pytest
from google.api import httpbody_pb2
from google.protobuf import any_pb2, duration_pb2, empty_pb2, field_mask_pb2, struct_pb2, timestamp_pb2, wrappers_pb2

from gateway.descriptors.root_forms import RootForm, get_root_form, is_structured

NOT_AN_OBJECT = [
    struct_pb2.Value,
    struct_pb2.ListValue,
    timestamp_pb2.Timestamp,
    duration_pb2.Duration,
    field_mask_pb2.FieldMask,
    *(getattr(wrappers_pb2, name) for name in wrappers_pb2.DESCRIPTOR.message_types_by_name),
]


@pytest.mark.parametrize("message", NOT_AN_OBJECT, ids=lambda message: message.DESCRIPTOR.name)
def test_a_message_whose_json_is_no_object_is_one_value_in_and_only_text_out(message):
    assert (get_root_form(message.DESCRIPTOR), is_structured(message.DESCRIPTOR)) == (RootForm.VALUE, False)


@pytest.mark.parametrize(
    ("message", "form", "structured"),
    [
        (struct_pb2.Struct, RootForm.OPEN, True),
        (any_pb2.Any, RootForm.VALUE, True),
        (empty_pb2.Empty, RootForm.FIELDS, True),
        (httpbody_pb2.HttpBody, RootForm.FIELDS, False),
    ],
    ids=["Struct", "Any", "Empty", "HttpBody"],
)
def test_the_other_special_messages_each_have_their_own_form(message, form, structured):
    assert (get_root_form(message.DESCRIPTOR), is_structured(message.DESCRIPTOR)) == (form, structured)
