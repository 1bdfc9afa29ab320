import pytest

from gateway.mcp.search.words import iterate_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("shop_v1_OrderService_ListOrders", ["shop", "v", "1", "order", "service", "list", "order"]),
        ("ListHTTPRoutes2", ["list", "http", "route", "2"]),
        ("Cancels the user's addresses, queries and boxes.", ["cancel", "user", "address", "query", "box"]),
        ("status bus analysis class", ["status", "bus", "analysis", "class"]),
        ("Größe der Straße", ["größe", "der", "straße"]),
        ("注文 キャンセル", ["注文", "キャンセル"]),
        ("", []),
        ("the of and", []),
    ],
)
def test_words_are_the_same_for_names_and_for_prose(text, words):
    assert list(iterate_words(text)) == words


def test_of_an_endless_text_the_beginning_is_read():
    assert len(list(iterate_words("a1 " * 100_000))) <= 4000
