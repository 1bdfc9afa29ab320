"""What no reader should have to check by eye: rules about the source itself."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
GATEWAY = ROOT / "gateway"
LIMIT_LINES = 400
# Who writes requests, because the command line speaks as a client of the gateway: none of it is sent to a caller.
CLIENTS = {"gateway/app/one_shot.py", "gateway/cli/demo_text.py"}


def iter_modules():
    """Every module of the package that people write, by its path from the root."""
    for file in sorted(GATEWAY.rglob("*.py")):
        if GATEWAY / "gen" not in file.parents:
            yield file.relative_to(ROOT).as_posix(), file.read_text(encoding="utf-8")


def find_error_codes(source):
    """The lines that hold an integer in the range of error codes, written as a number."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.UnaryOp)
        and isinstance(node.op, ast.USub)
        and isinstance(node.operand, ast.Constant)
        and isinstance(node.operand.value, int)
        and -32768 <= -node.operand.value <= -31000
    ]


def find_envelopes(source):
    """The lines that write `jsonrpc` as a key: in a display, a call, an assignment, or in JSON as text."""
    lines = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Dict(keys=keys) if any(isinstance(key, ast.Constant) and key.value == "jsonrpc" for key in keys):
                lines.append(node.lineno)
            case ast.Call(keywords=keywords) if any(keyword.arg == "jsonrpc" for keyword in keywords):
                lines.append(node.lineno)
            case ast.Subscript(slice=ast.Constant(value="jsonrpc"), ctx=ast.Store()):
                lines.append(node.lineno)
            case ast.Constant(value=str() | bytes() as text) if _is_json_text(text):
                lines.append(node.lineno)
    return lines


def _is_json_text(text):
    return ('{"jsonrpc"' if isinstance(text, str) else b'{"jsonrpc"') in text


def test_the_searches_find_what_they_look_for():
    assert find_error_codes("a = -32603\nb = [-31000 - status]\nc = 32603\nd = -30999") == [1, 2]
    assert find_envelopes("a = {'jsonrpc': 1}\nb = dict(jsonrpc=1)\nc['jsonrpc'] = 1\nd = b'{\"jsonrpc\":1}'") == [
        1,
        2,
        3,
        4,
    ]
    assert find_envelopes("a = message['jsonrpc']\nb = message.get('jsonrpc')\n'about jsonrpc'") == []


def test_no_error_code_stands_outside_the_table_of_conditions():
    codes = {path: lines for path, source in iter_modules() if (lines := find_error_codes(source))}
    assert codes.keys() == {"gateway/contract/conditions.py"}


def test_no_envelope_is_written_outside_the_contract():
    written = {path: lines for path, source in iter_modules() if (lines := find_envelopes(source))}
    assert "gateway/contract/envelopes.py" in written
    assert [path for path in written.keys() - CLIENTS if not path.startswith("gateway/contract/")] == []


def test_no_module_is_longer_than_four_hundred_lines():
    lengths = {path: len(source.splitlines()) for path, source in iter_modules()}
    assert {path: length for path, length in lengths.items() if length > LIMIT_LINES} == {}
