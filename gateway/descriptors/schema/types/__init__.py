"""The schemas of single values: scalars, enums, and messages with a JSON form of their own."""
