"""What looks for secrets finds them."""

import base64
import hashlib
from urllib.parse import quote

import pytest

from tests.helpers.canaries import Canaries

WAYS = {
    "plain": lambda secret: f"<{secret}>",
    "quoted": lambda secret: quote(f"a={secret}&b", safe=""),
    "hex": lambda secret: f"ab{secret}cd".encode().hex(),
    "hashed": lambda secret: hashlib.sha256(secret.encode()).hexdigest(),
    "base64 0": lambda secret: base64.b64encode(f"abc{secret}defg".encode()).decode(),
    "base64 1": lambda secret: base64.urlsafe_b64encode(f"abcd{secret}efg".encode()).decode(),
    "base64 2": lambda secret: base64.b64encode(f"abcde{secret}".encode()).decode(),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_secret_is_found_in_any_form(way: str) -> None:
    """Also inside of other text; and what holds none of it is let through."""
    canaries = Canaries()
    secret = canaries.plant("here")
    canaries.look_at("nothing", secret[:-8])
    assert not canaries.escaped()
    canaries.look_at(WAYS[way](secret))
    assert canaries.escaped()
