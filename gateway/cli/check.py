"""`propylon check`: what would be served, what would not and why, and what the tools cost an agent to read.

With `--prove` it also says whether they hold.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from gateway.cli.sources import Sources, choose_settings, source_options
from gateway.cli.tables import Column, count, print_table
from gateway.contract.quoting import quote
from gateway.descriptors.profiles.table import PROFILES

if TYPE_CHECKING:
    from gateway.app.one_shot import Look, ProofOrder
    from gateway.app.views.profile_view import ProfileView

# Tokenizers of current models take JSON Schema at about four characters a token; it is an estimate and says so.
_CHARACTERS_PER_TOKEN = 4

_SIZES = (
    Column(heading="Tool", is_name=True),
    Column(heading="Input", is_number=True),
    Column(heading="Output", is_number=True),
    Column(heading="Whole", is_number=True),
    Column(heading="~Tokens", is_number=True),
)
_REASONS = (Column(heading="Backend"), Column(heading="What", is_name=True), Column(heading="Why"))
_WARNINGS = (Column(heading="Backend"), Column(heading="Warning"))
_UNLISTED = (Column(heading="Tool", is_name=True), Column(heading="Why"))
_MANY = (
    "{} tools are more than tools.many, {}, and models choose badly among so many; tools.surface: search offers three "
    "that find them"
)
_FINDINGS = (
    Column(heading="Backend"),
    Column(heading="RPC", is_name=True),
    Column(heading="What does not hold"),
    Column(heading="Example"),
)


@click.command()
@click.argument("targets", nargs=-1, metavar="[HOST:PORT]...")
@click.option("--prove", is_flag=True, help="Also try whether schemas and converters agree, on random messages.")
@click.option(
    "--examples", type=click.IntRange(1, 100_000), metavar="N", help="With --prove: messages of each type. [20]"
)
@click.option("--seed", type=int, metavar="N", help="With --prove: other messages for each number. [0]")
@click.option("--profile", type=click.Choice(list(PROFILES)), help="Look at the tools in the form of a model provider.")
@source_options
def check(prove: bool, examples: int | None, seed: int | None, profile: str | None, **said: Any) -> int:
    """Say what would be served and what would be skipped, and why.

    Skipped is what should be served and cannot be; left out is what is not offered by choice. Ends with 1 where
    something is skipped, a backend cannot be asked, nothing is left to serve, the proof finds something, or a profile
    cannot list a tool.
    """
    from gateway.app.one_shot import look_once

    order = _order_proof(prove, examples, seed)
    settings = choose_settings(Sources(**said))
    look = look_once(settings, demo=said["demo"], proof=order)
    view = _view(look, profile)
    catalogue = look.catalogue if view is None else view.catalogue
    listings = [dict(tool.listing) for tool in catalogue.tools.values()]
    _print_sizes(listings)
    found = [(offer.backend, offer.findings) for offer in look.offers]
    skipped = [(name, one.name, one.reason) for name, findings in found for one in findings.skipped]
    skipped += [(name, "all of it", reason) for name, reason in look.failures]
    _print_reasons("Skipped", skipped)
    _print_reasons("Left out", [(name, one.name, one.reason) for name, findings in found for one in findings.left_out])
    warnings = [(name, warning) for name, findings in found for warning in findings.warnings]
    warnings += [("all", f"{quote(one)} fits no RPC; is it misspelt?") for one in look.idle_patterns]
    warnings += [("all", f"{one} names a field that no RPC has; is it misspelt?") for one in look.idle_paths]
    if view is not None:
        warnings += [("all", f"{warning} (profile {profile})") for warning in view.warnings]
    if len(look.catalogue.tools) > settings.tools.many:
        warnings.append(("all", _MANY.format(len(look.catalogue.tools), settings.tools.many)))
    _print_warnings(warnings)
    unlisted = () if view is None else view.unlisted
    _print_unlisted(
        f"Not listed in the profile {profile}", [(one.tool, reason) for one in unlisted for reason in one.reasons]
    )
    left_out = sum(len(findings.left_out) for _, findings in found)
    is_proved = _print_proofs(look)
    click.echo(f"\n{_summary(look, listings, len(skipped), left_out)}")
    return 1 if skipped or not listings or not is_proved or unlisted else 0


def _view(look: "Look", profile: str | None) -> "ProfileView | None":
    """The tools as the clients of the profile see them; None where none is asked for."""
    from gateway.app.views.profile_view import make_profile_view

    return None if profile is None else make_profile_view(look.catalogue, PROFILES[profile])


def _order_proof(prove: bool, examples: int | None, seed: int | None) -> "ProofOrder | None":
    from gateway.app.one_shot import ProofOrder
    from gateway.app.proof.findings import DEFAULT_EXAMPLES, DEFAULT_SEED

    if prove:
        return ProofOrder(
            examples=DEFAULT_EXAMPLES if examples is None else examples, seed=DEFAULT_SEED if seed is None else seed
        )
    if examples is not None or seed is not None:
        option = "--examples" if examples is not None else "--seed"
        raise click.UsageError(f"{option} says how to prove; add --prove")
    return None


def _print_sizes(listings: Sequence[Mapping[str, Any]]) -> None:
    rows = []
    for listing in listings:
        entry = _size(listing)
        output = _size(listing["outputSchema"]) if "outputSchema" in listing else None
        counts = (_size(listing["inputSchema"]), output, entry, _tokens(entry))
        rows.append((listing["name"], *("-" if count is None else f"{count:,}" for count in counts)))
    if rows:
        click.echo("Bytes of JSON in tools/list, of each tool's schemas and of its whole entry:")
        print_table(_SIZES, rows)


def _print_reasons(heading: str, rows: Sequence[tuple[str, str, str]]) -> None:
    if rows:
        click.echo(f"\n{heading}:")
        print_table(_REASONS, rows)


def _print_unlisted(heading: str, rows: Sequence[tuple[str, str]]) -> None:
    if rows:
        click.echo(f"\n{heading}:")
        print_table(_UNLISTED, rows)


def _print_warnings(rows: Sequence[tuple[str, str]]) -> None:
    if rows:
        click.echo("\nWarnings:")
        print_table(_WARNINGS, rows)


def _print_proofs(look: "Look") -> bool:
    """Prints what the proofs came to; true where they found nothing."""
    found = [
        (backend, finding.rpc, f"{finding.law.value}: {finding.detail}", finding.example)
        for backend, proof in look.proofs
        for finding in proof.findings
    ]
    untried = [(backend, one.name, one.reason) for backend, proof in look.proofs for one in proof.untried]
    if found:
        click.echo("\nFound by the proof:")
        print_table(_FINDINGS, found)
    _print_reasons("Not proved", untried)
    if look.proofs:
        rpcs = sum(proof.rpcs for _, proof in look.proofs)
        messages = sum(proof.messages for _, proof in look.proofs)
        outcome = count(len(found), "finding") if found else "all laws hold"
        click.echo(f"\nThe proof tried {count(messages, 'random message')} on {count(rpcs, 'RPC')}: {outcome}.")
    return not found


def _summary(look: "Look", listings: Sequence[Mapping[str, Any]], skipped: int, left_out: int) -> str:
    size = sum(map(_size, listings))
    found = f"{count(len(listings), 'tool')} of {count(len(look.offers), 'backend')}"
    return (
        f"{found}; {skipped} skipped, {left_out} left out.\n"
        f"The list has {size:,} bytes, about {_tokens(size):,} tokens."
    )


def _size(value: Any) -> int:
    import orjson

    return len(orjson.dumps(value))


def _tokens(size: int) -> int:
    return -(-size // _CHARACTERS_PER_TOKEN)
