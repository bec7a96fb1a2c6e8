#include "plan/devices/row_split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <sparsecast/error.hpp>

#include "base/text.hpp"
#include "plan/run/row_range.hpp"
#include "plan/search/numbers.hpp"

namespace sparsecast::planning {
namespace {

// Shares settle in a few steps, as a part's time is nearly in proportion to it.
constexpr int share_steps = 6;
// Forecasts of one matrix on two devices err apart; a split that promises less is none.
constexpr double least_split_gain = 0.05;

// Borders between parts of these shares of the work: entries and rows alike.
std::vector<std::int64_t> borders_of(const Matrix& matrix, const std::vector<double>& shares) {
  return matrix.visit_pattern([&](const auto& csr) {
    std::vector<std::int64_t> borders{0};
    const double all = number(csr.rows) + number(static_cast<std::int64_t>(csr.column_indices.size()));
    double before = 0;
    for (std::size_t d = 0; d + 1 < shares.size(); ++d) {
      before += shares[d];
      std::int64_t low = borders.back(), high = csr.rows;
      while (low < high) {
        const std::int64_t middle = (low + high) / 2;
        if (number(middle) + number(static_cast<std::int64_t>(csr.row_pointers[middle])) < before * all) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      borders.push_back(low);
    }
    borders.push_back(csr.rows);
    return borders;
  });
}

class Splitting {
 public:
  Splitting(const Matrix& matrix, const std::vector<SplitDevice>& devices, const FitOptions& options)
      : matrix_(matrix) {
    for (const SplitDevice& device : devices) times_.emplace_back(device, matrix, options);
    for (const PartForecast& device : times_) {
      SplitPart& part = split_.parts.emplace_back();
      part.device = device.name();
      part.kind = device.kind();
      part.rests_on = device.rests_on();
      part.alone = device.of(matrix);
      if (split_.best_alone.empty() || part.alone.seconds() < split_.best_alone_s) {
        split_.best_alone = part.device;
        split_.best_alone_s = part.alone.seconds();
      }
    }
  }

  RowSplit split() {
    std::vector<double> shares;
    for (const SplitPart& part : split_.parts) shares.push_back(1 / part.alone.seconds());
    RowSplit best;
    for (int step = 0; step < share_steps; ++step) {
      const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
      for (double& share : shares) share /= all;
      deal(borders_of(matrix_, shares));
      if (step == 0 || split_.predicted_s < best.predicted_s) best = split_;
      // What takes long gets less; a part that is nothing but the way of x comes to nothing.
      for (std::size_t d = 0; d < shares.size(); ++d) {
        const SplitPart& part = split_.parts[d];
        if (part.rows() <= 0) continue;
        shares[d] *= mean_seconds() / part.time.seconds();
      }
    }
    return best;
  }

  // Whether all of them are the host's own cores.
  [[nodiscard]] bool one_processor() const { return std::ranges::all_of(times_, &PartForecast::on_the_processor); }

 private:
  [[nodiscard]] double mean_seconds() const {
    double sum = 0;
    int busy = 0;
    for (const SplitPart& part : split_.parts) {
      sum += part.time.seconds();
      busy += part.rows() > 0;
    }
    return sum / std::max(1, busy);
  }

  // Parts at work at once end with the last one; those that share the host's cores take each other's time.
  void deal(const std::vector<std::int64_t>& borders) {
    double on_the_processor = 0, longest = 0;
    for (std::size_t d = 0; d < times_.size(); ++d) {
      SplitPart& part = split_.parts[d];
      part.first_row = borders[d];
      part.last_row = borders[d + 1] - 1;
      part.time = {};
      part.nonzeros = 0;
      if (part.rows() > 0) {
        const Matrix rows = row_range(matrix_, part.first_row, part.last_row + 1);
        part.nonzeros = rows.nonzeros();
        part.time = times_[d].of(rows);
      }
      longest = std::max(longest, part.time.seconds());
      if (times_[d].on_the_processor()) on_the_processor += part.time.seconds();
    }
    split_.predicted_s = std::max(longest, on_the_processor);
  }

  const Matrix& matrix_;
  std::vector<PartForecast> times_;
  RowSplit split_;
};

// Why the split is worth it or not.
std::string reason_of(const RowSplit& split, bool one_processor) {
  if (split.parts.size() == 1) return "there is one device to deal rows to";
  if (split.pays)
    return fmt::format("the split is predicted to save {} over {} alone", base::format_percent(split.gain),
                       split.best_alone);
  if (one_processor)
    return fmt::format(
        "it does not pay: the devices run on the same cores and take each other's time; {} alone is "
        "predicted to take {}",
        split.best_alone, base::format_seconds(split.best_alone_s));
  double transfer_s = 0;
  for (const SplitPart& part : split.parts) transfer_s = std::max(transfer_s, part.time.transfer_s);
  return fmt::format(
      "it does not pay: {} alone is predicted to take {}, the split {}, of which x and y are up to {} "
      "on their way",
      split.best_alone, base::format_seconds(split.best_alone_s), base::format_seconds(split.predicted_s),
      base::format_seconds(transfer_s));
}

}  // namespace

RowSplit split_rows(const Matrix& matrix, const std::vector<SplitDevice>& devices, const FitOptions& options) {
  if (devices.empty()) throw Error(ErrorCode::usage, "no device to deal rows to");
  if (matrix.rows() == 0) throw Error(ErrorCode::usage, "there are no rows to deal", {matrix.name()});
  std::set<std::string> here;
  for (const SplitDevice& device : devices)
    if (device.here && !here.insert(device.name).second)
      throw Error(ErrorCode::usage, device.name + " is named twice", {}, "name every device once");
  Splitting splitting(matrix, devices, options);
  RowSplit split = splitting.split();
  split.gain = 1 - split.predicted_s / split.best_alone_s;
  split.pays = devices.size() > 1 && split.gain > least_split_gain;
  split.reason = reason_of(split, splitting.one_processor());
  return split;
}

}  // namespace sparsecast::planning
