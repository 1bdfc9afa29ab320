"""One worker process of `workers`: `python -m gateway.app.serving.worker FD`, with its end of a socket pair as FD.

It reads its assignment up to the end of what was written, serves, and tells over the same socket when it does. When the
parent goes away without a signal, it stops as it would for one.
"""

import os
import pickle
import signal
import socket
import sys
import threading

from gateway.app.operator_error import OperatorError
from gateway.app.serving.assignments import Announcement, Assignment, write_announcement, write_refusal
from gateway.app.serving.lifetime import serve
from gateway.telemetry.logs import set_up_logging

_EXIT_REFUSED = 2


def main(descriptor: int) -> int:
    """Serves until told to stop; the status with which the process ends."""
    with socket.socket(fileno=descriptor) as parent:
        assignment = _read_assignment(parent)
        plan = assignment.plan
        log = plan.settings.log
        set_up_logging(level=plan.log_level, line_format=log.format, secrets=plan.settings.secrets())
        listening = socket.socket(fileno=assignment.listening)
        listening.setblocking(False)

        def announce(announcement: Announcement) -> None:
            parent.sendall(write_announcement(announcement))

        try:
            serve(plan, announce, listening=listening)
        except OperatorError as refusal:
            parent.sendall(write_refusal(refusal))
            return _EXIT_REFUSED
    return 0


def _read_assignment(parent: socket.socket) -> Assignment:
    """The assignment; from here on a thread waits for the end of the parent."""
    with parent.makefile("rb") as file:
        # The bytes come from the process that started this one, over a socket that nobody else holds.
        assignment: Assignment = pickle.load(file)  # noqa: S301
    threading.Thread(target=_follow, args=(parent.dup(),), name="parent", daemon=True).start()
    return assignment


def _follow(parent: socket.socket) -> None:
    with parent:
        parent.recv(1)
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
