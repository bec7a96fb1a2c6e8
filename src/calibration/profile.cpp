#include <sparsecast/profile.hpp>

namespace sparsecast {

const Curve* Profile::curve(std::string_view wanted, int threads) const {
  for (const Curve& curve : curves)
    if (curve.name == wanted && curve.threads == threads) return &curve;
  return nullptr;
}

}  // namespace sparsecast
