"""Why a value does not fit a JSON Schema, in words. See `explainer` for the door."""
