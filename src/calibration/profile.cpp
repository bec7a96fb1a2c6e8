#include <sparsecast/profile.hpp>

namespace sparsecast {

std::string_view to_string(Precision p) noexcept { return p == Precision::single_ ? "single" : "double"; }

const Curve* Profile::curve(std::string_view wanted, int threads) const {
  for (const Curve& curve : curves)
    if (curve.name == wanted && curve.threads == threads) return &curve;
  return nullptr;
}

}  // namespace sparsecast
