#include <sparsecast/precision.hpp>

namespace sparsecast {

std::string_view to_string(Precision p) noexcept { return p == Precision::single_ ? "single" : "double"; }

}  // namespace sparsecast
