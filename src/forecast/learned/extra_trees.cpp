#include "forecast/learned/extra_trees.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <sparsecast/error.hpp>
#include <sparsecast_constants.hpp>

#include "base/median.hpp"

namespace sparsecast::forecast {
// One tree over indices of rows, which it sorts in place.
class ExtraTrees::Grower {
 public:
  Grower(const Eigen::MatrixXd& features, const Eigen::VectorXd& targets, const Eigen::VectorXd& weights,
         std::vector<Node>& nodes, unsigned seed)
      : x_(features),
        y_(targets),
        weights_(weights),
        nodes_(nodes),
        random_(seed),
        rows_(static_cast<std::size_t>(targets.size())) {
    std::iota(rows_.begin(), rows_.end(), Eigen::Index{0});
    order_.resize(static_cast<std::size_t>(features.cols()));
    std::iota(order_.begin(), order_.end(), Eigen::Index{0});
    grow(rows_);
  }

 private:
  using Rows = std::span<Eigen::Index>;
  struct Split {
    Eigen::Index feature = -1;
    float threshold = 0;
    double gain = -1;
  };

  // In [0, 1), the same with every library.
  double uniform() { return static_cast<double>(random_()) * 0x1p-32; }

  [[nodiscard]] double mean_of(Rows rows) const {
    double sum = 0, all = 0;
    for (const Eigen::Index row : rows) {
      sum += weights_(row) * y_(row);
      all += weights_(row);
    }
    return sum / all;
  }

  // By how much the sum of squares falls: n₁·n₂/n · (mean₁ − mean₂)², up to the n.
  [[nodiscard]] double gain(Rows rows, Eigen::Index feature, float threshold) const {
    double left = 0, all = 0;
    std::ptrdiff_t count = 0;
    for (const Eigen::Index row : rows) {
      const bool is_left = x_(row, feature) <= threshold;
      all += y_(row);
      left += is_left ? y_(row) : 0;
      count += is_left ? 1 : 0;
    }
    const std::ptrdiff_t others = std::ssize(rows) - count;
    const auto least_leaf = constants::count<std::ptrdiff_t>(constants::least_leaf);
    if (count < least_leaf || others < least_leaf) return -1;
    const double n = static_cast<double>(count), m = static_cast<double>(others);
    const double apart = left / n - (all - left) / m;
    return n * m * apart * apart;
  }

  Split best_split(Rows rows) {
    Split best;
    auto wanted = static_cast<int>(constants::share_of_features * static_cast<double>(order_.size()));
    for (std::size_t i = 0; i < order_.size() && wanted > 0; ++i) {
      const auto left = static_cast<double>(order_.size() - i);
      std::swap(order_[i], order_[i + static_cast<std::size_t>(uniform() * left)]);
      const Eigen::Index feature = order_[i];
      double least = x_(rows.front(), feature), most = least;
      for (const Eigen::Index row : rows) {
        least = std::min(least, x_(row, feature));
        most = std::max(most, x_(row, feature));
      }
      if (!(most > least)) continue;
      --wanted;
      // As it is kept: what is split here is split so when it is asked.
      const auto threshold = static_cast<float>(least + uniform() * (most - least));
      if (const double found = gain(rows, feature, threshold); found > best.gain) best = {feature, threshold, found};
    }
    return best;
  }

  void grow(Rows rows) {
    const std::size_t here = nodes_.size();
    nodes_.push_back({-1, 0, static_cast<float>(mean_of(rows))});
    if (static_cast<double>(rows.size()) < 2 * constants::least_leaf) return;
    const Split split = best_split(rows);
    if (split.feature < 0) return;
    const auto middle = std::partition(rows.begin(), rows.end(),
                                       [&](Eigen::Index row) { return x_(row, split.feature) <= split.threshold; });
    const auto left = static_cast<std::size_t>(middle - rows.begin());
    grow(rows.first(left));
    nodes_[here] = {static_cast<std::int32_t>(split.feature), static_cast<std::int32_t>(nodes_.size()),
                    split.threshold};
    grow(rows.subspan(left));
  }

  const Eigen::MatrixXd& x_;
  const Eigen::VectorXd &y_, &weights_;
  std::vector<Node>& nodes_;
  std::mt19937 random_;
  std::vector<Eigen::Index> rows_, order_;
};

ExtraTrees::ExtraTrees(const Eigen::MatrixXd& features, const Eigen::VectorXd& targets, int trees, double lean) {
  if (targets.size() == 0) return;
  const Eigen::VectorXd weights = (-lean * (targets.array() - targets.mean())).exp();
  for (int tree = 0; tree < trees; ++tree) {
    roots_.push_back(static_cast<std::int32_t>(nodes_.size()));
    Grower(features, targets, weights, nodes_, static_cast<unsigned>(tree));
  }
}

// The number of trees, where each begins, their nodes.
std::vector<std::uint8_t> ExtraTrees::bytes() const {
  std::vector<std::uint8_t> out;
  const auto put = [&](const auto& numbers) {
    const auto* first = reinterpret_cast<const std::uint8_t*>(numbers.data());
    out.insert(out.end(), first, first + numbers.size() * sizeof(numbers.front()));
  };
  put(std::vector{static_cast<std::int32_t>(roots_.size())});
  put(roots_);
  put(nodes_);
  return out;
}

ExtraTrees::ExtraTrees(std::span<const std::uint8_t> bytes, Eigen::Index features) {
  const auto require = [](bool sound) {
    if (!sound) throw Error(ErrorCode::bad_input, "these are not trees");
  };
  const auto take = [&](auto& numbers, std::size_t count) {
    const std::size_t size = count * sizeof(numbers.front());
    require(count <= bytes.size() && size <= bytes.size());
    numbers.resize(count);
    if (count > 0) std::memcpy(numbers.data(), bytes.data(), size);
    bytes = bytes.subspan(size);
  };
  std::vector<std::int32_t> count;
  take(count, 1);
  require(count.front() >= 0);
  take(roots_, static_cast<std::size_t>(count.front()));
  require(bytes.size() % sizeof(Node) == 0);
  take(nodes_, bytes.size() / sizeof(Node));
  const auto size = static_cast<std::int32_t>(nodes_.size());
  for (const std::int32_t root : roots_) require(root >= 0 && root < size);
  // A walk goes forward, so it ends.
  for (std::int32_t at = 0; at < size; ++at)
    if (const Node& node = nodes_[static_cast<std::size_t>(at)]; node.feature >= 0)
      require(node.feature < features && node.right > at && node.right < size);
}

std::vector<double> ExtraTrees::all(const Eigen::RowVectorXd& features) const {
  std::vector<double> values;
  for (const std::int32_t root : roots_) {
    auto at = static_cast<std::size_t>(root);
    while (nodes_[at].feature >= 0)
      at = features(nodes_[at].feature) <= nodes_[at].number ? at + 1 : static_cast<std::size_t>(nodes_[at].right);
    values.push_back(nodes_[at].number);
  }
  return values;
}

double ExtraTrees::predict(const Eigen::RowVectorXd& features) const {
  const std::vector<double> values = all(features);
  return values.empty() ? 0 : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double ExtraTrees::median(const Eigen::RowVectorXd& features) const {
  return roots_.empty() ? 0 : base::median(all(features));
}
}  // namespace sparsecast::forecast
