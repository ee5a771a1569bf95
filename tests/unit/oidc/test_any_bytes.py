"""Whatever is sent as a token, the answer is a caller or the one refusal."""

import asyncio
import json

from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.examples import repeatable
from tests.helpers.oidc import CLAIMS, claims, ed_signer, encoded, provider
from tests.helpers.profiles import examples

ODD_TEXT = st.sampled_from(["", "\0", "\ud800", "a" * 2000])
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | ODD_TEXT,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["roles", "a", ""]), inner, max_size=4)
    ),
    max_leaves=10,
)
ANY_BYTES = st.binary(max_size=200)


def refused(token: str) -> bool:
    return asyncio.run(provider(ed_signer()).refuses(token))


@repeatable
@given(st.text() | ODD_TEXT | ANY_BYTES.map(lambda data: data.decode("latin-1")))
def test_any_text_is_refused(text: str) -> None:
    """Without any other exception."""
    assert refused(text)


@repeatable
@given(ANY_BYTES, ANY_BYTES, ANY_BYTES)
def test_any_three_parts_are_refused(header: bytes, payload: bytes, signature: bytes) -> None:
    """Also if they are good base64."""
    assert refused(f"{encoded(header)}.{encoded(payload)}.{encoded(signature)}")


@repeatable
@given(st.dictionaries(st.sampled_from(["alg", "kid", "typ", "crit", "jwk", "x"]), ANY_JSON))
def test_any_header_without_the_key_is_refused(header: dict[str, object]) -> None:
    """Whatever it says of itself, nobody signed it."""
    parts = (json.dumps({"kid": "ed-1", "alg": "EdDSA", **header}), json.dumps(CLAIMS))
    assert refused(".".join([*(encoded(part.encode()) for part in parts), encoded(bytes(64))]))


@examples(300)
@given(st.dictionaries(st.sampled_from([*CLAIMS, "nbf", "realm_access", "azp"]), ANY_JSON))
def test_any_signed_claims_are_taken_or_refused(changes: dict[str, object]) -> None:
    """A provider that writes nonsense breaks nothing."""
    refused(ed_signer().token(claims(**changes)))
