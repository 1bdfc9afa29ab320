"""What an operator sees of his mistakes: one line, status 2, nothing of a traceback."""

import json
from pathlib import Path

import pytest

from gateway import __version__
from gateway.app.catalogue_builder import Findings, LeftOut, Offer, combine_offers
from gateway.app.one_shot import Look
from gateway.cli import ring


def complaint(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert ring.run(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    return printed.err.rstrip("\n")


@pytest.mark.parametrize(
    ("arguments", "commands"), [([], {"serve", "tools", "call", "check", "config"}), (["config"], {"check", "schema"})]
)
def test_without_a_command_the_help_is_printed(
    arguments: list[str], commands: set[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert ring.run(arguments) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith(f"Usage: {' '.join(['propylon', *arguments])}")
    assert commands <= set(printed.out.split())
    assert printed.err == ""


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert ring.run(["--version"]) == 0
    assert capsys.readouterr().out == f"propylon {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["serve"], "no backend to serve; give HOST:PORT, -c propylon.yaml or --demo"),
        (["tools", "--demo", "localhost:1"], "--demo brings its own backend; leave out HOST:PORT, or leave out --demo"),
        (["check", "localhost:1", "localhost:1"], "localhost:1 is given twice; give each backend once"),
        (["serve", "localhost:1", "--listen", "8080"], '--listen must be HOST:PORT such as 127.0.0.1:8080, got "8080"'),
        (["serve", "localhost:1", "--listen", "h:99999"], '--listen must end in a port from 0 to 65535, got "h:99999"'),
        (
            ["serve", "localhost:1", "--include", "a b"],
            '--include must be a glob such as "shop.v1.*" or "*/Delete*", got "a b"',
        ),
        (["call", "a_Tool", "[1]", "localhost:1"], 'the arguments must be a JSON object, such as {"name": "a"}'),
        (
            ["call", "a_Tool", "@/no/such", "localhost:1"],
            "cannot read the arguments from /no/such: No such file or directory",
        ),
        (["call", "localhost:1", "a_Tool"], "the tool comes before the server: propylon call TOOL JSON HOST:PORT"),
        (
            ["call", "a_Tool", "localhost:1"],
            "the arguments come before the server: propylon call TOOL '{}' localhost:1",
        ),
        (["tools", "localhost:1", "--debug"], "--debug stands before the command: propylon --debug tools …"),
        (["config", "check", "--debug"], "--debug stands before the command: propylon --debug config check …"),
        (["call"], "Missing argument 'TOOL' (see propylon call --help)"),
        (
            ["serve", "-c", "/no/such.yaml"],
            "cannot read /no/such.yaml: No such file or directory",
        ),
        (["bogus"], "No such command 'bogus' (see propylon --help)"),
    ],
)
def test_a_mistake_is_one_line_that_says_what_to_do(
    arguments: list[str], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert complaint(arguments, capsys) == f"propylon: {line}"


def test_a_target_without_a_port_is_a_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    assert "the port is missing; write localhost:PORT" in complaint(["tools", "localhost"], capsys)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("propylon.yaml", "propylon.yaml is a file, not HOST:PORT; give it with -c"),
        ("api.binpb", "api.binpb is a file, not HOST:PORT; give it with --descriptors"),
        ("proto", "proto is a folder, not HOST:PORT; a folder of .proto files goes to --protos"),
    ],
)
def test_a_file_in_the_place_of_a_target_is_told_where_it_belongs(
    name: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "proto").mkdir()
    for file in ("propylon.yaml", "api.binpb"):
        (tmp_path / file).touch()
    assert complaint(["serve", name], capsys) == f"propylon: {line}"


def test_descriptors_go_with_one_backend(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.binpb").touch()
    line = complaint(["serve", "a:1", "b:1", "--descriptors", str(tmp_path / "a.binpb")], capsys)
    assert line == ("propylon: --descriptors describes one backend; give one HOST:PORT, or write it in a propylon.yaml")


def test_backends_come_from_one_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "propylon.yaml"
    file.write_text("backends: [{name: a, target: 'localhost:1'}]\n")
    assert complaint(["serve", "-c", str(file), "localhost:2"], capsys) == (
        f"propylon: {file} names its own backends; leave out localhost:2, or leave out -c"
    )
    assert complaint(["serve", "-c", str(file), "--demo"], capsys) == (
        f"propylon: {file} names its own backends; leave out --demo, or leave out -c"
    )
    file.write_text("log: {level: debug}\n")
    assert complaint(["serve", "-c", str(file)], capsys) == (
        f"propylon: {file} names no backend; add one under backends, or give HOST:PORT"
    )


def test_all_faults_of_a_file_are_listed_under_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "propylon.yaml"
    file.write_text("listn: 'a:1'\nlog: {level: loud}\nbackends: [{name: a}]\n")
    for arguments in (["serve", "-c", str(file)], ["config", "check", str(file)]):
        assert ring.run(arguments) == 2
        assert capsys.readouterr().err.splitlines() == [
            f"propylon: {file} has 3 faults:",
            "  /backends/0/target: is required",
            '  /listn: unknown key; did you mean "listen"?',
            '  /log/level: must be one of "info", "debug", "warning", "error", got "loud"',
        ]


def test_the_schema_of_the_file_is_printed_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert ring.run(["config", "schema"]) == 0
    schema = json.loads(capsys.readouterr().out)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["properties"]["backends"]["items"]["required"] == ["name", "target"]


def test_a_good_file_is_said_to_be_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "propylon.yaml"
    file.write_text("backends: [{name: a, target: 'localhost:1'}]\n")
    assert ring.run(["config", "check", str(file)]) == 0
    assert capsys.readouterr().out == f"{file} is well formed: 1 backend.\n"


def test_a_fault_of_propylon_is_one_line_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise KeyError("a\nb")

    monkeypatch.setattr("gateway.cli.tools.choose_settings", fail)
    assert ring.run(["tools", "--demo"]) == 70
    assert capsys.readouterr().err == (
        "propylon: this is a fault of propylon, not yours: KeyError: 'a\\nb' (propylon --debug … shows the traceback)\n"
    )
    with pytest.raises(KeyError):
        ring.run(["--debug", "tools", "--demo"])


def test_check_ends_with_status_1_over_a_skipped_service(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    findings = Findings(skipped=(LeftOut(name="x.Broken", reason="x.proto does not link"),))
    look = Look(catalogue=combine_offers(()), offers=(Offer(backend="eu", tools=(), findings=findings),), failures=())
    monkeypatch.setattr("gateway.app.one_shot.look_once", lambda *_, **__: look)
    assert ring.run(["check", "localhost:1"]) == 1
    printed = capsys.readouterr()
    assert printed.out.splitlines() == [
        "",
        "Skipped:",
        "BACKEND  WHAT      WHY",
        "eu       x.Broken  x.proto does not link",
        "",
        "0 tools of 1 backend; 1 skipped, 0 left out.",
        "The list has 0 bytes, about 0 tokens.",
    ]
