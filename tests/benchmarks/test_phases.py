"""Steps of a contender, timed one by one."""

from benchmarks.core.phases import Phases


def test_words__medians_in_the_order_of_the_steps() -> None:
    times = iter([0.0, 0.010, 0.010, 0.013, 1.0, 1.030, 1.030, 1.034, 2.0, 2.020, 2.020, 2.025])
    phases = Phases(clock=lambda: next(times))

    for _ in range(3):
        with phases.step("begin"):
            pass
        with phases.step("write"):
            pass

    assert phases.words() == "begin 20 ms, write 4 ms"


def test_forget__leaves_the_warm_up_out() -> None:
    times = iter([0.0, 9.0, 9.0, 9.010])
    phases = Phases(clock=lambda: next(times))

    with phases.step("begin"):
        pass
    phases.forget()
    with phases.step("begin"):
        pass

    assert phases.words() == "begin 10 ms"
