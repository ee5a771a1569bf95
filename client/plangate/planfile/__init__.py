"""Plan files: a plan as Markdown with front matter, read and written without a gate.

``plangate.planfile.api`` turns them into what the gate takes and gives, ``plangate.planfile.importers``
reads what other tools write, ``plangate.planfile.names`` says what files are called.
"""

from plangate.planfile.model import Extra, Form, Phase, PlanFile, Todo
from plangate.planfile.problems import PlanFileError, PlanFileWarning
from plangate.planfile.reader import read_plan_file
from plangate.planfile.writer import write_plan_file

__all__ = [
    "Extra",
    "Form",
    "Phase",
    "PlanFile",
    "PlanFileError",
    "PlanFileWarning",
    "Todo",
    "read_plan_file",
    "write_plan_file",
]
