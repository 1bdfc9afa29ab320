from collections.abc import Callable
from typing import Any

import pytest

from gateway.contract.validation import SchemaValidator


@pytest.fixture(scope="session")
def explain() -> Callable[[Any, Any], dict[str, list[str]]]:
    """Gives each place with its problems, of a value that the schema refuses."""

    def explain(schema, value):
        distilled = SchemaValidator(schema).validate(value)
        assert distilled is not None
        return {location["at"]: location["problems"] for location in distilled.errors}

    return explain
