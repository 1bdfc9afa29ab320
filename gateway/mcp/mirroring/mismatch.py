"""The one way to refuse a header that does not go with the body."""

from gateway.contract.conditions import Condition
from gateway.contract.envelopes import Refusal
from gateway.contract.quoting import is_secret_header, quote


def refuse_header(header: str, problem: str, *, expected: object = None, received: str | None = None) -> Refusal:
    """The refusal of one header: `problem` completes the sentence "header X …".

    `expected` is the body's value and `received` the header's, both foreign and quoted here; neither is told of a
    header that may carry a secret. None leaves them out.
    """
    told: dict[str, str] = {}
    if not is_secret_header(header):
        told |= {} if expected is None else {"expected": quote(expected)}
        told |= {} if received is None else {"received": quote(received)}
    sides = [f"{side} {told[key]}" for key, side in (("expected", "body"), ("received", "header")) if key in told]
    values = f" ({', '.join(sides)})" if sides else ""
    return Refusal(
        condition=Condition.HEADER_MISMATCH,
        message=f"header {header} {problem}{values}",
        data={"header": header, **told},
    )
