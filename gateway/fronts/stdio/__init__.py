"""The stdio front."""
