"""What did the operator ask for? One module a command; `ring` is the outermost."""

from gateway.cli.ring import main

__all__ = ["main"]
