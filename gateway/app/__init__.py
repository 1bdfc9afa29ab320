"""How does it fit together? Settings, wiring and lifetime."""
