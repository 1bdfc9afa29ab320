"""Generated code only."""
