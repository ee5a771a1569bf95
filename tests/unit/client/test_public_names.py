"""What `import plangate` offers, and what it costs."""

import importlib.metadata
import subprocess
import sys

import pytest

import plangate

NAMES = {
    "ApprovalOutcome",
    "AsyncBuild",
    "AsyncClient",
    "AsyncDraft",
    "Authorization",
    "Build",
    "Client",
    "Decision",
    "Draft",
    "GateUnreachable",
    "HandshakeFailed",
    "PlangateError",
    "TimedOut",
    "__version__",
}


def python(code: str) -> str:
    """What a new interpreter prints."""
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


def test_the_public_names_are_these() -> None:
    """No name is public that nobody decided to keep for ever."""
    assert set(plangate.__all__) == NAMES
    assert len(plangate.__all__) == len(NAMES)


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_public_name_is_there(name: str) -> None:
    """Each name in __all__ is found although it is loaded only now."""
    assert getattr(plangate, name) is not None


def test_a_star_import_brings_every_public_name() -> None:
    """The lazy names are there for `from plangate import *`, too."""
    listed = python("from plangate import *; print(*(name for name in dir()))").split()
    assert set(listed) >= NAMES


def test_the_version_is_the_installed_one() -> None:
    """`plangate.__version__` is what pip installed."""
    assert plangate.__version__ == importlib.metadata.version("plangate")


def test_every_error_is_a_plangate_error() -> None:
    """One except clause catches whatever a call can raise."""
    assert issubclass(plangate.GateUnreachable, plangate.PlangateError)
    assert issubclass(plangate.HandshakeFailed, plangate.GateUnreachable)


def test_an_unknown_name_is_an_attribute_error() -> None:
    """A name that is not there fails as in any other module, and names the module."""
    with pytest.raises(AttributeError, match=r"module 'plangate' has no attribute 'Cleint'"):
        _ = plangate.Cleint


@pytest.mark.parametrize("module", ["plangate", "plangate.cli"])
def test_importing_does_not_load_grpc(module: str) -> None:
    """Neither the package nor its command line makes anybody wait for gRPC before it is needed."""
    loaded = set(python(f"import sys, {module}; print(*sys.modules)").split())
    assert module in loaded
    assert loaded & {"grpc", "google.protobuf", "plangate_proto", "plangate._client"} == set()
