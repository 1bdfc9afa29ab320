"""`tools`, `call` and `check` as processes, against the demo's shop in a process of its own."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]

COMMAND = [sys.executable, "-m", "gateway"]
GET_ORDER = "demo_shop_v1_OrderService_GetOrder"


def test_tools_prints_one_line_a_tool_to_a_pipe(run: Run, shop: str) -> None:
    done = run("tools", shop)
    lines = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (0, "")
    assert lines[0].split() == ["TOOL", "RPC", "WHAT", "IT", "DOES"]
    assert [line.split()[:2] for line in lines if line.startswith(GET_ORDER)] == [
        [GET_ORDER, "demo.shop.v1.OrderService/GetOrder"]
    ]
    assert "Health" not in done.stdout
    assert "Reflection" not in done.stdout


def test_tools_as_json_are_the_entries_of_the_list(run: Run, shop: str) -> None:
    done = run("tools", shop, "--json", "--include", "demo.shop.v1.OrderService", "--exclude", "*/List*")
    entries = json.loads(done.stdout)
    assert [entry["_meta"]["dev.propylon/rpc"] for entry in entries] == [
        "demo.shop.v1.OrderService/CancelOrder",
        "demo.shop.v1.OrderService/CreateOrder",
        "demo.shop.v1.OrderService/GetOrder",
        "demo.shop.v1.OrderService/NegotiatePrice",
        "demo.shop.v1.OrderService/WatchOrder",
    ]
    assert entries[2].keys() == {
        "name", "title", "description", "inputSchema", "outputSchema", "annotations", "_meta"
    }  # fmt: skip
    assert entries[2]["name"] == GET_ORDER


def test_the_names_of_two_like_backends_need_a_prefix(run: Run, shop: str, tmp_path: Path) -> None:
    file = tmp_path / "propylon.yaml"
    other = shop.replace("127.0.0.1", "localhost")
    backends = [{"name": "eu", "target": "${EU}"}, {"name": "us", "target": other}]
    file.write_text(json.dumps({"backends": backends, "tools": {"include": ["*/GetOrder"]}}))
    refused = run("tools", "-c", str(file), EU=shop)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == (
        f'propylon: two RPCs would be the tool "{GET_ORDER}": demo.shop.v1.OrderService/GetOrder of backend eu and '
        "demo.shop.v1.OrderService/GetOrder of backend us; give one backend a prefix, or exclude one of the two\n"
    )
    backends[1]["prefix"] = "us"
    file.write_text(json.dumps({"backends": backends, "tools": {"include": ["*/GetOrder"]}}))
    served = run("tools", "-c", str(file), "--json", EU=shop)
    assert [entry["name"] for entry in json.loads(served.stdout)] == [GET_ORDER, f"us_{GET_ORDER}"]


def test_a_backend_that_is_away_is_named_beside_the_tools_of_the_others(run: Run, shop: str, closed_port: int) -> None:
    done = run("tools", shop, f"127.0.0.1:{closed_port}")
    assert done.returncode == 1
    assert GET_ORDER in done.stdout
    assert done.stderr.startswith(f"propylon: backend 127.0.0.1:{closed_port} is missing here: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("command", [["tools"], ["check"], ["call", GET_ORDER, "{}"]])
def test_a_server_that_is_not_there_is_one_line(run: Run, closed_port: int, command: list[str]) -> None:
    done = run(*command, f"127.0.0.1:{closed_port}", GRPC_VERBOSITY="")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"propylon: cannot learn the services: 127.0.0.1:{closed_port} cannot be reached")
    assert done.stderr.count("\n") == 1


def test_a_descriptor_file_that_is_none_is_one_line(run: Run, shop: str, tmp_path: Path) -> None:
    (tmp_path / "a.binpb").write_text('syntax = "proto3";')
    done = run("tools", shop, "--descriptors", str(tmp_path / "a.binpb"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"propylon: {tmp_path}/a.binpb is .proto source; give its folder to --protos")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("--descriptors", "."), ". is a folder; a folder of .proto files goes to --protos"),
        (
            ("--descriptors", "no.binpb"),
            (
                "no.binpb cannot be read: No such file or directory; "
                "write one with buf build -o FILE.binpb, or protoc --include_imports --include_source_info -o FILE"
            ),
        ),
        (("--protos", "a.binpb"), "a.binpb is a file; a descriptor set goes to --descriptors"),
        (("--protos", "no"), "no is not there; give the folder that the imports of the .proto files start from"),
    ],
)
def test_a_path_of_the_wrong_kind_is_one_line(
    run: Run, shop: str, tmp_path: Path, arguments: tuple[str, ...], line: str
) -> None:
    (tmp_path / "a.binpb").touch()
    done = run("tools", shop, *arguments, folder=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"propylon: {line}\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_output_that_cannot_be_written_is_one_line() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*COMMAND, "tools", "--demo"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=20, check=False
        )
    assert (done.returncode, done.stderr) == (2, "propylon: cannot write the output: No space left on device\n")


@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
def test_standard_streams_that_are_closed_are_no_fault() -> None:
    command = shlex.join([*COMMAND, "tools", "--demo"])
    done = subprocess.run(
        ["/bin/sh", "-c", f"{command} <&- >&-"], stderr=subprocess.PIPE, text=True, timeout=20, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_call_prints_the_result(run: Run, shop: str) -> None:
    done = run("call", GET_ORDER, '{"id": "o-1001"}', shop)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["order"]["id"] == "o-1001"


def test_a_call_takes_its_arguments_from_a_file_or_standard_input(run: Run, shop: str, tmp_path: Path) -> None:
    (tmp_path / "arguments.json").write_text('{"id": "o-1002"}')
    from_file = run("call", GET_ORDER, f"@{tmp_path}/arguments.json", shop)
    from_input = run("call", GET_ORDER, "-", shop, given='{"id": "o-1002"}')
    assert json.loads(from_file.stdout)["order"]["id"] == "o-1002"
    assert from_file.stdout == from_input.stdout


@pytest.mark.parametrize(
    ("tool", "arguments", "first_line"),
    [
        (GET_ORDER, '{"id": "o-9"}', 'NOT_FOUND: there is no order "o-9"'),
        (GET_ORDER, '{"idd": "o-9"}', None),
        (f"{GET_ORDER}s", "{}", f'error -32602: Unknown tool: "{GET_ORDER}s"; did you mean "{GET_ORDER}"?'),
    ],
)
def test_an_error_is_readable_and_ends_with_status_1(
    run: Run, shop: str, tool: str, arguments: str, first_line: str | None
) -> None:
    done = run("call", tool, arguments, shop)
    assert (done.returncode, done.stdout) == (1, "")
    if first_line is None:
        assert done.stderr.startswith("INVALID_ARGUMENT: arguments: /idd ")
    else:
        assert done.stderr.splitlines()[0] == first_line
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("tool", "note"),
    [
        (
            "demo_shop_v1_OrderService_CancelOrder",
            "demo.shop.v1.OrderService/CancelOrder of backend shop is not offered: not chosen by include and exclude",
        ),
        (
            "demo.shop.v1.OrderService/CancelOrder",
            "demo.shop.v1.OrderService/CancelOrder of backend shop is not offered: not chosen by include and exclude",
        ),
        ("bogus", "propylon tools lists the tools there are, propylon check what is not offered and why"),
    ],
)
def test_a_call_of_an_unknown_tool_tells_why_there_may_be_none(run: Run, tool: str, note: str) -> None:
    done = run("call", tool, "{}", "--demo", "--exclude", "*/CancelOrder")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[1:] == [f"propylon: {note}"]


def test_a_call_of_an_unknown_tool_names_the_backends_that_are_away(run: Run, shop: str, closed_port: int) -> None:
    done = run("call", "stock_Stock_Count", "{}", shop, f"127.0.0.1:{closed_port}")
    assert done.returncode == 1
    assert done.stderr.splitlines()[1].startswith(f"propylon: backend 127.0.0.1:{closed_port} is missing here: ")


def test_a_call_shows_what_the_answer_withholds_as_the_log_has_it(run: Run) -> None:
    done = run("call", "demo_shop_v1_DiagnosticsService_Crash", "{}", "--demo")
    logged, error = done.stderr.splitlines()[:2]
    reference = re.search(r"reference=(\w+) said=.*", logged)
    assert reference is not None
    assert error.startswith("error -32603: INTERNAL: ")
    assert error.endswith(f"(reference {reference[1]})")


def test_check_says_what_is_served_and_what_is_left_out_and_why(run: Run) -> None:
    done = run("check", "--demo", "--exclude", "*/Crash")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines if line.startswith(GET_ORDER)] == [GET_ORDER]
    assert any(line.startswith("demo_shop_v1_OrderService_WatchOrder ") for line in lines)
    assert any("DiagnosticsService/Crash" in line and "not chosen by include and exclude" in line for line in lines)
    assert lines[-2] == "22 tools of 1 backend; 0 skipped, 1 left out."
    assert re.fullmatch(r"The list has [\d,]+ bytes, about [\d,]+ tokens\.", lines[-1])


def test_check_ends_with_status_1_where_nothing_would_be_served(run: Run) -> None:
    done = run("check", "--demo", "--include", "shop.*")
    assert (done.returncode, done.stderr) == (1, "")
    assert '"shop.*" fits no RPC; is it misspelt?' in done.stdout
    assert done.stdout.splitlines()[-2] == "0 tools of 1 backend; 0 skipped, 23 left out."


def test_check_ends_with_status_1_over_a_backend_that_cannot_be_asked(run: Run, shop: str, closed_port: int) -> None:
    done = run("check", shop, f"127.0.0.1:{closed_port}")
    assert done.returncode == 1
    assert "Skipped:" in done.stdout
    assert "cannot be reached" in done.stdout


def test_a_reader_that_has_gone_is_no_fault(shop: str, run: Run) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "gateway", "tools", shop, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    with process.stderr as errors:
        assert errors.read() == b""
    assert process.wait(20) == 1


def test_check_looks_at_tools_in_the_form_of_a_model_provider(run: Run, tmp_path: Path) -> None:
    done = run("check", "--demo", "--profile", "openai-strict", "--include", "*/GetOrder")
    assert (done.returncode, done.stderr) == (0, "")
    neutral = run("check", "--demo", "--include", "*/GetOrder")
    assert done.stdout.splitlines()[-1] != neutral.stdout.splitlines()[-1]

    config = tmp_path / "propylon.yaml"
    schema = "{type: object, properties: {id: {oneOf: [{type: string}]}}, additionalProperties: false}"
    config.write_text(f"rpcs:\n  - {{match: '*/GetOrder', input_schema: {schema}}}\n")
    done = run("check", "--demo", "-c", str(config), "--profile", "openai-strict", "--include", "*/GetOrder")
    assert (done.returncode, done.stderr) == (1, "")
    lines = done.stdout.splitlines()
    start = lines.index("Not listed in the profile openai-strict:")
    assert lines[start + 2].split(maxsplit=1) == [GET_ORDER, "it uses oneOf, which is not taken"]
    assert lines[-2].startswith("0 tools of 1 backend; ")


def test_check_says_that_tools_are_many(run: Run, tmp_path: Path) -> None:
    config = tmp_path / "propylon.yaml"
    config.write_text("tools: {many: 22}\n")
    done = run("check", "--demo", "-c", str(config))
    assert done.returncode == 0
    assert "23 tools are more than tools.many, 22, and models choose badly among so many" in done.stdout


def test_a_call_gives_the_headers_that_arguments_come_from(run: Run, tmp_path: Path) -> None:
    config = tmp_path / "propylon.yaml"
    config.write_text("rpcs:\n  - {match: '*/GetOrder', arguments: {id: {header: X-Order}}}\n")
    command = ("call", GET_ORDER, "{}", "--demo", "-c", str(config))
    done = run(*command, "--header", "x-order: o-1001")
    assert (done.returncode, done.stderr) == (0, "")
    assert '"id": "o-1001"' in done.stdout
    done = run(*command)
    assert (done.returncode, done.stdout) == (1, "")
    assert "the HTTP header x-order, which id is taken from, is missing" in done.stderr
    done = run(*command, "--header", "o-1001")
    assert (done.returncode, done.stderr) == (2, "propylon: --header must be NAME:VALUE, such as X-Tenant:acme\n")
