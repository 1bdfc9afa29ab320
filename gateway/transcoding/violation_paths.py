"""From a backend's field path to a JSON pointer into the arguments.

Backends name fields as protobuf does (`line_items[3].unit_price`, google.rpc.BadRequest; elements with numbers,
buf.validate.FieldPath); the caller knows them by their published names (`/lineItems/3/unitPrice`). What cannot be
followed through the request is repeated as it came: a hint is better than none.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from gateway.contract.distilled import make_pointer
from gateway.contract.quoting import one_line
from gateway.descriptors.field_names import get_field_names
from gateway.transcoding.converters.type_index import get_message_type, is_map

# A name, or an index or key in brackets; quotes around a key are not part of it.
_STEP = re.compile(r"""\.?([^.\[\]]+)|\[(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\]]*))\]""")
_LIMIT_PATH = 300
_LIMIT_STEPS = 32

_SUBSCRIPTS = ("index", "boolKey", "intKey", "uintKey", "stringKey")


def follow_path(path: str, request: Descriptor) -> str:
    """The pointer for a path in text: names by dots, indices and map keys in brackets or after a dot; "" for none."""
    if path.startswith("/"):
        return one_line(path, _LIMIT_PATH)
    place = _Place(request)
    for count, (name, *keys) in enumerate(_STEP.findall(path[:_LIMIT_PATH])):
        if count == _LIMIT_STEPS:
            break
        if name:
            place.step_to(name)
        else:
            place.step_into(next((key for key in keys if key), ""))
    return make_pointer(place.path)


def follow_elements(elements: Iterable[Mapping[str, Any]], request: Descriptor) -> str:
    """The pointer for the elements of a buf.validate.FieldPath as JSON."""
    return make_pointer(_follow(elements, request).path)


def find_message(elements: Iterable[Mapping[str, Any]], request: Descriptor) -> Descriptor | None:
    """The type of the message to which these elements lead; None where they leave what the request describes."""
    return _follow(elements, request).message


def _follow(elements: Iterable[Mapping[str, Any]], request: Descriptor) -> "_Place":
    place = _Place(request)
    for _, element in zip(range(_LIMIT_STEPS), elements, strict=False):
        place.step_to(str(element.get("fieldName", "")), number=element.get("fieldNumber"))
        for subscript in _SUBSCRIPTS:
            if subscript in element:
                key = element[subscript]
                place.step_into(str(key).lower() if isinstance(key, bool) else str(key))
    return place


class _Place:
    """Where a path has led so far. `message` is None once it left what the request describes."""

    def __init__(self, request: Descriptor) -> None:
        self.path: list[str] = []
        self.message: Descriptor | None = request
        self._many: FieldDescriptor | None = None

    def step_to(self, name: str, *, number: object = None) -> None:
        """To a field of the message; after a map to the entry of that key, after a list to the item of that number.

        Where `number` is that of the field with this proto name, a field that only prints under the name is not meant.
        """
        if self._many is not None and (is_map(self._many) or name.isdigit()):
            self.step_into(name)
            return
        names = None if self.message is None else get_field_names(self.message)
        field = None if names is None else names.accepted.get(name)
        if self.message is not None and isinstance(number, int):
            numbered = self.message.fields_by_number.get(number)
            field = numbered if numbered is not None and numbered.name == name else field
        if names is None or field is None:
            self.path.append(name)
            self.message = self._many = None
            return
        self.path.append(next(key for key, other in names.published.items() if other.number == field.number))
        self._many = field if field.is_repeated else None
        self.message = None if is_map(field) else field.message_type

    def step_into(self, key: str) -> None:
        """To an item of a list or an entry of a map."""
        self.path.append(key)
        if self._many is not None and is_map(self._many):
            self.message = get_message_type(self._many).fields_by_name["value"].message_type
        self._many = None
