"""What is this value on the other side? JSON to protobuf and back. Pure."""
