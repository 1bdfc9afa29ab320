"""Holds what is served to a locked surface: a catalogue that breaks its callers does not take another's place."""

from pathlib import Path

from gateway.app.locking.lock_file import make_surface, read_surface
from gateway.descriptors.changes.surfaces import compare_surfaces
from gateway.mcp.catalogue import Catalogue


class SurfaceGuard:
    """The surface in a file. Raises `OperatorError` where the file is none."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._locked = read_surface(path)

    def find_breach(self, catalogue: Catalogue, is_whole: bool) -> str | None:
        """Why the catalogue breaks callers, in one line, or None. `is_whole` False: it may still lack tools."""
        changes = compare_surfaces(self._locked, make_surface(catalogue), is_whole=is_whole)
        breaking = [change for change in changes if change.breaks]
        if not breaking:
            return None
        more = f", and {len(breaking) - 1} more" if len(breaking) > 1 else ""
        return f"it breaks what {self._path} locks: {breaking[0].describe()}{more}; propylon diff names every change"
