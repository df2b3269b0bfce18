"""Settings of every test run."""

from __future__ import annotations

import signal

# A shell that starts the tests in the background ignores SIGINT for them, and every process they
# start would inherit that: the tests of Ctrl-C could not interrupt anything.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
