"""What gRPC is told before each handshake, from whichever thread it asks."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from plangate_server.tls import BadCertificates, Certificates, TlsFiles
from plangate_server.tls import certificates as module
from tests.helpers import certificates as made
from tests.helpers.certificates import Pair


@pytest.fixture
def place(tmp_path: Path, certificates: made.Certificates) -> Pair:
    place = Pair(tmp_path / "server.pem", tmp_path / "server.key")
    certificates.server.put(place)
    return place


@pytest.fixture
def kept(place: Pair) -> Certificates:
    return Certificates(TlsFiles(place.cert, place.key))


def test_files_that_did_not_change_are_not_read(kept: Certificates, monkeypatch: pytest.MonkeyPatch) -> None:
    """A handshake costs a look at the files, and no more."""

    def never(files: TlsFiles) -> None:
        raise AssertionError("it was read")

    monkeypatch.setattr(module, "read_material", never)
    assert kept.renewed() is None


def test_a_renewal_is_handed_over_once(
    kept: Certificates, place: Pair, certificates: made.Certificates
) -> None:
    """Of many handshakes at once one brings the new files; for all others there is no change."""
    certificates.renewed.put(place)
    with ThreadPoolExecutor(max_workers=8) as threads:
        told = list(threads.map(lambda _: kept.renewed(), range(64)))
    assert len([each for each in told if each is not None]) == 1


def test_who_looked_earlier_takes_nothing_away(
    kept: Certificates, place: Pair, certificates: made.Certificates
) -> None:
    """What SIGHUP has read still reaches the next handshake."""
    certificates.renewed.put(place)
    kept.look()
    assert kept.renewed() is not None
    assert kept.renewed() is None


def test_files_behind_a_link(tmp_path: Path, certificates: made.Certificates) -> None:
    """A link that is turned to another folder is a renewal, as clusters do it."""
    for name, pair in (("old", certificates.server), ("new", certificates.renewed)):
        (tmp_path / name).mkdir()
        pair.put(Pair(tmp_path / name / "server.pem", tmp_path / name / "server.key"))
    (tmp_path / "now").symlink_to("old")
    kept = Certificates(TlsFiles(tmp_path / "now" / "server.pem", tmp_path / "now" / "server.key"))
    (tmp_path / "next").symlink_to("new")
    (tmp_path / "next").replace(tmp_path / "now")
    assert kept.renewed() is not None


def test_what_nobody_foresaw_changes_nothing(
    kept: Certificates,
    place: Pair,
    certificates: made.Certificates,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """An exception would end the handshake: it is logged without its words, and the last files go on."""

    def fail(files: TlsFiles) -> None:
        raise RuntimeError("hunter2")

    monkeypatch.setattr(module, "read_material", fail)
    certificates.renewed.put(place)
    assert kept.renewed() is None
    (record,) = caplog.records
    assert record.getMessage() == "the TLS files cannot be read: those from before go on"


def test_what_is_refused_may_be_good_later(
    kept: Certificates,
    place: Pair,
    certificates: made.Certificates,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A certificate that was not valid yet is taken when it is, though nobody touched it; it is told once."""

    def not_yet(files: TlsFiles) -> None:
        raise BadCertificates("not valid yet")

    certificates.renewed.put(place)
    with monkeypatch.context() as early:
        early.setattr(module, "read_material", not_yet)
        assert [kept.renewed() for _ in range(3)] == [None] * 3
    assert len([each for each in caplog.records if each.levelname == "ERROR"]) == 1
    assert kept.renewed() is not None
