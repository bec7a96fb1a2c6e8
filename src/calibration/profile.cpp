#include <sparsecast/profile.hpp>

namespace sparsecast {

const Curve* Profile::curve(std::string_view wanted, int threads) const {
  for (const Curve& curve : curves)
    if (curve.name == wanted && curve.threads == threads) return &curve;
  return nullptr;
}

Profile described_profile(DeviceProperties properties) {
  Profile profile;
  profile.name = properties.name;
  profile.properties = std::move(properties);
  profile.tier = "data sheet";
  return profile;
}

}  // namespace sparsecast
