import gc
import subprocess
import sys

SCRIPT = """
import gc, weakref
from gateway.app.memory import settle_memory

class Node:
    pass

def make_ring():
    one, other = Node(), Node()
    one.next, other.next = other, one
    return one

kept = make_ring()
settle_memory()
assert gc.get_freeze_count() > 1000, "what lives is out of sight"
dropped = weakref.ref(kept)
del kept
gc.collect()
assert dropped() is not None, "and is not looked at"
settle_memory()
assert dropped() is None, "until the next time"
"""


def test_what_lives_is_out_of_sight_until_the_next_catalogue() -> None:
    subprocess.run([sys.executable, "-c", SCRIPT], check=True, timeout=20)
    assert gc.get_freeze_count() == 0
