#pragma once
// A sum of regression trees as models ship them, evaluated without a library: left is where the feature is at most the
// threshold, and the left side follows its node.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

namespace sparsecast::forecast {
class SumOfTrees {
 public:
  /// No tree: 0.
  SumOfTrees() = default;
  /// {"edges": thresholds of each feature, ascending, "unit", "code"}. The code is base64 of the trees in the order of
  /// a walk: two bytes of a node (feature, place of its threshold among the edges), three of a leaf (255, its value in
  /// units as int16). Error bad_input where these are no trees over so many features.
  SumOfTrees(const nlohmann::ordered_json& document, std::size_t features);

  [[nodiscard]] double operator()(std::span<const double> features) const;
  [[nodiscard]] std::size_t size() const { return roots_.size(); }

 private:
  struct Node {
    float number = 0;  ///< threshold, or value of a leaf
    std::uint16_t feature = leaf;
    std::int16_t right = 0;  ///< how far on the right side begins
  };
  static constexpr std::uint8_t leaf = 255;
  std::vector<Node> nodes_;
  std::vector<std::size_t> roots_;
};
}  // namespace sparsecast::forecast
