"""Settings with what a test says under `rpcs`, read as a file would be."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from gateway.app.settings.loader import read_settings
from gateway.app.settings.model import Settings


def configure(*entries: Mapping[str, Any], environ: Mapping[str, str] | None = None, **sections: Any) -> Any:
    """What `open_stage` takes for `settings`: those of a propylon.yaml with these entries and sections."""
    raw = {"rpcs": list(entries), **sections}
    read = read_settings(raw, folder=Path(), environ=environ or {}, source="test")

    def choose(settings: Settings) -> Settings:
        return replace(read, backends=settings.backends)

    chosen: Callable[[Settings], Settings] = choose
    return chosen
