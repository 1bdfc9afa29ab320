"""What an operator got wrong, in words that say what to do: the only exception the command line prints by itself."""


class OperatorError(Exception):
    """A mistake of the operator: one line, or one line and a list of findings under it.

    `findings` are the lines of a list, each whole in itself; the process ends with status 2.
    """

    def __init__(self, line: str, findings: tuple[str, ...] = ()) -> None:
        super().__init__(line)
        self.line = line
        self.findings = findings
