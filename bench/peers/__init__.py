"""What one would pick instead, each with its round trip in one file that runs on an interpreter of its own.

Such a file imports the standard library, its peer and ``bench.peers.worker``, and nothing else of ours.
"""
