"""What the public converters raise: arguments that are refused, and replies that are no such message."""

from gateway.contract.distilled import Problem


class ArgumentProblems(Exception):
    """JSON that is not the message it should be.

    `problems` holds every cause with its JSON pointer; `is_complete` False says that there were too many to find all.
    """

    def __init__(self, problems: tuple[Problem, ...], *, is_complete: bool = True) -> None:
        super().__init__("; ".join(f"{problem.at} {problem.text}".strip() for problem in problems))
        self.problems = problems
        self.is_complete = is_complete


class BadReply(Exception):
    """Bytes that are not the message they should be. `reason` is one line without a class name."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
