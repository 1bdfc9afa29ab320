"""The Streamable HTTP front."""
