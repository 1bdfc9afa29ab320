"""One converter for each kind of protobuf value, in both directions, compiled from descriptors."""
