"""Validation rules (protovalidate) as facts about fields: keywords where they say the same, words where they do not."""
