"""How do bytes become envelopes and back? One package per way in; none knows another."""
