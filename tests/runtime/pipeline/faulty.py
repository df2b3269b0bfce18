"""A built two-stage net whose second stage is a C kernel that does harm for some values of x[0]."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

import surgery
from surgery.api import parse_spec

#: What x[0, 0] makes the kernel do.
RAISES, ABORTS, HANGS, KILLED_ONCE, SLOW = range(1001, 1006)
#: Names the file whose absence lets KILLED_ONCE kill.
MARK = "SURGERY_TEST_MARK"

NET = """#[version = "0.0.5"]
def @main(%x: Tensor[(1, 4), float32]) {
  %0 = add(%x, %x);
  nn.relu(%0)
}
"""
KERNEL = f"""
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

int32_t harm_relu_k0(const float *data, float *output) {{
    switch ((int)(data[0] / 2)) {{
    case {RAISES}: return 1;
    case {ABORTS}: abort();
    case {HANGS}: for (;;) pause();
    case {KILLED_ONCE}:
        if (open(getenv("{MARK}"), O_CREAT | O_EXCL, 0600) >= 0) raise(SIGKILL);
        break;
    case {SLOW}: usleep(20000);
    }}
    for (int i = 0; i < 4; i++) output[i] = data[i] > 0 ? data[i] : 0;
    return 0;
}}
"""
SPEC = """\
backend harm {{ via c "{source}" }}
offload pattern relu to harm as relu
cut after %0
build target "llvm"
"""


def build(folder: Path) -> Path:
    """Build the net in a folder; return the output folder."""
    (folder / "net.relay").write_text(NET)
    (folder / "harm.c").write_text(KERNEL)
    spec = parse_spec(SPEC.format(source=folder / "harm.c"))
    return surgery.apply(spec, folder / "net.out", model=folder / "net.relay").folder


def item(number: float) -> dict[str, Any]:
    return {"x": np.array([[number, -1, 2, -3]], "float32")}


def number(outputs: Mapping[str, Any]) -> float:
    """Return which item outputs are of; check that they are right."""
    (only,) = outputs.values()
    np.testing.assert_array_equal(only[0, 1:], [0, 4, 0])
    return float(only[0, 0]) / 2
