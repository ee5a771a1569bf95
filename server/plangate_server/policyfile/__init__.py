"""The operator's policy file: reading it, checking it, and reading it again."""

from plangate_server.policyfile.book import PolicyBook
from plangate_server.policyfile.loading import PolicyProblems, load_policy, parse_policy
from plangate_server.policyfile.rules import unread_files
from plangate_server.policyfile.summary import summary

__all__ = ["PolicyBook", "PolicyProblems", "load_policy", "parse_policy", "summary", "unread_files"]
