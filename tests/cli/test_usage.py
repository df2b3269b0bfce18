"""Help, usage errors, exit states, and what importing costs."""

import subprocess
import sys

import pytest

from surgery.cli import main as main_function
from surgery.diagnostics import EXIT_ENGINE, EXIT_INTERRUPTED, EXIT_USAGE
from tests.cli.ran import ROOT, Surgery

COMMANDS = ("apply", "build", "check", "explain", "fmt", "plan", "run", "schema", "show", "verify")


def test_help_lists_the_commands_and_the_exit_states(surgery: Surgery) -> None:
    ran = surgery("--help")
    assert ran.status == 0
    assert ran.err == ""
    for command in COMMANDS:
        assert f"\n  {command} " in ran.out
    assert "3 verification differs" in " ".join(ran.out.split())


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help_and_the_common_options(surgery: Surgery, command: str) -> None:
    ran = surgery(command, "--help")
    assert ran.status == 0
    for option in ("--json", "--quiet", "--no-color", "--help"):
        assert option in ran.out


def test_version(surgery: Surgery) -> None:
    ran = surgery("--version")
    assert ran.status == 0
    assert ran.out.startswith("surgery 0.")


def test_a_misspelt_command_names_the_nearest(surgery: Surgery) -> None:
    ran = surgery("pln", "x.surgery")
    assert ran.status == EXIT_USAGE
    assert ran.out == ""
    assert ran.err.startswith("error[S590]: No such command 'pln'")
    assert "'plan'" in ran.err


def test_a_misspelt_option_names_the_nearest(surgery: Surgery) -> None:
    ran = surgery("plan", "x.surgery", "--modl", "m.json")
    assert ran.status == EXIT_USAGE
    assert "--model" in ran.err
    assert "surgery plan --help" in ran.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("plan",),
        ("plan", "output %0", "--set", "novalue"),
        ("run", "somewhere", "--repeat", "0"),
        ("run", "somewhere", "--inputs", "x.npz", "--seed", "1"),
        ("apply", "output %0", "--no-build", "--verify"),
        ("show", "m.json", "%0", "--format", "svg"),
        ("schema", "nothing"),
    ],
)
def test_wrong_usage_is_state_2_and_one_json_document(
    surgery: Surgery, arguments: tuple[str, ...]
) -> None:
    ran = surgery(*arguments, "--json")
    assert ran.status == EXIT_USAGE
    assert ran.json["ok"] is False
    assert [d["code"] for d in ran.json["diagnostics"]] == ["S590"]
    assert ran.err == ""


def imported(arguments: list[str]) -> set[str]:
    code = (
        "import sys; from surgery.cli import main; main(sys.argv[1:]); "
        "print('\\n'.join(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True, text=True, check=True, cwd=ROOT,
    )  # fmt: skip
    return set(done.stderr.split())


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["plan", "--help"],
        ["check", "output %41 as mask; cut after layer_._3"],
        ["explain"],
        ["schema"],
    ],
)
def test_what_needs_no_model_imports_no_compiler(arguments: list[str]) -> None:
    heavy = {"tvm", "numpy", "rich", "surgery.api", "surgery.planning"}
    assert imported(arguments) & heavy == set()


def test_an_internal_error_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def explode(**_: object) -> None:
        raise ZeroDivisionError("division\nby zero")

    monkeypatch.setattr("surgery.cli.reference.explain", lambda *_, **__: explode())
    assert main_function(["explain"]) == EXIT_ENGINE
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(
        "error[S599]: internal error: ZeroDivisionError: division by zero\n"
    )
    assert "Traceback" not in printed.err
    monkeypatch.setenv("SURGERY_DEBUG", "1")
    main_function(["explain"])
    assert "Traceback" in capsys.readouterr().err


def test_an_interrupt_is_one_line_and_state_130(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("signal.signal", lambda *_: None)
    monkeypatch.setattr("surgery.cli.reference.explain", interrupt)
    assert main_function(["explain"]) == EXIT_INTERRUPTED
    assert capsys.readouterr().err == (
        "interrupted: nothing was written, the previous output is intact\n"
    )


def test_a_reader_that_goes_away_is_no_error(tmp_path: object) -> None:
    done = subprocess.run(
        f"{sys.executable} -m surgery explain | head -1; echo ${{PIPESTATUS[0]}}",
        shell=True, executable="/bin/bash", capture_output=True, text=True, cwd=ROOT, check=True,
    )  # fmt: skip
    assert done.stdout.splitlines()[-1] == "0"
    assert done.stderr == ""


def test_names_the_terminal_cannot_encode_are_escaped(surgery: Surgery) -> None:
    ran = surgery("check", "output 層", env={"PYTHONIOENCODING": "ascii"})
    assert "Traceback" not in ran.err
    assert "S599" not in ran.err


@pytest.mark.parametrize("arguments", [("plan", ""), ("check", "output %1", " "), ("show", "")])
def test_an_empty_argument_is_a_variable_that_is_not_set(
    surgery: Surgery, arguments: tuple[str, ...]
) -> None:
    ran = surgery(*arguments)
    assert (ran.status, ran.out) == (EXIT_USAGE, "")
    assert "it is empty" in ran.err


def test_an_option_before_the_command_says_where_it_goes(surgery: Surgery) -> None:
    ran = surgery("--json", "plan", "x.surgery")
    assert ran.status == EXIT_USAGE
    (found,) = ran.json["diagnostics"]
    assert found["remedy"] == "write it after the command: `surgery COMMAND ... --json`"


@pytest.mark.parametrize("value", ["nan", "inf", "-1"])
def test_a_tolerance_is_a_finite_number(surgery: Surgery, value: str) -> None:
    ran = surgery("verify", "x.out", "--rtol", value)
    assert ran.status == EXIT_USAGE
    assert "finite" in ran.err
