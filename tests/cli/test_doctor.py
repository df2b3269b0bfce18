"""`surgery doctor`."""

from tests.cli.ran import ROOT, Surgery

CASE_51 = ROOT / "tests" / "cases" / "data" / "51-partitioned-listing.relay"
REGION = "tvmgen_default_bmlib_main_0"


def test_findings_have_a_place_a_reason_and_a_remedy(surgery: Surgery) -> None:
    ran = surgery("doctor", str(CASE_51), "--codegen", "bmlib")
    assert ran.status == 1
    assert ran.out.splitlines() == [
        f"@{REGION} (bmlib, 1 argument; bmlib.reshape_conv2d_add_bn_relu): S320",
        f"{CASE_51}: 1 region, 1 finding",
    ]
    assert f"  --> {CASE_51}:5:1" in ran.err
    assert "would need 8 arguments (7 and the output)" in ran.err
    assert "`offload pattern reshape>conv2d>add>bn>relu to bmlib`" in ran.err


def test_a_backend_that_nothing_serves_is_a_finding(surgery: Surgery) -> None:
    ran = surgery("doctor", str(CASE_51), "--json")
    assert ran.status == 1
    assert ran.json["ok"] is False
    assert [d["code"] for d in ran.json["diagnostics"]] == ["S326", "S320"]
    assert ran.json["regions"][0]["codes"] == ["S320", "S326"]
    assert ran.json["diagnostics"][1]["place"]["line"] == 5


def test_a_pasted_listing_from_standard_input(surgery: Surgery) -> None:
    ran = surgery("doctor", "-", "--codegen", "bmlib", stdin=CASE_51.read_text())
    assert ran.status == 1
    assert "  --> <stdin>:5:1" in ran.err


def test_a_healthy_module(surgery: Surgery) -> None:
    ran = surgery("doctor", "-", stdin="def @main(%x: Tensor[(2), float32]) { nn.relu(%x) }")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == "<stdin>: 0 regions, nothing found\n"


def test_a_missing_file_and_a_listing_that_does_not_parse(surgery: Surgery) -> None:
    assert surgery("doctor", "nowhere.json").status == 5
    assert surgery("doctor", "-", stdin="def @main(%x) { nn.relu(%y) }").status == 5
    assert surgery("doctor").status == 2
