"""Tests, one folder a kind: unit, contract, integration, browser, bench, soak."""
