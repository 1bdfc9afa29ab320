"""What the garbage collector looks at: not at what lives as long as a catalogue.

A catalogue and the modules are some hundred thousand objects. The collector would walk all of them again and again
because of what calls allocate, which is a good part of a call's time, and would never find anything there.
"""

import gc

# Requests leave few cycles behind, so that young objects need not be looked at every 700 of them.
_YOUNG_OBJECTS = 10_000


def settle_memory() -> None:
    """Puts everything that lives now out of the collector's sight, after a look for what need not live.

    To be called when a catalogue has been swapped in, so that the one before is still found. It takes some tens of
    milliseconds.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG_OBJECTS, *gc.get_threshold()[1:])
