"""The package's public surface: names, laziness, and what importing it costs."""

from __future__ import annotations

import inspect
import subprocess
import sys

import surgery


def test_importing_surgery_imports_no_tvm_and_no_numpy() -> None:
    code = (
        "import sys, surgery, surgery.api\n"
        "print(sorted({'tvm', 'numpy', 'rich', 'jsonschema'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_public_name_is_there_and_documented() -> None:
    for name in surgery.__all__:
        assert inspect.getdoc(getattr(surgery, name)), name
    assert set(dir(surgery)) >= set(surgery.__all__)


def test_functions_stay_functions_once_their_rooms_are_imported() -> None:
    # A room of the same name would hide the function: surgery.plan(...) must work after an import.
    code = (
        "import surgery, surgery.cli.main, surgery.api\n"
        "print([n for n in surgery.__all__ if not callable(getattr(surgery, n))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_an_unknown_name_is_an_attribute_error() -> None:
    try:
        surgery.nothing  # noqa: B018
    except AttributeError as failure:
        assert "nothing" in str(failure)
    else:
        raise AssertionError("no error")
