"""`surgery explain` and `surgery schema`."""

import re

import jsonschema

from surgery.codes import CODES
from tests.cli.ran import ROOT, Surgery


def test_a_code_is_explained(surgery: Surgery) -> None:
    for spelling in ("S590", "s590", "590"):
        ran = surgery("explain", spelling)
        assert ran.status == 0
        assert ran.out.startswith("S590: wrong usage of the command line\n")
        assert max(map(len, ran.out.splitlines())) <= 88


def test_an_unknown_code_names_the_nearest(surgery: Surgery) -> None:
    ran = surgery("explain", "S589x")
    assert ran.status == 2
    assert "error[S590]: there is no diagnostic 'S589x'" in ran.err
    assert "nearest: S5" in ran.err


def test_without_a_code_all_are_listed(surgery: Surgery) -> None:
    ran = surgery("explain")
    assert re.findall(r"^  (S\d{3})  ", ran.out, re.MULTILINE) == list(CODES)
    assert surgery("explain", "--json").json["codes"].keys() == CODES.keys()


def test_every_code_has_a_title_and_a_paragraph() -> None:
    for code, (title, text) in CODES.items():
        assert re.fullmatch(r"S[1-5]\d\d", code)
        assert title and "\n" not in title and not title.endswith(".")
        assert len(text) > 40 and text.endswith((".", "`"))


def test_schemas_are_schemas(surgery: Surgery) -> None:
    for name in ("spec", "recipe"):
        schema = surgery("schema", name).json
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["properties"]
        assert surgery("schema", name, "--json").json == {"ok": True, "schema": schema}


def test_every_code_that_is_raised_is_explained_and_the_other_way_round() -> None:
    raised: set[str] = set()
    for path in (ROOT / "surgery").rglob("*.py"):
        if path.parent.name != "codes":
            raised |= set(re.findall(r"\"(S[1-5]\d\d)\"", path.read_text(encoding="utf-8")))
    assert raised - CODES.keys() == set()
    assert CODES.keys() - raised == set()
