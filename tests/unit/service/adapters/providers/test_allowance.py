"""Subscriptions, as headers tell of them."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from luvus_service.adapters.providers.allowance import WINDOWS, changed, plan_usage
from luvus_service.luxe.domain.values import Credits, PlanUsage, PlanWindow

NOW = 1_800_000_000.0


def test_the_windows_of_a_claude_plan_are_read() -> None:
    headers = {
        "anthropic-ratelimit-unified-5h-utilization": "0.42",
        "anthropic-ratelimit-unified-5h-status": "allowed",
        "anthropic-ratelimit-unified-5h-reset": "1800003600",
        "anthropic-ratelimit-unified-7d-utilization": "0.85",
        "anthropic-ratelimit-unified-7d-status": "allowed_warning",
        "anthropic-ratelimit-requests-remaining": "7",
    }

    assert plan_usage("anthropic", headers, NOW) == PlanUsage(
        provider="anthropic",
        windows=(
            PlanWindow("5h", 42.0, "ok", "2027-01-15T09:00:00.000Z"),
            PlanWindow("7d", 85.0, "warning", None),
        ),
        updated_at="2027-01-15T08:00:00.000Z",
    )


def test_the_windows_of_a_codex_plan_are_read() -> None:
    headers = {
        "x-codex-primary-used-percent": "100",
        "x-codex-primary-window-minutes": "300",
        "x-codex-primary-reset-after-seconds": "60",
        "x-codex-secondary-used-percent": "12.5",
        "x-codex-secondary-window-minutes": "10080",
        "x-codex-plan-type": "pro",
        "x-codex-credits-balance": "3.5",
    }

    plan = plan_usage("openai", headers, NOW)

    assert plan is not None
    assert plan.windows == (
        PlanWindow("5h", 100.0, "exhausted", "2027-01-15T08:01:00.000Z"),
        PlanWindow("7d", 12.5, "ok", None),
    )
    assert (plan.plan, plan.credits) == ("pro", Credits(3.5, "credits"))


def test_a_key_without_a_plan_tells_of_none() -> None:
    assert plan_usage("p", {"anthropic-ratelimit-requests-limit": "50"}, NOW) is None
    assert plan_usage("p", {"x-codex-primary-used-percent": "lots"}, NOW) is None


def test_only_changes_of_a_point_or_of_a_status_are_worth_telling() -> None:
    old = PlanUsage("p", (PlanWindow("5h", 40.0, "ok"),), "t")

    def window(percent: float, status: str = "ok", name: str = "5h") -> PlanUsage:
        return replace(old, windows=(PlanWindow(name, percent, status),))  # type: ignore[arg-type]

    assert changed(None, old)
    assert not changed(old, window(40.9))
    assert changed(old, window(41.0))
    assert changed(old, window(40.0, "warning"))
    assert changed(old, window(40.0, name="7d"))


@given(
    st.dictionaries(
        st.sampled_from(
            [
                "anthropic-ratelimit-unified-5h-utilization",
                "anthropic-ratelimit-unified-5h-reset",
                "x-codex-primary-used-percent",
                "x-codex-primary-window-minutes",
                "x-codex-primary-reset-at",
                "x-codex-credits-balance",
            ]
        ),
        st.text(max_size=12) | st.integers().map(str) | st.floats().map(str),
    )
)
def test_headers_of_any_kind_never_raise(headers: dict[str, str]) -> None:
    plan_usage("p", headers, NOW)


def test_more_windows_than_the_limit_are_left_out() -> None:
    headers = {f"anthropic-ratelimit-unified-w{n}-utilization": "0.1" for n in range(100)}

    plan = plan_usage("p", headers, NOW)

    assert plan is not None
    assert len(plan.windows) == WINDOWS
