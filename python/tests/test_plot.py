"""Pictures are drawn from real tables, into axes of one's own or new ones."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pytest
import scipy.sparse as sp

import sparsecast


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def test_every_picture(matrix, laplacian, tmp_path):
    table = sparsecast.forecast(laplacian)
    measured = sparsecast.measure(laplacian, kernels=["csr", "sell"])
    judged = sparsecast.evaluate([laplacian], kernels=["csr"], model="sparsecast")
    plot = sparsecast.plot
    drawn = [
        plot.forecast(table, measured),
        plot.parts(table),
        plot.roofline(table, measured, bandwidth=1e10, peak=1e11),
        plot.row_lengths(sparsecast.structure(matrix)),
        plot.spy(matrix),
        plot.break_even(table),
        plot.errors(judged),
    ]
    for number, ax in enumerate(drawn):
        assert ax.get_xlabel() and (ax.lines or ax.collections or ax.patches or ax.images)
        ax.figure.savefig(tmp_path / f"{number}.pdf")
    forecast, roof = drawn[0], drawn[2]
    assert [label.get_text() for label in forecast.get_yticklabels()] == [row["kernel"] for row in table]
    assert {line.get_label() for line in roof.lines} == {"10 GB/s", "forecast", "measured"}


def test_they_draw_where_they_are_told():
    figure, (left, right) = plt.subplots(1, 2)
    assert sparsecast.plot.spy(sp.eye_array(10, format="csr"), ax=right) is right
    assert not left.images and right.images
    image = right.images[0].get_array()
    assert image.shape == (10, 10) and image.count() == 10  # one cell for each non-zero
