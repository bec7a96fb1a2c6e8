#include "cluster/machine/hpcg_rate.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <sparsecast/error.hpp>
#include <sparsecast_constants.hpp>

#include "base/number.hpp"
#include "base/text.hpp"
#include "cluster/machine/embedded_systems.hpp"

namespace sparsecast::cluster {
namespace {
constexpr int folds = 24;

// What was learned, by name: a number for each fold.
class Learned {
 public:
  explicit Learned(std::string_view text) {
    for (const std::string_view line : base::split(text, '\n')) {
      const std::vector<std::string_view> cells = base::split(line, '\t');
      if (cells.size() != folds + 1 || cells.front() == "name") continue;
      std::vector<double>& numbers = of_[std::string(cells.front())];
      for (int f = 0; f < folds; ++f)
        numbers.push_back(base::number_in<double>(cells[static_cast<std::size_t>(f) + 1]).value_or(0));
    }
  }
  [[nodiscard]] double at(const std::string& name, int fold) const {
    const auto found = of_.find(name);
    return found == of_.end() ? 0 : found->second[static_cast<std::size_t>(fold)];
  }

 private:
  std::map<std::string, std::vector<double>, std::less<>> of_;
};

const Learned& learned() {
  static const Learned table = [] {
    for (const embedded::File& file : embedded::systems())
      if (file.name == "hpcg.tsv") return Learned(file.text);
    return Learned("");
  }();
  return table;
}
}  // namespace

int hpcg_fold(std::string_view name) { return static_cast<int>(base::fnv1a(plain_name(name)) % folds); }

HpcgRate hpcg_rate(const MachineParts& machine) {
  const Part& decider = machine.decider();
  const int fold = hpcg_fold(machine.name);
  const auto number = [&](const std::string& name) { return learned().at(name, fold); };
  HpcgRate answer;
  answer.bandwidth = machine.deciders() * decider.bandwidth;
  answer.alike = static_cast<int>(number("alike:" + decider.name));
  const double doublings = std::log2(std::max(1.0, machine.nodes));
  answer.extrapolated = doublings > number("most_doublings");
  const double log_share = number("share") + number("family:" + decider.family) + number("part:" + decider.name) +
                           (machine.network != nullptr ? number("network:" + machine.network->family) : 0) +
                           number("doubling") * doublings;
  answer.share = std::exp(log_share);
  const double flops = constants::hpcg_row_flops * constants::hpcg_rows * machine.deciders();
  answer.sweep_s = flops * constants::hpcg_bytes_per_flop / (answer.bandwidth * answer.share);
  constexpr double usual_latency = 1.5;  // µs, where no network was found
  const double latency = 1e-6 * (machine.network != nullptr ? machine.network->cores : usual_latency);
  // A sum goes up a tree and down again.
  answer.sums_s = constants::hpcg_sums * 2 * std::ceil(doublings) * latency;
  answer.rate = flops / (answer.sweep_s + answer.sums_s);
  constexpr int many = 3;
  // Families whose systems scatter more have an interval of their own.
  // More nodes than any system has that was learned from are known less well with every doubling.
  const double half =
      std::max(number("half:" + (machine.whole ? std::to_string(std::min(many, answer.alike)) : "part")),
               number("half:family:" + decider.family)) +
      constants::count_doubling * std::max(0.0, doublings - number("most_doublings"));
  answer.low = answer.rate * std::exp(-half);
  answer.high = answer.rate * std::exp(half);
  return answer;
}
}  // namespace sparsecast::cluster
