from gateway.app.proof.names import find_name_faults


def test_legal_names_of_their_own_have_no_fault():
    assert list(find_name_faults({"p.S/A": "p_S_A", "p.S/B": "p_S_B"})) == []


def test_a_chosen_name_may_be_longer_and_have_dashes_but_no_dots():
    names = {"p.S/A": "get-it", "p.S/B": "a" * 64, "p.S/C": "1", "p.S/D": "a.b", "p.S/E": "b" * 65}
    assert [rpc for rpc, _ in find_name_faults(names, are_derived=False)] == ["p.S/C", "p.S/D", "p.S/E"]
    assert [rpc for rpc, _ in find_name_faults(names)] == [*names]


def test_an_illegal_name_and_a_name_of_two_are_told_of_each_rpc():
    collision = "same would be the name of p.S/B and of p.S/C: give one of them another name"
    assert list(find_name_faults({"p.S/A": "a.b", "p.S/B": "same", "p.S/C": "same", "p.S/D": "1a", "p.S/E": ""})) == [
        ("p.S/A", 'some client would refuse "a.b" as the name of a tool'),
        ("p.S/D", 'some client would refuse "1a" as the name of a tool'),
        ("p.S/E", 'some client would refuse "" as the name of a tool'),
        ("p.S/B", collision),
        ("p.S/C", collision),
    ]
