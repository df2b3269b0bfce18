"""The output folder: whole or not at all, whatever happens and whenever."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from surgery.diagnostics import SurgeryError
from surgery.recipe import (
    OutputFolder,
    Terminated,
    check_target,
    is_output_folder,
    recover,
    replace_in,
    write_log,
)
from tests.recipe.crash import die, run_until_step, snapshot

LOG = "surgery.log.json"


def write_output(target: Path, content: str, *, stages: int = 2, force: bool = False) -> None:
    with OutputFolder(target, force=force) as out:
        for index in range(stages):
            at = out / "stages" / str(index)
            at.mkdir(parents=True)
            (at / "params.bin").write_text(f"params {content}")
        (out / "lib").mkdir()
        (out / "lib/stage0.so").write_text(f"lib {content}")
        write_log(out, versions={"surgery": "1"}, timings={"load": 0.1})
        (out / "recipe.json").write_text(json.dumps({"recipe": 1, "stages": [], "is": content}))


def rebuild(target: Path, content: str) -> None:
    with replace_in(target) as out:
        assert not (out / "lib").exists()
        (out / "lib").mkdir()
        (out / "lib/stage0.so").write_text(f"lib {content}")
        (out / "recipe.json").write_text(json.dumps({"recipe": 1, "stages": [], "is": content}))


def content(target: Path) -> tuple[str, str, str]:
    """Return what the recipe, the library and the weights are of."""
    return (
        json.loads((target / "recipe.json").read_text())["is"],
        (target / "lib/stage0.so").read_text().removeprefix("lib "),
        (target / "stages/1/params.bin").read_text().removeprefix("params "),
    )


def code_of(work: Callable[[], object]) -> str:
    with pytest.raises(SurgeryError) as failure:
        work()
    (only,) = failure.value.diagnostics
    assert only.remedy or only.reason
    assert failure.value.exit_status == 5
    return only.code


def beside(target: Path) -> list[str]:
    return sorted(e.name for e in target.parent.iterdir() if e != target)


# ---------------------------------------------------------------- the ordinary run


def test_new_and_again(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "er" / "bert.out"
    write_output(target, "a", stages=3)
    assert content(target) == ("a", "a", "a")
    write_output(target, "b")
    assert content(target) == ("b", "b", "b")
    assert not (target / "stages/2").exists(), "nothing of the old folder stays"
    assert beside(target) == []
    assert json.loads((target / LOG).read_text())["files"] == sorted(os.listdir(target))


def test_permissions_are_the_users(tmp_path: Path) -> None:
    target = tmp_path / "out"
    before = os.umask(0o027)
    try:
        write_output(target, "a")
        assert target.stat().st_mode & 0o777 == 0o750
        assert (target / "recipe.json").stat().st_mode & 0o777 == 0o640
        assert (target / LOG).stat().st_mode & 0o777 == 0o640
    finally:
        os.umask(before)
    target.chmod(0o711)
    write_output(target, "b")
    assert target.stat().st_mode & 0o777 == 0o711


def test_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    write_output(tmp_path / "out", "a")
    assert content(tmp_path / "out") == ("a", "a", "a")


def test_link_is_kept(tmp_path: Path) -> None:
    real, link = tmp_path / "disk2" / "real", tmp_path / "out"
    real.parent.mkdir()
    link.symlink_to(real)
    write_output(link, "a")  # a link that leads nowhere yet
    write_output(link, "b")
    assert link.is_symlink() and content(real) == content(link) == ("b", "b", "b")
    assert beside(real) == []


def test_very_long_and_odd_names(tmp_path: Path) -> None:
    for name in ("x" * 250, "ü" * 120, ".hidden", "with space", "a.surgery-old", "-o"):
        write_output(tmp_path / name, "a")
        write_output(tmp_path / name, "b")
        assert content(tmp_path / name) == ("b", "b", "b")
    assert len(list(tmp_path.iterdir())) == 6


def test_relative_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_output(Path("out"), "a")
    assert content(tmp_path / "out") == ("a", "a", "a")


# ---------------------------------------------------------------- refusals


def test_foreign_folder(tmp_path: Path) -> None:
    target = tmp_path / "thesis"
    target.mkdir()
    (target / "thesis.tex").write_text("years of work")
    before = snapshot(target)
    assert code_of(lambda: write_output(target, "a")) == "S560"
    assert snapshot(target) == before and beside(target) == []
    write_output(target, "a", force=True)
    assert content(target) == ("a", "a", "a") and not (target / "thesis.tex").exists()


@pytest.mark.parametrize("recipe", ['{"recipe": "pancakes", "stages": []}', "[1]", "{", ""])
def test_foreign_recipe_json(tmp_path: Path, recipe: str) -> None:
    target = tmp_path / "kitchen"
    target.mkdir()
    (target / "recipe.json").write_text(recipe)
    assert not is_output_folder(target)
    assert code_of(lambda: write_output(target, "a")) == "S560"


def test_broken_output_folder_is_still_ours(tmp_path: Path) -> None:
    target = tmp_path / "out"
    write_output(target, "a")
    (target / "recipe.json").write_text('{"recipe": 1, "st')
    write_output(target, "b")
    assert content(target) == ("b", "b", "b")


def test_users_own_files_in_our_folder(tmp_path: Path) -> None:
    target = tmp_path / "out"
    write_output(target, "a")
    (target / "results.npz").write_text("a night of measuring")
    with pytest.raises(SurgeryError) as failure:
        write_output(target, "b")
    assert failure.value.diagnostics[0].code == "S560"
    assert "results.npz" in failure.value.diagnostics[0].reason
    rebuild(target, "c")  # a rebuild keeps them, and does not take them for its own
    assert (target / "results.npz").read_text() == "a night of measuring"
    assert code_of(lambda: write_output(target, "b")) == "S560"
    (target / "results.npz").unlink()
    (target / ".DS_Store").write_text("")
    write_output(target, "b")
    assert content(target) == ("b", "b", "b")


def test_file_in_the_way(tmp_path: Path) -> None:
    target = tmp_path / "out"
    target.write_text("a file")
    assert code_of(lambda: write_output(target, "a")) == "S561"
    assert code_of(lambda: write_output(target, "a", force=True)) == "S561"
    assert code_of(lambda: write_output(target / "sub" / "out", "a")) == "S563"
    assert target.read_text() == "a file" and beside(target) == []


@pytest.mark.parametrize("given", [".", "..", "../out", "sub/.."])
def test_current_folder_is_never_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    here = tmp_path / "out"
    (here / "sub").mkdir(parents=True)
    monkeypatch.chdir(here)
    assert code_of(lambda: check_target(given, force=True)) == "S560"
    assert code_of(lambda: write_output(Path(given), "a", force=True)) == "S560"
    assert sorted(os.listdir(here)) == ["sub"]


def test_home_and_protected_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home" / "me"))
    assert code_of(lambda: check_target(tmp_path / "home", force=True)) == "S560"
    target = tmp_path / "work"
    target.mkdir()
    model = target / "model.json"
    model.write_text("{}")
    (tmp_path / "link.json").symlink_to(model)
    with pytest.raises(SurgeryError) as failure:
        check_target(target, force=True, protect=[tmp_path / "link.json"])
    assert "link.json" in failure.value.diagnostics[0].message
    check_target(tmp_path / "other", force=True, protect=[model])


def test_rebuild_needs_a_recipe(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    assert code_of(lambda: rebuild(tmp_path / "out", "a")) == "S550"
    assert code_of(lambda: rebuild(tmp_path / "nowhere", "a")) == "S550"
    assert sorted(os.listdir(tmp_path)) == ["out"]


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS])
def test_unwritable_parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    write_output(tmp_path / "out", "a")
    real = os.open

    def refuse(path: str, flags: int, *rest: int, **more: int) -> int:
        if flags & os.O_CREAT:
            raise OSError(number, os.strerror(number), path)
        return real(path, flags, *rest, **more)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refuse)
        assert code_of(lambda: write_output(tmp_path / "out", "b")) == "S563"
    assert content(tmp_path / "out") == ("a", "a", "a")


# ---------------------------------------------------------------- failures inside the block


@pytest.mark.parametrize("failure", [ValueError("x"), KeyboardInterrupt(), SystemExit(3)])
def test_failure_leaves_everything_as_it_was(tmp_path: Path, failure: BaseException) -> None:
    target = tmp_path / "new" / "out"
    for before in (None, "a"):
        if before:
            write_output(target, before)
        with pytest.raises(type(failure)), OutputFolder(target) as out:
            (out / "half").write_text("written")
            raise failure
        assert target.exists() == bool(before)
        assert (tmp_path / "new").exists() == bool(before), "parents that were made are removed"
    assert content(target) == ("a", "a", "a")
    with pytest.raises(type(failure)), replace_in(target) as out:
        (out / "lib").mkdir()
        raise failure
    assert content(target) == ("a", "a", "a")
    assert beside(target) == [] and LOG in os.listdir(target)


def test_disk_full(tmp_path: Path) -> None:
    target = tmp_path / "out"
    write_output(target, "a")

    def fill() -> None:
        with OutputFolder(target) as out:
            (out / "params.bin").write_bytes(b"half")
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(SurgeryError) as failure:
        fill()
    (only,) = failure.value.diagnostics
    assert only.code == "S563" and "space" in only.remedy
    assert only.reason == os.strerror(errno.ENOSPC)
    assert content(target) == ("a", "a", "a") and beside(target) == []


def test_os_errors_of_other_files_are_not_ours(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), OutputFolder(tmp_path / "out"):
        (tmp_path / "model.json").read_text()


# ---------------------------------------------------------------- two at once


def test_second_run_is_refused_and_names_the_first(tmp_path: Path) -> None:
    target = tmp_path / "out"
    write_output(target, "a")
    with OutputFolder(target) as out:
        for second in (write_output, rebuild):
            with pytest.raises(SurgeryError) as failure:
                second(target, "b")
            assert failure.value.diagnostics[0].code == "S562"
            assert str(os.getpid()) in failure.value.diagnostics[0].message
        recover(target)  # a reader isn't held up
        (out / "recipe.json").write_text("{}")
    write_output(target, "c", force=True)
    assert content(target) == ("c", "c", "c")


def test_many_at_once_never_mix(tmp_path: Path) -> None:
    target = tmp_path / "out"
    done: list[str] = []

    def work(name: str) -> None:
        for _ in range(20):
            try:
                write_output(target, name)
                done.append(name)
            except SurgeryError as failure:
                assert failure.diagnostics[0].code == "S562"

    threads = [threading.Thread(target=work, args=(n,)) for n in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert done
    assert len(set(content(target))) == 1
    assert beside(target) == []


# ---------------------------------------------------------------- killed at every step


@pytest.mark.parametrize("before", [None, "old"])
def test_killed_at_every_step_of_apply(tmp_path: Path, before: str | None) -> None:
    step, steps_seen = 0, 0
    reached = True
    while reached:
        step += 1
        target = tmp_path / str(step) / "out"
        if before:
            write_output(target, before)
        old = snapshot(target)
        reached = run_until_step(step, lambda t=target: write_output(t, "new"), die)  # type: ignore[misc]
        steps_seen += reached
        if target.parent.exists():
            recover(target)
        now = snapshot(target)
        if now != old:
            assert content(target) == ("new", "new", "new")
        write_output(target, "next")
        assert content(target) == ("next", "next", "next")
        assert beside(target) == [], f"left over after step {step}"
    assert steps_seen >= 15
    assert content(target) == ("next", "next", "next")


def test_killed_at_every_step_of_rebuild(tmp_path: Path) -> None:
    step, reached = 0, True
    outcomes = set()
    while reached:
        step += 1
        target = tmp_path / str(step) / "out"
        write_output(target, "old")
        reached = run_until_step(step, lambda t=target: rebuild(t, "new"), die)  # type: ignore[misc]
        recover(target)
        recipe, library, params = content(target)
        assert recipe == library and params == "old"
        outcomes.add(recipe)
        rebuild(target, "next")
        assert content(target) == ("next", "next", "old")
        assert beside(target) == []
        assert not [n for n in os.listdir(target) if n.startswith(".")]
    assert outcomes == {"old", "new"}
    assert step > 15


def test_killed_while_recovering(tmp_path: Path) -> None:
    """Recovery may itself be cut off, at any step, and is then finished by the next."""
    step, reached = 0, True
    while reached:
        step += 1
        target = tmp_path / str(step) / "out"
        write_output(target, "old")
        # Dies with the new entries committed and none in place.
        journal = target / ".surgery-commit"
        (journal / "lib").mkdir(parents=True)
        (journal / "lib/stage0.so").write_text("lib new")
        (journal / "recipe.json").write_text('{"recipe": 1, "stages": [], "is": "new"}')
        reached = run_until_step(step, lambda t=target: recover(t), die)  # type: ignore[misc]
        recover(target)
        assert content(target) == ("new", "new", "old")
        write_output(target, "next")
        assert beside(target) == []
    assert step > 4


@pytest.mark.parametrize("kind", [OSError, KeyboardInterrupt])
def test_failing_at_every_step_of_apply(tmp_path: Path, kind: type[BaseException]) -> None:
    step, reached = 0, True
    while reached:
        step += 1
        target = tmp_path / str(step) / "out"
        write_output(target, "old")

        def fail() -> None:
            raise kind(errno.EIO, "step failed")

        reached = run_until_step(step, lambda t=target: write_output(t, "new"), fail)  # type: ignore[misc]
        recover(target)
        found = content(target)
        assert found in {("old",) * 3, ("new",) * 3}
        # A failure after the commit may leave the old folder; one before it leaves nothing.
        if found == ("old",) * 3:
            assert [n for n in beside(target) if n != ".out.surgery-lock"] == []
        write_output(target, "next")
        assert content(target) == ("next",) * 3 and beside(target) == []
    assert step > 15


def test_folder_between_the_renames_is_put_back_by_a_reader(tmp_path: Path) -> None:
    target = tmp_path / "out"
    write_output(target, "old")
    os.rename(target, tmp_path / ".out.surgery-old")
    (tmp_path / ".out.surgery-0123abcd").mkdir()
    (tmp_path / ".other.surgery-0123abcd").mkdir()
    recover(target)
    assert content(target) == ("old", "old", "old")
    assert beside(target) == [".other.surgery-0123abcd"], "other targets' files are not touched"


class FolderMachine(RuleBasedStateMachine):
    """Any sequence of runs, rebuilds, failures and deaths leaves one whole content."""

    @initialize()
    def start(self) -> None:
        import tempfile

        self.scratch = tempfile.TemporaryDirectory()
        self.target = Path(self.scratch.name) / "out"
        self.counter = 0
        self.possible: set[tuple[str, str, str] | None] = {None}

    def teardown(self) -> None:
        self.scratch.cleanup()

    def fresh(self) -> str:
        self.counter += 1
        return str(self.counter)

    @rule()
    def apply(self) -> None:
        name = self.fresh()
        write_output(self.target, name)
        self.possible = {(name, name, name)}

    @rule(step=st.integers(1, 30))
    def apply_dies(self, step: int) -> None:
        name = self.fresh()
        run_until_step(step, lambda: write_output(self.target, name), die)
        self.possible.add((name, name, name))

    @rule(step=st.integers(1, 30))
    def rebuild_dies(self, step: int) -> None:
        self.settle()
        (before,) = self.possible
        if before is None:
            return
        name = self.fresh()
        run_until_step(step, lambda: rebuild(self.target, name), die)
        self.possible = {before, (name, name, before[2])}

    @rule()
    def fails(self) -> None:
        with pytest.raises(ZeroDivisionError), OutputFolder(self.target) as out:
            (out / "x").write_text("x")
            raise ZeroDivisionError

    @rule()
    def settle(self) -> None:
        recover(self.target)
        found = content(self.target) if self.target.exists() else None
        assert found in self.possible
        self.possible = {found}

    @invariant()
    def nothing_is_half(self) -> None:
        if self.target.exists() and not (self.target / ".surgery-commit").exists():
            assert content(self.target) in self.possible


TestFolderMachine = FolderMachine.TestCase
TestFolderMachine.settings = settings(max_examples=20, stateful_step_count=10, deadline=None)


# ---------------------------------------------------------------- signals to a real process

CHILD = """
import signal, sys, time
from surgery.recipe import OutputFolder
# What starts the tests (nohup, a shell's &) may have signals ignored, which a child inherits.
signal.signal(signal.SIGINT, signal.default_int_handler)
for number in (signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_DFL)
try:
    with OutputFolder(sys.argv[1]) as out:
        (out / "half").write_bytes(b"x" * 1000)
        print("writing", flush=True)
        time.sleep(60)
except KeyboardInterrupt as stop:
    print(type(stop).__name__, *stop.args, flush=True)
    sys.exit(130)
"""


@pytest.mark.parametrize(
    ("number", "said"),
    [(signal.SIGINT, "KeyboardInterrupt"), (signal.SIGTERM, "Terminated SIGTERM"),
     (signal.SIGHUP, "Terminated SIGHUP"), (signal.SIGKILL, "")],
)  # fmt: skip
def test_signals(tmp_path: Path, number: signal.Signals, said: str) -> None:
    target = tmp_path / "out"
    write_output(target, "a")
    with subprocess.Popen(
        [sys.executable, "-c", CHILD, str(target)], stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "writing\n"
        assert code_of(lambda: write_output(target, "b")) == "S562"
        child.send_signal(number)
        assert child.stdout.read().strip() == said
        assert child.wait(10) == (130 if said else -signal.SIGKILL)
    assert content(target) == ("a", "a", "a")
    if said:
        assert beside(target) == []
    write_output(target, "b")  # the lock of the dead holds nobody up
    assert content(target) == ("b", "b", "b") and beside(target) == []


def test_signal_handlers_are_put_back(tmp_path: Path) -> None:
    def handlers() -> list[object]:
        return [signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]

    before = handlers()
    with OutputFolder(tmp_path / "out"):
        assert handlers() != before
    assert handlers() == before

    def own(number: int, frame: object) -> None: ...

    signal.signal(signal.SIGTERM, own)
    try:
        with OutputFolder(tmp_path / "two"):
            assert signal.getsignal(signal.SIGTERM) is own, "an application's handler stays"
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def test_a_signal_during_the_commit_comes_too_late(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "out"
    write_output(target, "a")
    real = os.rename

    def interrupted(source: object, place: object) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)
        real(source, place)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(os, "rename", interrupted)
        write_output(target, "b")
    assert content(target) == ("b", "b", "b") and beside(target) == []


def test_works_outside_the_main_thread(tmp_path: Path) -> None:
    failed: list[BaseException] = []

    def work() -> None:
        try:
            write_output(tmp_path / "out", "a")
        except BaseException as failure:
            failed.append(failure)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert not failed and content(tmp_path / "out") == ("a", "a", "a")


def test_terminated_unwinds_like_ctrl_c() -> None:
    assert issubclass(Terminated, KeyboardInterrupt)


# ---------------------------------------------------------------- rebuild


def test_rebuild_from_inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "out"
    write_output(target, "a")
    inode = target.stat().st_ino
    monkeypatch.chdir(target)
    rebuild(Path("."), "b")
    assert target.stat().st_ino == inode, "a shell that stands in it keeps its place"
    assert content(Path(".")) == ("b", "b", "a")
    assert beside(target) == []


def test_rebuild_drops_old_libraries_and_shares_weights(tmp_path: Path) -> None:
    target = tmp_path / "out"
    write_output(target, "a")
    (target / "lib/stage9.so").write_text("stale")
    (target / "data").symlink_to("stages")
    weights = (target / "stages/0/params.bin").stat()
    with replace_in(target) as out:
        assert (out / "stages/0/params.bin").stat().st_ino == weights.st_ino, "not copied"
        (out / "lib").mkdir()
        (out / "lib/stage0.so").write_text("lib b")
    assert os.listdir(target / "lib") == ["stage0.so"]
    assert (target / "data").is_symlink()
    assert (target / "stages/0/params.bin").stat().st_ino == weights.st_ino


def test_rebuild_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", refuse)
    write_output(tmp_path / "out", "a")
    rebuild(tmp_path / "out", "b")
    assert content(tmp_path / "out") == ("b", "b", "a")


# ---------------------------------------------------------------- readers and late failures


def test_reader_waits_for_a_run_between_its_renames(tmp_path: Path) -> None:
    target, aside = tmp_path / "out", tmp_path / ".out.surgery-old"
    write_output(target, "a")
    with OutputFolder(target):
        os.rename(target, aside)  # what another process would see at this moment
        back = threading.Timer(0.1, os.rename, (aside, target))
        back.start()
        recover(target)
        assert content(target) == ("a", "a", "a")
        back.join()
        os.rename(target, aside)
        assert code_of(lambda: recover(target)) == "S562"
        os.rename(aside, target)


def test_new_folder_that_cannot_take_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "out"
    write_output(target, "a")
    real = os.rename

    def refuse(source: str, place: str) -> None:
        if Path(place) == target and "-old" not in Path(source).name:
            raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))
        real(source, place)

    with monkeypatch.context() as patch:
        patch.setattr(os, "rename", refuse)
        with pytest.raises(SurgeryError) as failure:
            write_output(target, "b")
    (only,) = failure.value.diagnostics
    assert only.code == "S563" and "mount point" in only.remedy
    assert content(target) == ("a", "a", "a") and beside(target) == []


def test_recovery_that_is_not_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target, aside = tmp_path / "out", tmp_path / ".out.surgery-old"
    write_output(target, "a")
    os.rename(target, aside)

    def refuse(source: str, place: str) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    with monkeypatch.context() as patch:
        patch.setattr(os, "rename", refuse)
        with pytest.raises(SurgeryError) as failure:
            recover(target)
    (only,) = failure.value.diagnostics
    assert only.code == "S563" and "permissions" in only.remedy
    recover(target)
    assert content(target) == ("a", "a", "a")
