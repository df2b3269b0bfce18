"""Run a command and turn whatever happens into an exit state and a message: never a traceback."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Sequence
from threading import enumerate as threads

import click

from surgery.cli.app import app
from surgery.cli.console import Interrupted, Session
from surgery.diagnostics import (
    EXIT_DONE,
    EXIT_ENGINE,
    EXIT_INTERRUPTED,
    EXIT_USAGE,
    Diagnostic,
    SurgeryError,
)

INTERRUPTED = "interrupted: nothing was written, the previous output is intact"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: What follows the program's name; ``sys.argv`` when not given.

    Returns:
        The exit state: see ``docs`` and :mod:`surgery.diagnostics`.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    session = Session.from_arguments(given)
    for stream in (sys.stdout, sys.stderr):
        # A model may hold names that the terminal's encoding doesn't have.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        # Not app.main(): it prints an empty line before it reports an interrupt.
        with app.make_context("surgery", given) as context:
            status = app.invoke(context)
        sys.stdout.flush()
        return int(status or EXIT_DONE)
    except SurgeryError as failure:
        session.fail(failure.diagnostics)
        return failure.exit_status
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.exceptions.NoArgsIsHelpError as failure:
        click.echo(failure.format_message(), err=True)
        return EXIT_USAGE
    except click.ClickException as failure:
        session.fail([_usage(failure)])
        return EXIT_USAGE
    except (click.Abort, KeyboardInterrupt) as failure:
        # A second Ctrl-C while this is being said must not turn into a traceback.
        if sys.platform != "win32":
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        session.interrupted(str(failure) if isinstance(failure, Interrupted) else INTERRUPTED)
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        session.close_output()
        return EXIT_DONE
    except Exception as failure:
        if os.environ.get("SURGERY_DEBUG") == "1":
            import traceback

            traceback.print_exc()
        session.fail([_internal(failure)])
        return EXIT_ENGINE


def run() -> None:
    """Run the command line as a process of its own: ends it with the exit state."""
    status = main()
    # The compiler, or a kernel that hangs, may still be at work in a thread of surgery's, which
    # must not see Python go down.
    if status == EXIT_INTERRUPTED or any(t.name.startswith("surgery ") for t in threads()):
        os._exit(status)
    sys.exit(status)


def _usage(failure: click.ClickException) -> Diagnostic:
    context = getattr(failure, "ctx", None)
    command = context.command_path if context is not None else "surgery"
    if isinstance(failure, click.NoSuchOption) and context is not None and context.parent is None:
        shared = {name for sub in app.commands.values() for p in sub.params for name in p.opts}
        if failure.option_name in shared:
            return Diagnostic(
                code="S590",
                message=f"{failure.option_name} is an option of the commands",
                remedy=f"write it after the command: `surgery COMMAND ... {failure.option_name}`",
            )
    return Diagnostic(
        code="S590",
        message=failure.format_message().rstrip("."),
        remedy=f"`{command} --help` lists what it takes",
    )


def _internal(failure: Exception) -> Diagnostic:
    said = " ".join(str(failure).split())
    return Diagnostic(
        code="S599",
        message=f"internal error: {type(failure).__name__}" + (f": {said[:300]}" if said else ""),
        remedy="please report this with the spec; SURGERY_DEBUG=1 prints where it happened",
    )
