"""What the client and the server have in common, and what knows neither of them."""
