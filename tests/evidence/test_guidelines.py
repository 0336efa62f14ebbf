"""The guidelines of MISRA C are all there, with one category each."""

from collections import Counter

from s2s.emit.misra import ADVISED, ADVISORY, DEVIATIONS
from s2s.evidence.guidelines import CHECKED, COMPILED, CONSTRUCTION, MANDATORY, guidelines
from s2s.evidence.misra import Checked, misra_documents

NUMBERS = {each.number for each in guidelines()}


def test_the_editions_have_their_numbers_of_guidelines():
    counts = Counter((each.number.split()[0], each.edition) for each in guidelines())
    assert counts == {
        ("Dir", "2012"): 16,
        ("Rule", "2012"): 143,
        ("Dir", "amendment"): 5,
        ("Rule", "amendment"): 57,
    }


def test_each_rule_that_is_named_exists():
    named = {*CHECKED, *COMPILED, *CONSTRUCTION, *ADVISORY, *MANDATORY, *ADVISED, *DEVIATIONS}
    assert {f"Rule {rule}" for rule in named} <= NUMBERS
    assert not ADVISORY & MANDATORY
    assert not MANDATORY & {*DEVIATIONS, *ADVISED}


def test_a_rule_that_is_broken_and_not_listed_is_no_compliance():
    documents = misra_documents(
        "misra", Checked("a checker", (("src/net.c:1:1", "10.1"), ("src/net.c:2:1", "9.3"))), []
    )
    summary = documents[-1]
    assert not summary.holds
    assert ("Rule 10.1", "required", "violations") in summary.tables[0].rows
    assert ("Rule 9.3", "required", "deviations") in summary.tables[0].rows
    assert summary.tables[1].rows == (("src/net.c:1:1", "10.1", "required or mandatory"),)
    assert documents[2].tables[0].rows[0][3] == "src/net.c:2:1"


def test_a_tree_that_was_not_checked_is_no_compliance():
    assert not misra_documents("misra", Checked("not checked, because it is not there", None), [])[-1].holds
