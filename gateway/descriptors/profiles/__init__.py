"""What model providers want of a tool otherwise than the neutral schema has it, and the way back from that."""
