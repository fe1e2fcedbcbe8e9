"""Ways of decoding a generation: by itself with guesses, or together with others. It can change in mid-answer."""
