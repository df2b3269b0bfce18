"""Progress on a terminal: a line a step, with how much is done where that is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)
from rich.progress_bar import ProgressBar
from rich.text import Text


class _Amount(MofNCompleteColumn):
    """``3/7`` for steps of several parts; nothing for others."""

    def render(self, task: Task) -> Text:
        return super().render(task) if (task.total or 0) > 1 else Text("")


class _Bar(BarColumn):
    """A bar for steps of several parts; nothing for others."""

    def render(self, task: Task) -> ProgressBar | Text:  # type: ignore[override]
        return super().render(task) if (task.total or 0) > 1 else Text("")


@contextmanager
def bars() -> Iterator[Callable[..., None]]:
    """Show steps on stderr while the block runs: the one that is going on has a spinner."""
    columns = (
        SpinnerColumn(finished_text="[green]ok[/]"), TextColumn("{task.description}", markup=False),
        _Bar(bar_width=30), _Amount(), TimeElapsedColumn(),
    )  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), transient=False) as progress:
        current: list[tuple[str, TaskID]] = []

        def finish() -> None:
            for _, id_ in current:
                task = progress.tasks[id_]
                # A step of several reports how many are done before it: now it is one more.
                progress.update(id_, completed=min(task.completed + 1, task.total or 1))
                if task.total is None:
                    progress.update(id_, total=1)
                progress.stop_task(id_)
                task.finished_time = task.elapsed
            current.clear()

        def report(event: str, done: int | None = None, total: int | None = None) -> None:
            if not current or current[0][0] != event:
                finish()
                current.append((event, progress.add_task(event, total=total)))
            progress.update(current[0][1], completed=done or 0, total=total)

        yield report
        finish()
