#pragma once
// A computed product beside the exact one: no row may be further off than its sums can round.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "formats/reference.hpp"

namespace sparsecast::testing {

template <class Value>
void expect_within_bound(const std::vector<Value>& y, const formats::ReferenceProduct& reference) {
  for (std::size_t row = 0; row < y.size(); ++row)
    ASSERT_LE(std::abs(static_cast<double>(y[row]) - reference.y[row]), reference.bound[row])
        << "row " << row << ": " << y[row] << " instead of " << reference.y[row];
}

}  // namespace sparsecast::testing
