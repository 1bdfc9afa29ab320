"""Every command that the documents show is run, with the demo shop in the place of a server of the reader's own."""

import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorSet

from gateway.app.locking.lock_file import make_surface, write_surface
from gateway.app.one_shot import look_once
from gateway.app.settings.loader import load_settings
from gateway.demo.server import demo_descriptor_set

ROOT = Path(__file__).parents[2]
DOCUMENTS = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
FENCE = re.compile(r"^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)(?P<path>[^)#]+)(?:#[^)]*)?\)")


def read_commands() -> list[str]:
    """The `$ propylon …` lines of every console block, comments left out, each once."""
    lines = [
        line.removeprefix("$ ").partition(" #")[0].strip()
        for document in DOCUMENTS
        for block in FENCE.finditer(document.read_text())
        if block["kind"] == "console"
        for line in block["text"].splitlines()
        if line.startswith("$ propylon ")
    ]
    return list(dict.fromkeys(lines))


COMMANDS = read_commands()
SERVING = [command for command in COMMANDS if command.startswith("propylon serve")]
ENDING = [command for command in COMMANDS if command not in SERVING]


def start(words: list[str], folder: Path) -> subprocess.Popen[str]:
    """A process of this project's, whose output can be read line by line."""
    return subprocess.Popen(
        [sys.executable, "-m", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a shop that runs in a process of its own."""
    with start(["gateway.demo", "--port", "0"], tmp_path_factory.mktemp("shop")) as process:
        assert process.stdout is not None
        address = re.search(r"127\.0\.0\.1:\d+", process.stdout.readline())
        assert address is not None
        yield address[0]
        process.terminate()


@pytest.fixture
def folder(tmp_path: Path, shop: str) -> Path:
    """A folder with the files that the commands name."""
    (tmp_path / "api.binpb").write_bytes(FileDescriptorSet(file=demo_descriptor_set()).SerializeToString())
    (tmp_path / "proto").symlink_to(ROOT / "proto")
    (tmp_path / "propylon.yaml").write_text(f"backends:\n  - name: shop\n    target: {shop}\nlisten: 127.0.0.1:0\n")
    settings = load_settings(tmp_path / "propylon.yaml", {})
    write_surface(tmp_path / "propylon.lock.json", make_surface(look_once(settings).catalogue))
    return tmp_path


def fill_in(command: str, shop: str) -> list[str]:
    """The command's words, with addresses of this machine in the place of the reader's."""
    words = [shop if re.fullmatch(r"\w+:50051", word) else word for word in shlex.split(command)]
    words = ["127.0.0.1:0" if re.fullmatch(r"[\d.]+:8080", word) else word for word in words]
    return ["gateway", *words[1:]]


@pytest.mark.parametrize("command", ENDING)
def test_a_command_that_the_documents_show_ends_well(command: str, folder: Path, shop: str) -> None:
    with start(fill_in(command, shop), folder) as process:
        output, errors = process.communicate(timeout=60)

    assert (process.returncode, errors) == (0, "")
    assert output.strip()


@pytest.mark.parametrize("command", SERVING)
def test_a_gateway_that_the_documents_start_serves_and_stops(command: str, folder: Path, shop: str) -> None:
    words = fill_in(command, shop)
    if not {"-c", "--listen"} & set(words):
        words += ["--listen", "127.0.0.1:0"]
    # Two backends of one kind need prefixes; here the second is the first, so that it is named once.
    words = list(dict.fromkeys(words))

    with start(words, folder) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)

    assert re.fullmatch(r"Propylon serves \d+ tools of 1 backend at http://[\d.]+:\d+/mcp\n", line)
    assert process.returncode == 0


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_link_in_the_documents_leads_somewhere(document: Path) -> None:
    paths = [match["path"] for match in LINK.finditer(document.read_text())]

    assert [path for path in paths if not (document.parent / path).exists()] == []


def test_the_demo_is_the_first_command_and_the_tests_the_second() -> None:
    readme = (ROOT / "README.md").read_text()
    blocks = [block["text"].strip() for block in FENCE.finditer(readme) if block["kind"] == "sh"]

    assert len(blocks) == 2
    assert all(len(block.splitlines()) == 1 for block in blocks)
    assert blocks[0].endswith("propylon serve --demo")
    assert blocks[1].endswith("python -m pytest -q")
