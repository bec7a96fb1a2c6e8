#pragma once
// Plans from a profile that a test made, which no store holds.

#include <sparsecast/plan.hpp>

namespace sparsecast::test {

/// What the profile's planner finds for one thread, carried out.
Plan planned(const Matrix& matrix, const Profile& profile);

}  // namespace sparsecast::test
