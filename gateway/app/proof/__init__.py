"""Proof that what is offered of a backend holds: its schemas are sound, and schemas and converters agree.

It ships, so that an operator can prove their own backend. It stands above the rooms that it judges and is told nothing
by them: it makes its messages itself, with a seeded generator of its own, and never asks where descriptors come from.
`prover` is the door.
"""
