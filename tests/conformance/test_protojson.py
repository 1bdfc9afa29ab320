"""The official conformance suite over the converters, where its runner is at hand."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RUNNER = ROOT.parent / "shared" / "tools" / "protojson-conformance"
TESTEE = Path(__file__).with_name("protojson_testee")

# Doubled names in one object; the fast JSON reader passes over them.
INVISIBLE = {
    f"Recommended.{syntax}.JsonInput.FieldNameDuplicate"
    for syntax in ("Proto2", "Proto3", "Editions_Proto2", "Editions_Proto3")
}


def run_suite(**environment):
    """The names of the JSON tests that fail, and how many pass."""
    if not RUNNER.exists():
        pytest.skip("the conformance runner is not at hand: shared/tools/protojson-conformance beside the checkout")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [RUNNER, TESTEE],
        env=os.environ | environment | {"PATH": path},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if done.returncode == 2:
        pytest.skip(f"the conformance runner could not be set up: {done.stderr.strip().splitlines()[-1:]}")
    failed = set(re.findall(r"^FAIL  (\S+)", done.stdout, re.MULTILINE))
    passed = int(re.findall(r"^(\d+) passed, \d+ failed$", done.stdout, re.MULTILINE)[-1])
    assert "outside JSON: 0 failed" in done.stdout
    return failed, passed


def test_every_json_test_passes_but_for_names_that_the_json_reader_does_not_see():
    assert run_suite() == (INVISIBLE, 2810)


def test_every_json_test_passes_with_the_strict_reader():
    assert run_suite(PROTOJSON_STRICT="1") == (set(), 2814)
