"""What the tests of the contract share."""

from tests.helpers.postgres import stop_shared_server

__all__ = ["stop_shared_server"]
