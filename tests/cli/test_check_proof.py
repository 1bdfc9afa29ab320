import pytest
from click.testing import CliRunner

from gateway.app.proof import prover
from gateway.app.proof.findings import Law, Proof, Untried, make_finding
from gateway.cli.check import check

ARGUMENTS = ["--demo", "--include", "*/GetOrder"]


def run(*options):
    # As the ring runs it: what the command gives is the status.
    result = CliRunner().invoke(check, [*ARGUMENTS, *options], standalone_mode=False)
    return result.return_value, result.output, result.exception


def test_a_proof_that_finds_nothing_says_what_was_tried():
    status, output, _ = run("--prove", "--examples", "3")
    assert status == 0
    assert "The proof tried 6 random messages on 1 RPC: all laws hold.\n" in output


def test_without_prove_nothing_is_tried():
    status, output, _ = run()
    assert (status, "proof" in output) == (0, False)


@pytest.mark.parametrize("option", ["--seed", "--examples"])
def test_options_of_the_proof_alone_are_refused(option):
    _, _, error = run(option, "1")
    assert error.format_message() == f"{option} says how to prove; add --prove"


def test_what_a_proof_finds_and_leaves_out_is_told_and_ends_with_status_1(monkeypatch):
    asked = []

    def prove_api(api, **order):
        asked.append((order["examples"], order["seed"], [rpc.name for rpc in order["rpcs"]], order["tool_names"]))
        return Proof(
            rpcs=1,
            messages=2,
            schema_bytes=3,
            findings=(make_finding("p.S/Get", Law.REPLY_FITS, "/a must be a string, got 5", '{"a":5}'),),
            untried=(Untried(name="p.M.b", reason="no text was found"),),
        )

    monkeypatch.setattr(prover, "prove_api", prove_api)
    status, output, _ = run("--prove", "--examples", "7", "--seed", "-2")
    assert status == 1
    rpc = "demo.shop.v1.OrderService/GetOrder"
    assert asked == [(7, -2, [rpc], {rpc: "demo_shop_v1_OrderService_GetOrder"})]
    lines = [line.split(maxsplit=2) for line in output.splitlines()]
    law = "what is printed fits the output schema: /a must be a string, got 5"
    assert ["shop", "p.S/Get", f'{law}  {{"a":5}}'] in lines
    assert ["shop", "p.M.b", "no text was found"] in lines
    assert "The proof tried 2 random messages on 1 RPC: 1 finding.\n" in output
