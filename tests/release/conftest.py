"""What the tests of upgrades share."""

from tests.helpers.postgres import stop_shared_server

__all__ = ["stop_shared_server"]
