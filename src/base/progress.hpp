#pragma once
// The names of <sparsecast/progress.hpp> within the library.

#include <sparsecast/progress.hpp>

namespace sparsecast::base {
using sparsecast::ProgressFunction;
using sparsecast::ProgressStep;
}  // namespace sparsecast::base
