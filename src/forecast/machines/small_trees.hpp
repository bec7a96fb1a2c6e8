#pragma once
// A sum of small regression trees, read from plain numbers and evaluated here: the learned part of the model across
// machines needs no library where it is used.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

namespace sparsecast::forecast {

class SmallTrees {
 public:
  SmallTrees() = default;
  /// A list of trees, each a list of numbers in the order of a walk (node, left part, right part): "feature, threshold"
  /// of a node, "-1, value" of a leaf. Left is where the feature is at most the threshold. Error bad_input where they
  /// are no trees over so many features.
  SmallTrees(const nlohmann::ordered_json& trees, std::size_t features);

  [[nodiscard]] double operator()(std::span<const double> features) const;
  [[nodiscard]] std::size_t size() const { return roots_.size(); }

 private:
  struct Node {
    int feature = -1;
    double number = 0;       // threshold, or value of a leaf
    std::int32_t right = 0;  // the left one follows its node
  };
  std::vector<Node> nodes_;
  std::vector<std::int32_t> roots_;
};

}  // namespace sparsecast::forecast
