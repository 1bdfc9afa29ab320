import io

import pytest

from gateway.cli.tables import Column, first_sentence, format_lines, format_table, print_table

COLUMNS = (
    Column(heading="Tool", is_name=True),
    Column(heading="RPC", is_name=True, is_second_line=True),
    Column(heading="What it does"),
)
ROWS = (
    ("shop_v1_Orders_GetOrder", "shop.v1.Orders/GetOrder", "Gets one order, with all of its lines and their prices."),
    ("shop_v1_Orders_ListOrders", "shop.v1.Orders/ListOrders", "Lists orders."),
)


def test_a_pipe_gets_one_whole_line_a_row() -> None:
    assert format_lines(COLUMNS, ROWS).splitlines() == [
        "TOOL                       RPC                        WHAT IT DOES",
        "shop_v1_Orders_GetOrder    shop.v1.Orders/GetOrder    Gets one order, with all of its lines and their prices.",
        "shop_v1_Orders_ListOrders  shop.v1.Orders/ListOrders  Lists orders.",
    ]


def test_a_narrow_terminal_gets_the_rpc_under_its_tool() -> None:
    assert format_table(COLUMNS, ROWS, width=60, color=False).splitlines() == [
        " Tool                       What it does",
        " " + "─" * 58,
        " shop_v1_Orders_GetOrder    Gets one order, with all of its",
        " shop.v1.Orders/GetOrder    lines and their prices.",
        " shop_v1_Orders_ListOrders  Lists orders.",
        " shop.v1.Orders/ListOrders",
    ]


def test_a_wide_terminal_gets_a_column_for_each() -> None:
    lines = format_table(COLUMNS, ROWS, width=150, color=False).splitlines()
    assert lines[2] == (
        " shop_v1_Orders_GetOrder    shop.v1.Orders/GetOrder    Gets one order, with all of its lines and their prices."
    )


def test_no_line_is_wider_than_the_terminal_and_names_stay_whole() -> None:
    name = "x" * 50
    for width in (80, 100, 139):
        lines = format_table(COLUMNS, [(name, "y" * 60, "word " * 40)], width=width, color=False).splitlines()
        assert max(map(len, lines)) <= width
        assert any(name in line for line in lines)


def test_numbers_stand_to_the_right() -> None:
    columns = (Column(heading="Tool"), Column(heading="Bytes", is_number=True))
    assert format_lines(columns, [("a", "5"), ("bb", "1,234")]) == "TOOL  BYTES\na         5\nbb    1,234\n"


def test_a_number_is_never_cut() -> None:
    columns = (Column(heading="Tool", is_name=True), *(Column(heading="Bytes", is_number=True) for _ in range(4)))
    numbers = ("16,240", "15,240", "111,689", "22,923")
    for width in (30, 40, 60, 80, 100):
        lines = format_table(columns, [("x" * 50, *numbers)], width=width, color=False).splitlines()
        assert lines[2].split()[1:] == list(numbers)
        assert max(map(len, lines)) <= max(width, 45)


def test_what_a_backend_wrote_cannot_paint_or_break_a_table() -> None:
    rows = [("a", "b", "[bold]red[/bold] \x1b[31m\nnext line\u202e")]
    for text in (format_lines(COLUMNS, rows), format_table(COLUMNS, rows, width=150, color=False)):
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert "[bold]red[/bold]" in text
        assert "next line" in text


def test_a_stream_that_is_no_terminal_gets_lines() -> None:
    stream = io.StringIO()
    print_table(COLUMNS, ROWS, stream=stream)
    assert stream.getvalue() == format_lines(COLUMNS, ROWS)


def test_a_terminal_that_takes_no_colour_gets_none(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    stream.isatty = lambda: True  # type: ignore[method-assign]
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    print_table(COLUMNS, ROWS, stream=stream)
    assert "\x1b[1m" in stream.getvalue()
    for name, value in (("TERM", "dumb"), ("NO_COLOR", "1")):
        stream.seek(0)
        stream.truncate()
        with monkeypatch.context() as patch:
            patch.setenv(name, value)
            print_table(COLUMNS, ROWS, stream=stream)
        assert "\x1b" not in stream.getvalue()


def test_the_first_sentence_is_what_a_description_says_first() -> None:
    assert first_sentence("Gets an order. Fails if it is not there.\n\nMore.") == "Gets an order."
    assert first_sentence("Gets an\norder") == "Gets an order"
    assert first_sentence("Gets an order, e.g. o-1. Fails else.") == "Gets an order, e.g. o-1."
    assert len(first_sentence("a" * 1000)) == 160
