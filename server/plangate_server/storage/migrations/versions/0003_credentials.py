"""Tokens."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "credentials",
        sa.Column("credential_id", sa.String(), nullable=False),
        sa.Column("workspace", sa.String(), nullable=False),
        sa.Column("certificate", sa.String(), nullable=False),
        sa.Column("due", sa.BigInteger(), nullable=True),
        sa.Column("revoked", sa.BigInteger(), nullable=True),
        sa.Column("record", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("credential_id"),
    )
    op.create_index("credentials_by_certificate", "credentials", ["certificate"])
    op.create_index("credentials_by_workspace", "credentials", ["workspace", "credential_id"])
