"""Every reason for a refusal says in the proto what it carries, in a form that tests can read."""

import grpc
import pytest

from tests.helpers import descriptors, error_reasons

REASONS = sorted(
    name.removeprefix("ERROR_REASON_")
    for name, number in descriptors.enum_values("agent.v1.ErrorReason").items()
    if number != 0
)

# Reasons that callers act upon, with the least that each must tell them.
NAMED_REASONS = {
    "STALE_REVISION": ("ABORTED", {"plan_uri", "revision", "digest"}),
    "ALREADY_DECIDED": ("FAILED_PRECONDITION", {"outcome", "decided_by"}),
    "REQUEST_ID_REUSED": ("ALREADY_EXISTS", {"request_id"}),
    "NO_REVIEWER": ("FAILED_PRECONDITION", set()),
    "NOT_APPROVED": ("FAILED_PRECONDITION", {"plan_uri"}),
    "STALE_APPROVAL": ("FAILED_PRECONDITION", {"plan_uri"}),
    "DEPENDENCY_CYCLE": ("INVALID_ARGUMENT", {"cycle"}),
    "FORBIDDEN_TRANSITION": ("FAILED_PRECONDITION", {"allowed"}),
    "CURSOR_EXPIRED": ("OUT_OF_RANGE", set()),
    "SLOW_CONSUMER": ("RESOURCE_EXHAUSTED", set()),
}


def test_the_proto_text_and_the_generated_enum_agree() -> None:
    """The comments that are read belong to exactly the values that the generated enum has."""
    assert sorted(error_reasons.comments()) == sorted([*REASONS, "UNSPECIFIED"])


def test_unspecified_promises_nothing() -> None:
    """The zero value is never sent, so it has no status."""
    assert not any("Status:" in line for line in error_reasons.comments()["UNSPECIFIED"])


@pytest.mark.parametrize("reason", REASONS)
def test_reason_names_a_real_status(reason: str) -> None:
    """Every reason comes with one gRPC status that exists and is a refusal."""
    promise = error_reasons.parse_promise(reason, error_reasons.comments()[reason])
    assert promise.status in {code.name for code in grpc.StatusCode} - {"OK", "UNKNOWN"}


@pytest.mark.parametrize("reason", REASONS)
def test_reason_is_explained_before_its_status(reason: str) -> None:
    """A comment says in words what happened, and ends with the line that tests can read."""
    explanation, last = error_reasons.comments()[reason][:-1], error_reasons.comments()[reason][-1]
    assert any(explanation)
    assert last.startswith("Status: ")


@pytest.mark.parametrize("reason", REASONS)
def test_what_can_pass_by_itself_says_when_to_retry(reason: str) -> None:
    """A reason with status UNAVAILABLE always carries RetryInfo."""
    promise = error_reasons.promises()[reason]
    assert promise.carries_retry_info or promise.status != "UNAVAILABLE"


@pytest.mark.parametrize("reason", REASONS)
def test_bad_input_names_its_field(reason: str) -> None:
    """A reason with status INVALID_ARGUMENT can name the field at fault."""
    promise = error_reasons.promises()[reason]
    keys = promise.required_keys | promise.optional_keys
    assert "field" in keys or promise.status != "INVALID_ARGUMENT"


@pytest.mark.parametrize("reason", NAMED_REASONS)
def test_named_reason_has_its_status_and_metadata(reason: str) -> None:
    """The reasons that callers act upon keep their status and tell at least what they need."""
    status, keys = NAMED_REASONS[reason]
    promise = error_reasons.promises()[reason]
    assert promise.status == status
    assert keys <= promise.required_keys


@pytest.mark.parametrize(
    "comment",
    [
        ["In words."],
        ["Status: ABORTED."],
        ["Status: ABORTED. Metadata: ."],
        ["Status: ABORTED. Metadata: none"],
        ["Status: ABORTED. Metadata: a, a."],
        ["Status: ABORTED. Metadata: [a."],
        ["Status: ABORTED. Metadata: none.", "Status: ABORTED. Metadata: none."],
    ],
)
def test_an_unreadable_comment_is_refused(comment: list[str]) -> None:
    """A comment that says too little, too much or nonsense is an error and not a guess."""
    with pytest.raises(ValueError, match="REASON: "):
        error_reasons.parse_promise("REASON", comment)


def test_a_comment_is_read_in_full() -> None:
    """Required keys, keys in brackets and RetryInfo are told apart."""
    line = "Status: UNAVAILABLE. Metadata: plan_uri, [cursor]. Carries RetryInfo."
    promise = error_reasons.parse_promise("REASON", ["In words.", line])
    assert promise.status == "UNAVAILABLE"
    assert promise.required_keys == {"plan_uri"}
    assert promise.optional_keys == {"cursor"}
    assert promise.carries_retry_info
