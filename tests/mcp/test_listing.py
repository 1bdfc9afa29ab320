import orjson

from gateway.mcp.listing import Listing

ENTRY = {"name": "a", "inputSchema": {"type": "object", "properties": {"b": {"type": "string"}}}, "title": "Ä"}


def test_a_listing_is_a_mapping_kept_as_text():
    listing = Listing(ENTRY)
    assert dict(listing) == listing.decode() == ENTRY
    assert listing == ENTRY
    assert (list(listing), len(listing), listing["title"], listing.get("outputSchema")) == ([*ENTRY], 3, "Ä", None)
    assert listing.encoded == orjson.dumps(ENTRY)


def test_what_is_read_of_a_listing_does_not_change_it():
    listing = Listing(ENTRY)
    listing["inputSchema"]["type"] = "string"
    listing.decode().clear()
    assert dict(listing) == ENTRY


def test_a_listing_knows_which_arguments_are_mirrored_in_headers():
    schema = {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}
    parameters = Listing({"name": "a", "inputSchema": schema}).header_parameters
    assert [parameter.header for parameter in parameters] == ["Mcp-Param-Region"]
