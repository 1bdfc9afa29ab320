import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from gateway.app.operator_error import OperatorError
from gateway.app.settings.loader import default_settings, load_settings, read_settings
from gateway.app.settings.model import BackendSection, ListenAddress, ReadyWhen, TlsSection
from gateway.app.settings.schema import SETTINGS_SCHEMA
from gateway.telemetry.logs import LogFormat, LogLevel


def faults(raw: Any, folder: Path = Path(), **environ: str) -> dict[str, str]:
    with pytest.raises(OperatorError) as refusal:
        read_settings(raw, folder=folder, environ=environ, source="propylon.yaml")
    error = refusal.value
    lines = error.findings or (error.line.removeprefix("propylon.yaml: "),)
    return dict(line.split(": ", 1) for line in lines)


def test_the_schema_is_valid_and_takes_nothing_for_a_file() -> None:
    jsonschema.Draft202012Validator.check_schema(SETTINGS_SCHEMA)
    assert read_settings({}, folder=Path(), environ={}, source="") == default_settings()


def test_the_schema_can_be_printed_as_json() -> None:
    assert json.loads(json.dumps(SETTINGS_SCHEMA)) == SETTINGS_SCHEMA


def test_what_is_not_given_has_its_default() -> None:
    settings = default_settings()
    assert settings.listen == ListenAddress(host="127.0.0.1", port=8080)
    assert settings.backends == ()
    assert settings.http.path == "/mcp"
    assert settings.discovery.ready_when is ReadyWhen.EVERY_BACKEND
    assert (settings.log.level, settings.log.format) == (LogLevel.INFO, LogFormat.TEXT)


def test_a_whole_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").touch()
    (tmp_path / "shop.binpb").touch()
    (tmp_path / "proto").mkdir()
    file = tmp_path / "propylon.yaml"
    file.write_text(
        """
        listen: "[::1]:0"
        backends:
          - name: shop
            target: shop.internal:${SHOP_PORT}
            tls: {roots: ca.pem}
            descriptors: [shop.binpb]
            protos: [proto]
            prefix: shop_
            include: ["shop.v1.*"]
            exclude: ["*/Delete*"]
            metadata: {x-team: agents, key-bin: AAE=}
            discovery_metadata: {authorization: "Bearer ${TOKEN}"}
            deadline_seconds: ${DEADLINE:-2.5}
            receive_limit_bytes: ${LIMIT}
            lane: false
        tools:
        log: {level: debug, format: json}
        """
    )
    settings = load_settings(file, {"SHOP_PORT": "443", "TOKEN": "s3cret", "LIMIT": "2048"})
    assert settings.listen == ListenAddress(host="::1", port=0)
    assert settings.backends == (
        BackendSection(
            name="shop",
            target="shop.internal:443",
            tls=TlsSection(roots=tmp_path / "ca.pem"),
            descriptors=(tmp_path / "shop.binpb",),
            reflection=True,
            protos=(tmp_path / "proto",),
            prefix="shop_",
            include=("shop.v1.*",),
            exclude=("*/Delete*",),
            metadata=(("x-team", "agents"), ("key-bin", b"\x00\x01")),
            discovery_metadata=(("authorization", "Bearer s3cret"),),
            deadline_seconds=2.5,
            receive_limit_bytes=2048,
            lane=False,
        ),
    )
    assert settings.secrets() == ("agents", "Bearer s3cret", "s3cret")
    assert "s3cret" not in repr(settings)


def test_all_faults_are_named_at_once_by_their_place(tmp_path: Path) -> None:
    raw = {
        "listen": "8080",
        "backend": [],
        "backends": [
            {"name": "a", "target": "localhost:1", "deadline_second": 3, "include": ["a b"]},
            {"name": "a", "target": "localhost:1", "deadline_seconds": "soon", "descriptors": ["missing.binpb"]},
            {
                "target": "http//nonsense::1",
                "prefix": "9_",
                "metadata": {"X-Team": "a", "x-team": "b", "Grpc-x": "b", "ok": "a\nb"},
            },
        ],
        "tools": {"page_size": -1},
        "http": {"path": "mcp", "allowed_origins": ["example.com"], "allowed_hosts": ["http://x"]},
        "discovery": {"retry_initial_seconds": 60},
        "log": {"level": "loud"},
    }
    found = faults(raw, tmp_path)
    assert sorted(found) == [
        "/backend",
        "/backends/0/deadline_second",
        "/backends/0/include/0",
        "/backends/1/deadline_seconds",
        "/backends/1/descriptors/0",
        "/backends/1/name",
        "/backends/2/metadata/Grpc-x",
        "/backends/2/metadata/ok",
        "/backends/2/metadata/x-team",
        "/backends/2/name",
        "/backends/2/prefix",
        "/backends/2/target",
        "/discovery/retry_initial_seconds",
        "/http/allowed_hosts/0",
        "/http/allowed_origins/0",
        "/http/path",
        "/listen",
        "/log/level",
        "/tools/page_size",
    ]
    assert found["/backend"] == 'unknown key; did you mean "backends"?'
    assert found["/backends/0/deadline_second"] == 'unknown key; did you mean "deadline_seconds"?'
    assert found["/backends/1/name"] == '"a" is taken by /backends/0'
    assert found["/backends/2/metadata/x-team"] == 'is "X-Team" again: a metadata key has no case'
    assert found["/listen"] == 'must be HOST:PORT such as 127.0.0.1:8080, got "8080"'


def test_an_unknown_key_without_a_neighbour_is_told_what_is_known() -> None:
    assert faults({"shutdown": {"zzz": 1}}) == {"/shutdown/zzz": "unknown key; known here: drain_seconds"}


def test_a_fault_never_shows_a_secret_or_what_came_from_the_environment() -> None:
    raw = {
        "listen": "${TOKEN}",
        "backends": [
            {
                "name": "a",
                "target": "localhost:1",
                "metadata": {"x-a": "s3cret\n", "x-b": 918273645, "x-c": ["s3cret"], "key-bin": "s3cret!"},
                "deadline_seconds": "${TOKEN}",
            }
        ],
        "log": {"level": "${TOKEN}"},
        "tools": {"page_size": "${NUMBER}"},
    }
    found = faults(raw, TOKEN="s3cret-from-outside", NUMBER="-918273645")
    assert sorted(found) == [
        "/backends/0/deadline_seconds",
        "/backends/0/metadata/key-bin",
        "/backends/0/metadata/x-a",
        "/backends/0/metadata/x-b",
        "/backends/0/metadata/x-c",
        "/listen",
        "/log/level",
        "/tools/page_size",
    ]
    assert "s3cret" not in str(found)
    assert "918273645" not in str(found)
    assert found["/listen"] == "must be HOST:PORT such as 127.0.0.1:8080, got the value of TOKEN"


def test_a_missing_variable_is_a_fault_like_any_other() -> None:
    raw = {"listen": "${NOWHERE}", "http": {"path": 5}}
    assert sorted(faults(raw)) == ["/http/path", "/listen"]


def test_a_section_with_nothing_under_it_is_an_empty_one_and_tls_stays_on() -> None:
    raw = {"tools": None, "backends": [{"name": "a", "target": "localhost:1", "tls": None}]}
    settings = read_settings(raw, folder=Path(), environ={}, source="")
    assert settings.tools == default_settings().tools
    assert settings.backends[0].tls == TlsSection(roots=None)


def test_a_flag_for_a_section_is_told_how_to_write_it() -> None:
    text = "takes keys of its own and no flag; write {} to have it with its defaults, or leave it out"
    raw = {"backends": [{"name": "a", "target": "localhost:1", "tls": True}], "log": False}
    assert faults(raw) == {"/backends/0/tls": text, "/log": text}


def test_one_text_for_a_list_is_told_how_to_write_it() -> None:
    raw = {"backends": [{"name": "a", "target": "localhost:1", "exclude": "*/Delete*", "protos": "."}]}
    assert faults(raw) == {
        "/backends/0/exclude": 'must be a list; write ["*/Delete*"]',
        "/backends/0/protos": 'must be a list; write ["."]',
    }


def test_a_secret_in_the_place_of_metadata_is_not_shown() -> None:
    raw = {"backends": [{"name": "a", "target": "localhost:1", "metadata": "Bearer s3cret"}]}
    assert faults(raw) == {"/backends/0/metadata": "must be an object, got a value that is not shown"}


def test_a_path_that_no_file_system_takes_is_not_there() -> None:
    for name in ("x" * 300, "a\0b"):
        backend = {
            "name": "a",
            "target": "localhost:1",
            "descriptors": [name],
            "protos": [name],
            "tls": {"roots": name},
        }
        found = faults({"backends": [backend]})
        assert sorted(found) == ["/backends/0/descriptors/0", "/backends/0/protos/0", "/backends/0/tls/roots"]
        assert all("is not there" in text for text in found.values())


def test_tls_beside_a_target_without_it_is_a_contradiction() -> None:
    raw = {
        "backends": [
            {"name": "a", "target": "http://h:1", "tls": {}},
            {"name": "b", "target": "GRPC://h:1", "tls": None},
        ]
    }
    assert faults(raw) == {
        "/backends/0/tls": "the target's http:// is without TLS; write https://, or leave out tls",
        "/backends/1/tls": "the target's grpc:// is without TLS; write grpcs://, or leave out tls",
    }


def test_metadata_keys_may_be_written_as_headers_are() -> None:
    metadata = {"Authorization": "Bearer x", "X-Trace-Bin": "AAE="}
    raw = {"backends": [{"name": "a", "target": "localhost:1", "metadata": metadata}]}
    settings = read_settings(raw, folder=Path(), environ={}, source="")
    assert settings.backends[0].metadata == (("authorization", "Bearer x"), ("x-trace-bin", b"\x00\x01"))


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("path", ["mcp", "/", "//", "//mcp", "/a/../b", "/a/./b", "/readyz/", "/healthz", "/a b", "/a?b", "/ä"]),
        ("allowed_hosts", ["https://a", "*", "a:99999", "a:", "a/b", "[::1", "a:b"]),
        (
            "allowed_origins",
            ["*", "null", "a", "https://", "https://a/", "https://a:99999", "https://[a", "https://a@b"],
        ),
    ],
)
def test_what_no_client_could_send_is_no_path_host_or_origin(key: str, values: list[str]) -> None:
    for value in values:
        assert len(faults({"http": {key: value if key == "path" else [value]}})) == 1, value


def test_paths_hosts_and_origins_are_taken_as_clients_send_them() -> None:
    http: dict[str, Any] = {
        "path": "/v1/mcp/",
        "allowed_hosts": ["mcp.example.com", "localhost:8080", "[::1]:8080", "10.0.0.1"],
        "allowed_origins": [
            "https://app.example.com",
            "http://localhost:3000",
            "vscode-webview://abc",
            "http://[::1]:1",
        ],
    }
    section = read_settings({"http": http}, folder=Path(), environ={}, source="").http
    assert (section.path, list(section.allowed_hosts)) == (http["path"], http["allowed_hosts"])
    assert list(section.allowed_origins) == http["allowed_origins"]


@pytest.mark.parametrize("raw", [[], "text", 5, True])
def test_a_file_that_is_no_mapping_is_one_fault(raw: Any) -> None:
    with pytest.raises(OperatorError) as refusal:
        read_settings(raw, folder=Path(), environ={}, source="propylon.yaml")
    assert refusal.value.line.startswith("propylon.yaml: the file: ")


def test_a_file_that_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    for content, words in [(b"\xff\xfe\x00", "is not UTF-8 text"), (b"a: 1\na: 2\n", 'line 2: the key "a"')]:
        file = tmp_path / "propylon.yaml"
        file.write_bytes(content)
        with pytest.raises(OperatorError, match=words):
            load_settings(file, {})
    with pytest.raises(OperatorError, match="No such file"):
        load_settings(tmp_path / "other.yaml", {})
    with pytest.raises(OperatorError, match="Is a directory"):
        load_settings(tmp_path, {})
