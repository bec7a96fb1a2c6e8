#include "forecast/machines/small_trees.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>

namespace sparsecast::forecast {
namespace {

[[noreturn]] void refuse(const char* why) {
  throw Error(ErrorCode::bad_input, std::string("a tree of the model across machines ") + why);
}

}  // namespace

SmallTrees::SmallTrees(const nlohmann::ordered_json& trees, std::size_t features) {
  for (const auto& tree : trees) {
    const auto numbers = tree.get<std::vector<double>>();
    if (numbers.size() % 2 != 0 || numbers.empty()) refuse("is cut short");
    roots_.push_back(static_cast<std::int32_t>(nodes_.size()));
    std::vector<std::int32_t> open;  // nodes whose right part has not begun
    bool ended = false;
    for (std::size_t i = 0; i < numbers.size(); i += 2) {
      if (ended) refuse("has numbers behind its end");
      const bool leaf = numbers[i] == -1;
      if (!leaf &&
          (numbers[i] < 0 || numbers[i] >= static_cast<double>(features) || numbers[i] != std::floor(numbers[i])))
        refuse("asks for a feature that there is not");
      const auto here = static_cast<std::int32_t>(nodes_.size());
      nodes_.push_back({static_cast<int>(numbers[i]), numbers[i + 1], 0});
      if (!leaf) {
        open.push_back(here);
      } else if (open.empty()) {
        ended = true;
      } else {
        nodes_[static_cast<std::size_t>(open.back())].right = here + 1;
        open.pop_back();
      }
    }
    if (!ended) refuse("is cut short");
  }
}

double SmallTrees::operator()(std::span<const double> features) const {
  double sum = 0;
  for (const std::int32_t root : roots_) {
    std::int32_t at = root;
    while (true) {
      const Node& node = nodes_[static_cast<std::size_t>(at)];
      if (node.feature < 0) {
        sum += node.number;
        break;
      }
      at = features[static_cast<std::size_t>(node.feature)] <= node.number ? at + 1 : node.right;
    }
  }
  return sum;
}

}  // namespace sparsecast::forecast
