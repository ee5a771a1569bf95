"""Where every test must run, none can skip in silence."""

import os
import subprocess
import sys
from pathlib import Path

from tests.helpers.conditions import PATIENCE
from tests.helpers.no_skip import VARIABLE

ROOT = Path(__file__).parents[2]

SKIPPING = """
import pytest

@pytest.fixture
def moon(): pytest.skip("in a fixture")

@pytest.mark.skip(reason="by a mark")
def test_mark(): pass

@pytest.mark.skipif(True, reason="by a condition")
def test_condition(): pass

def test_body(): pytest.skip("in the body")

def test_fixture(moon): pass
"""
SKIPPED_MODULE = "import pytest\npytest.skip('a whole module', allow_module_level=True)\n"
EXPECTED_FAILURE = "import pytest\n@pytest.mark.xfail\ndef test(): assert False\n"
REASONS = ("by a mark", "by a condition", "in the body", "in a fixture", "a whole module")


def run(folder: Path, no_skip: str, **files: str) -> tuple[int, str]:
    """How a run of pytest over the files exits, and what it prints."""
    for name, code in files.items():
        (folder / f"test_{name}.py").write_text(code, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "tests.helpers.no_skip", "-c", os.devnull]
    env = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        VARIABLE: no_skip,
    }
    command += ["--continue-on-collection-errors", "."]
    done = subprocess.run(
        command, cwd=folder, env=env, check=False, capture_output=True, text=True, timeout=PATIENCE
    )
    return done.returncode, done.stdout


def test_a_skip_fails_and_says_why(tmp_path: Path) -> None:
    """However a test skips, it fails instead and its reason is printed; an expected failure is no skip."""
    files = {"skipping": SKIPPING, "module": SKIPPED_MODULE, "expected": EXPECTED_FAILURE}
    code, printed = run(tmp_path, "1", **files)
    assert code == 1
    assert "1 failed, 1 xfailed, 4 errors" in printed
    assert [reason for reason in REASONS if reason not in printed] == []


def test_elsewhere_a_skip_is_a_skip(tmp_path: Path) -> None:
    """Without the setting, tests may skip."""
    code, printed = run(tmp_path, "", skipping=SKIPPING, module=SKIPPED_MODULE)
    assert code == 0
    assert "5 skipped" in printed
