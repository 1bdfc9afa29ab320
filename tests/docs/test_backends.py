"""What docs/backends.md shows compiles, and says the same in both ways."""

import re
import subprocess
import sys
from importlib import resources
from pathlib import Path
from typing import Any

from gateway.app.settings.loader import read_settings
from gateway.app.settings.rpc_schema import RPC_ENTRY
from gateway.app.settings.yaml_text import parse_yaml
from gateway.descriptors.facts.vocabulary import get_gateway_class
from gateway.descriptors.rpc_facts import RpcFacts, read_rpc_facts
from tests.laws.compiled import OWN_PROTOS, compile_api

PAGE = (Path(__file__).parents[2] / "docs" / "backends.md").read_text("utf-8")
BLOCKS = dict(re.findall(r"^```(proto|yaml|python)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
API = compile_api(studio=BLOCKS["proto"])


# Asks the page's server for a picture, and answers its question.
PROGRAM = """
import asyncio, server
from studio.v1 import studio_pb2

async def paint(request):
    return [reply async for reply in server.Studio().Paint(request, None)]

(asked,) = asyncio.run(paint(studio_pb2.PaintRequest()))
assert asked.input_required.requests["size"].elicitation.message == "How large?"
request = studio_pb2.PaintRequest(subject="Sea")
request.context.answers["size"].elicitation.action = 1
request.context.answers["size"].elicitation.content["size"] = 40
last = asyncio.run(paint(request))[-1]
assert (last.title, last.notes[0].text.text) == ("Sea", "40 cm wide")
"""


def test_annotations_and_configuration_of_the_page_say_the_same() -> None:
    entries = read_settings(parse_yaml(BLOCKS["yaml"]), folder=Path(), environ={}, source="page").rpcs
    plain = re.sub(r" \[\(gateway\.v1\.field\)[^]]*\]", "", BLOCKS["proto"])
    plain = re.sub(r" \{\n    option .*?;\n  \}", ";", plain, flags=re.DOTALL)
    untouched = compile_api(studio=plain)
    assert read_rpc_facts(untouched.rpcs[0], untouched) == RpcFacts()
    said = read_rpc_facts(API.rpcs[0], API)
    assert said == read_rpc_facts(untouched.rpcs[0], untouched, entries)
    assert said.name == "paint"


def list_told(column: int) -> set[str]:
    """The names in one column of the page's two tables of facts."""
    rows = re.findall(r"^\| (.*) \|$", PAGE, re.MULTILINE)
    starts = [index for index, row in enumerate(rows) if row.startswith("`gateway.v1.")]
    cells = [
        row.split(" | ")[column] for start in starts for row in rows[start + 2 : start + 20] if row.count(" | ") == 2
    ]
    return {name.partition(":")[0] for cell in cells for name in re.findall(r"`([^`]+)`", cell)}


def list_fields(name: str) -> set[str]:
    message: Any = get_gateway_class(name)
    return {field.name for field in message.DESCRIPTOR.fields}


def test_the_page_names_every_fact_of_both_ways() -> None:
    assert list_fields("MethodAnnotation") | list_fields("FieldAnnotation") <= list_told(0)
    assert set(RPC_ENTRY["properties"]) - {"match"} <= list_told(1)


def test_the_python_of_the_page_runs(tmp_path: Path) -> None:
    (tmp_path / "studio" / "v1").mkdir(parents=True)
    (tmp_path / "studio" / "v1" / "studio.proto").write_text(BLOCKS["proto"])
    (tmp_path / "server.py").write_text(BLOCKS["python"])
    well_known = resources.files("grpc_tools") / "_proto"
    files = [*OWN_PROTOS.glob("gateway/v1/*.proto"), tmp_path / "studio" / "v1" / "studio.proto"]
    outputs = [f"--python_out={tmp_path}", f"--grpc_python_out={tmp_path}"]
    compile_them = [sys.executable, "-m", "grpc_tools.protoc", f"-I{tmp_path}", f"-I{OWN_PROTOS}", f"-I{well_known}"]
    subprocess.run([*compile_them, *outputs, *map(str, files)], check=True, cwd=tmp_path)
    # Where this project is installed, its own package goes before a folder that is none.
    for folder in ("gateway", "gateway/v1"):
        (tmp_path / folder / "__init__.py").touch()
    environment = {"PATH": "", "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], check=False, cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
