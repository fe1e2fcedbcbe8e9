"""How Tandem's processes talk to each other: one framing, one handshake, and typed messages that carry no code."""
