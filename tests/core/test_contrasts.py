from sparkbias.core.contrasts import FoundContrast, Pole, find_pole, pole_ids


def test_every_missing_word_has_its_reason():
    pole = find_pole(
        "women",
        ["She", "hers", "queen", "ice-cream", "she"],
        {"she": 0},
        seen={"hers": 3},
        tokeniser="words",
    )
    assert pole.found == ("she",)
    assert pole.missing == {
        "hers": "below_min_count",
        "queen": "absent",
        "ice-cream": "not_a_token",
    }


def test_a_word_may_stand_in_poles_of_several_contrasts():
    gender = FoundContrast("gender", Pole("f", ("she",), {}), Pole("m", ("he",), {}))
    other = FoundContrast("other", Pole("x", ("he",), {}), Pole("y", ("she", "it"), {}))
    assert pole_ids([gender, other], {"she": 0, "he": 1, "it": 2}) == {
        0: [("gender", True), ("other", False)],
        1: [("gender", False), ("other", True)],
        2: [("other", False)],
    }
    assert gender.words == {"she", "he"}
