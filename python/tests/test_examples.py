"""Every public function and method has an example; pytest runs them as doctests (--doctest-modules)."""

from __future__ import annotations

import inspect

import pytest

import sparsecast

# What an example cannot make in a moment: a cluster's profile.
WITHOUT = {"sparsecast.cluster.predict"}


def public():
    for name in sparsecast.__all__:
        value = getattr(sparsecast, name)
        if inspect.ismodule(value):
            yield from ((f"sparsecast.{name}.{each}", getattr(value, each)) for each in value.__all__)
        elif callable(value):
            yield f"sparsecast.{name}", value
    for name, value in vars(sparsecast.Plan).items():
        if inspect.isfunction(value) and not name.startswith("_"):
            yield f"sparsecast.Plan.{name}", value


PUBLIC = dict(public())


def test_they_are_many():
    assert len(PUBLIC) >= 28 and {"sparsecast.plan", "sparsecast.solve.cg", "sparsecast.Plan.apply"} <= set(PUBLIC)


@pytest.mark.parametrize("name", sorted(PUBLIC.keys() - WITHOUT))
def test_it_has_an_example(name):
    what = PUBLIC[name]
    if inspect.isclass(what) and issubclass(what, Warning):
        return
    assert "Examples\n" in what.__doc__ and ">>> " in what.__doc__
