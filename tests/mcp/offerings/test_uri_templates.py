"""Templates and URIs go both ways."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.mcp.offerings.uri_templates import parse_uri_template

TEMPLATE = parse_uri_template("shop://orders/{order}/lines/{line}")


@given(order=st.text(min_size=1), line=st.text(min_size=1))
def test_what_is_expanded_is_found_again(order: str, line: str) -> None:
    try:
        uri = TEMPLATE.expand({"order": order, "line": line})
    except UnicodeEncodeError:  # half a character is no text for a URI
        return
    assert TEMPLATE.find_values(uri) == {"order": order, "line": line}


@pytest.mark.parametrize(
    "uri",
    ["shop://orders/1/lines/", "shop://orders/1/2/lines/3", "shop://orders//lines/3", "SHOP://orders/1/lines/2", ""],
)
def test_a_uri_of_another_form_has_no_values(uri: str) -> None:
    assert TEMPLATE.find_values(uri) is None


@pytest.mark.parametrize("text", ["a://{+path}", "a://{x", "a://{x}/{x}", "a://{x}{y}", "a://{}", "a://{x,y}"])
def test_what_level_1_has_no_form_for_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"must be a URI template|twice|nothing between"):
        parse_uri_template(text)


def test_a_template_knows_its_variables_and_takes_its_text_literally() -> None:
    template = parse_uri_template("test://a.b/{id}?x={y}")
    assert template.variables == ("id", "y")
    assert template.find_values("test://a.b/1?x=2") == {"id": "1", "y": "2"}
    assert template.find_values("test://aXb/1?x=2") is None
