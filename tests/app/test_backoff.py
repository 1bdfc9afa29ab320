from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.app.backoff import Backoff


def test_pauses_double_up_to_the_longest() -> None:
    backoff = Backoff(initial_seconds=0.5, max_seconds=5, spread=lambda: 1.0)
    assert [backoff.pause_seconds(failures) for failures in range(1, 7)] == [0.5, 1, 2, 4, 5, 5]


@given(st.integers(min_value=1, max_value=10**9))
@settings(max_examples=60)
def test_a_pause_is_spread_over_its_upper_half(failures: int) -> None:
    shortest = Backoff(initial_seconds=0.5, max_seconds=30, spread=lambda: 0.0).pause_seconds(failures)
    longest = Backoff(initial_seconds=0.5, max_seconds=30, spread=lambda: 1.0).pause_seconds(failures)
    assert 0.25 <= shortest == longest / 2 <= 15
