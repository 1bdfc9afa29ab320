"""The life of a serving process: start, ready, drain, stop.

SIGTERM and SIGINT: not ready at once, no new connections, running calls finished under the drain deadline, then the
end; a second signal ends without waiting. SIGHUP: every backend is asked again at once.
"""

import logging

_LOG = logging.getLogger("propylon.app")
