"""Propylon: gRPC services as Model Context Protocol tools. README.md shows the rooms and the walk of a call."""

__version__ = "0.1.0"
