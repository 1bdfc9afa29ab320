"""The messages that ProtoJSON writes in a form of their own."""
