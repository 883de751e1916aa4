"""Random models with several kinds of faults, on Spark: what brute force says, with and without reductions."""

from __future__ import annotations

import pytest
from engines.derived import REDUCTIONS, by_engine
from engines.test_derived_systems import cases

from offsetproof.engines.spark.engine import Spark


@pytest.mark.slow
@pytest.mark.parametrize("number", [5, 19, 58, 61])
def test_spark_agrees_with_brute_force(spark: Spark, number: int) -> None:
    ((_, case),) = cases(range(number, number + 1))
    for turn, prop in enumerate(case.props):
        reductions = REDUCTIONS[(number + turn) % len(REDUCTIONS)]
        assert list(by_engine(spark, case, prop, reductions)) == [], f"{prop.id} of {case.drawn}"
