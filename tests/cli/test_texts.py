"""`surgery check` and `surgery fmt`."""

from pathlib import Path

import pytest

from tests.cli.ran import Surgery

GOOD = "output %41 as mask\ncut after layer_._3\n"
BAD = "ouput %41 as mask\ncut after layer_._3\noffload pattern to bmlib\n"


def test_check_says_ok(surgery: Surgery, tmp_path: Path) -> None:
    (tmp_path / "a.surgery").write_text(GOOD)
    ran = surgery("check", "a.surgery", "output %1 as x")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == "a.surgery: ok\n<command line>: ok\n"


def test_check_reports_every_fault_at_its_place(surgery: Surgery, tmp_path: Path) -> None:
    (tmp_path / "bad.surgery").write_text(BAD)
    ran = surgery("check", "bad.surgery")
    assert ran.status == 1
    assert "--> bad.surgery:1:1" in ran.err
    assert "--> bad.surgery:3:" in ran.err
    assert "output" in ran.err.split("bad.surgery:3:")[0]
    assert "^^^^^" in ran.err


def test_check_as_json_is_one_document(surgery: Surgery, tmp_path: Path) -> None:
    (tmp_path / "bad.surgery").write_text(BAD)
    ran = surgery("check", "bad.surgery", "--json")
    assert ran.status == 1
    assert ran.json["ok"] is False
    places = [(d["place"]["file"], d["place"]["line"]) for d in ran.json["diagnostics"]]
    assert places == [("bad.surgery", 1), ("bad.surgery", 3)]
    assert ran.err == ""


def test_check_reads_standard_input(surgery: Surgery) -> None:
    assert surgery("check", "-", stdin=GOOD).status == 0
    ran = surgery("check", "-", stdin=BAD)
    assert ran.status == 1
    assert "--> <stdin>:1:1" in ran.err


def test_a_file_that_is_not_there_is_state_5(surgery: Surgery) -> None:
    for command in ("check", "plan", "apply", "fmt"):
        ran = surgery(command, "missing.surgery")
        assert ran.status == 5, command
        assert "missing.surgery" in ran.err
        assert "Traceback" not in ran.err


def test_variables_reach_the_spec(surgery: Surgery, tmp_path: Path) -> None:
    (tmp_path / "v.surgery").write_text('model "${NET}.json"\noutput %1 as x\n')
    assert surgery("check", "v.surgery", "--set", "NET=bert").status == 0
    ran = surgery("check", "v.surgery", "--set", "NT=bert")
    assert ran.status == 1
    assert "NET" in ran.err


def test_fmt_rewrites_in_place_once(surgery: Surgery, tmp_path: Path) -> None:
    spec = tmp_path / "a.surgery"
    spec.write_text("# why\noutput   %41   as mask;cut after layer_._3\n")
    ran = surgery("fmt", "a.surgery")
    assert (ran.status, ran.out) == (0, "a.surgery: written\n")
    once = spec.read_text()
    assert "# why" in once
    assert "output %41 as mask\n" in once
    assert surgery("fmt", "a.surgery").out == "a.surgery: unchanged\n"
    assert spec.read_text() == once
    assert surgery("fmt", "--check", "a.surgery").status == 0


def test_fmt_check_changes_nothing_and_fails(surgery: Surgery, tmp_path: Path) -> None:
    spec = tmp_path / "a.surgery"
    spec.write_text("output   %41   as mask\n")
    ran = surgery("fmt", "--check", "a.surgery")
    assert ran.status == 1
    assert "error[S596]: a.surgery is not in canonical form" in ran.err
    assert spec.read_text() == "output   %41   as mask\n"


def test_fmt_writes_nothing_when_one_of_several_is_wrong(surgery: Surgery, tmp_path: Path) -> None:
    (tmp_path / "a.surgery").write_text("output   %41   as mask\n")
    (tmp_path / "b.surgery").write_text(BAD)
    ran = surgery("fmt", "a.surgery", "b.surgery")
    assert ran.status == 1
    assert (tmp_path / "a.surgery").read_text() == "output   %41   as mask\n"


def test_fmt_to_the_other_form_writes_beside_and_back(surgery: Surgery, tmp_path: Path) -> None:
    (tmp_path / "a.surgery").write_text(GOOD)
    ran = surgery("fmt", "--to", "yaml", "a.surgery")
    assert (ran.status, ran.out) == (0, "a.yaml: written\n")
    assert (tmp_path / "a.surgery").read_text() == GOOD
    written = (tmp_path / "a.yaml").read_text()
    assert written.startswith("version: 1\n")
    back = surgery("fmt", "--to", "text", "-", stdin=written)
    assert back.out == GOOD
    (tmp_path / "a.yaml").write_text("version: 1\nsteps: []\n")
    again = surgery("fmt", "--to", "yaml", "a.surgery")
    assert again.status == 5
    assert "error[S594]" in again.err
    assert (tmp_path / "a.yaml").read_text() == "version: 1\nsteps: []\n"


@pytest.mark.parametrize("command", ["check", "fmt"])
def test_bytes_that_are_no_text_are_said_to_be(surgery: Surgery, command: str) -> None:
    ran = surgery(command, "-", stdin=b"output \xff")
    assert ran.status == 5
    assert "error[S595]" in ran.err
    assert "byte 7 is 0xff" in ran.err


def test_quiet_prints_errors_only(surgery: Surgery, tmp_path: Path) -> None:
    (tmp_path / "a.surgery").write_text(GOOD)
    assert surgery("check", "-q", "a.surgery").out == ""
    assert "error[" in surgery("check", "-q", "-", stdin=BAD).err


def test_a_spec_on_the_command_line_includes_from_the_working_folder(
    surgery: Surgery, tmp_path: Path
) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.surgery").write_text('include "b.surgery"\n')
    (tmp_path / "sub" / "b.surgery").write_text("output %1 as\n")
    for arguments, stdin in (
        (["check", 'include "sub/a.surgery"'], ""),
        (["check", "-"], 'include "sub/a.surgery"\n'),
        (["plan", "-", "--model", "m.json"], "version: 1\nsteps:\n  - include: sub/a.surgery\n"),
    ):
        ran = surgery(*arguments, stdin=stdin)
        assert ran.status == 1
        assert "--> sub/b.surgery:1:" in ran.err, ran.err
    ran = surgery("check", 'include "nope.surgery"')
    assert ran.status == 5
    assert "--> <command line>:1:1" in ran.err


def test_a_suggestion_for_an_include_is_another_file(surgery: Surgery, tmp_path: Path) -> None:
    (tmp_path / "inc.surgery").write_text('include "ink.surgery"\ninclude "parts"\n')
    (tmp_path / "parts").mkdir()
    ran = surgery("check", "inc.surgery")
    assert ran.status == 5
    assert "did you mean" not in ran.err
    (tmp_path / "link.surgery").write_text("")
    assert "did you mean `link.surgery`?" in surgery("check", "inc.surgery").err


def test_a_variable_that_no_spec_uses_is_a_warning(surgery: Surgery, tmp_path: Path) -> None:
    (tmp_path / "a.surgery").write_text("output %${n} as x\n")
    ran = surgery("check", "a.surgery", "output %1 as ${m}", "--set", "n=1", "--set", "m=q")
    assert (ran.status, ran.err) == (0, "")
    ran = surgery("check", "a.surgery", "--set", "n=1", "--set", "nn=2", "--json")
    assert ran.status == 0
    (found,) = ran.json["diagnostics"]
    assert (found["code"], found["severity"]) == ("S597", "warning")
    assert found["remedy"] == "did you mean n?"


def test_fmt_says_what_it_cannot_read_as_check_does(surgery: Surgery, tmp_path: Path) -> None:
    (tmp_path / "latin.surgery").write_bytes(b"output %0 as caf\xe9\n")
    for spec, code in (("nope.surgery", "S545"), ("latin.surgery", "S546"), (".", "S545")):
        found = [
            (ran.status, ran.json["diagnostics"][0]["code"])
            for ran in (surgery("fmt", spec, "--json"), surgery("check", spec, "--json"))
        ]
        assert found == [(5, code), (5, code)], spec


def test_an_indented_statement_is_said_to_go_on_with_the_one_before(surgery: Surgery) -> None:
    ran = surgery("check", "-", stdin="output %0 as a\n  cut after %1\n")
    assert ran.status == 1
    assert "begin the line at the margin when `cut` is a statement of its own" in ran.err
