#include "cluster/machine/machine.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <span>
#include <sparsecast/error.hpp>

#include "base/interrupt.hpp"
#include "base/nearest.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "cluster/described/described_cluster.hpp"
#include "cluster/described/message_seconds.hpp"
#include "cluster/launch/measure.hpp"
#include "cluster/machine/embedded_systems.hpp"
#include "cluster/machine/hpcg_rate.hpp"
#include "cluster/node_sharing.hpp"
#include "fields/cluster_forecast.hpp"
#include "fields/wording.hpp"

namespace sparsecast::cluster {
namespace {
using Cells = std::vector<std::string_view>;
enum Column {
  name_column,
  model,
  nodes,
  sockets,
  processor,
  accelerators,
  accelerator,
  network,
  rails,
  ranks,
  gibibytes,
  source
};

const std::vector<Cells>& machine_rows() {
  static const std::vector<Cells> rows = [] {
    std::vector<Cells> read;
    for (const embedded::File& file : embedded::systems()) {
      if (file.name != "machines.tsv") continue;
      for (const std::string_view line : base::split(file.text, '\n'))
        if (Cells cells = base::split(line, '\t'); cells.size() == source + 1 && cells[name_column] != "name")
          read.push_back(std::move(cells));
    }
    return read;
  }();
  return rows;
}

const Part* part_called(PartKind kind, std::string_view name) {
  if (name.empty()) return nullptr;
  const auto found = std::ranges::find_if(parts(), [&](const Part& p) { return p.kind == kind && p.name == name; });
  if (found == parts().end()) throw Error(ErrorCode::failed, "profiles/systems/machines.tsv: " + std::string(name));
  return &*found;
}

// What a product reads of a row and of an entry, in CSR: y is read before it is written.
constexpr double entry_bytes = 12, row_bytes = 28;

struct ProductWork {
  double nonzeros = 0, rows = 0;  ///< of the node that has most
};

// The machine's forecasts of one case after the other.
class MachineForecast {
 public:
  MachineForecast(const Machine& machine, Precision precision) : machine_(machine), value_(value_bytes(precision)) {
    const Part* const between = machine.parts.network;
    network_ = {between->name, between->bandwidth, machine.rails, 1e-6 * between->cores, message_s, ""};
    MachineParts one = machine.parts;
    one.nodes = 1;
    rate_ = hpcg_rate(one);
    near_.node_bandwidth = rate_.bandwidth;
    near_.bandwidth = std::min(near_.node_bandwidth, std::max(near_.bandwidth, rate_.bandwidth / (2 * machine.ranks)));
  }

  [[nodiscard]] ClusterForecast forecast(const SchemeFeatures& features, const ProductWork& work) const {
    // HPCG's share is of the bytes of its entries alone, 27 in a row.
    constexpr double hpcg_row = 27, beside_entries = (entry_bytes * hpcg_row + row_bytes) / (entry_bytes * hpcg_row);
    constexpr double single_share = 8.0 / 12;  // of an entry's bytes, and about as much of a row's
    const double bytes = (entry_bytes * work.nonzeros + row_bytes * work.rows) * (value_ == 8 ? 1 : single_share);
    const double start = machine_.parts.accelerator != nullptr ? launch_s : 0;
    // Fewer ranks than a node has draw their share of its memory where each has a domain or an accelerator of its own.
    // A core draws more than its share, and less than all; how much is not known of a machine's parts, so it is taken
    // for the middle of the two, and the interval holds both.
    const double busy =
        static_cast<double>(busy_ranks(features.processes, machine_.ranks)) / static_cast<double>(machine_.ranks);
    const double drawn = is_a_rank_a_core() ? std::sqrt(busy) : busy, unknown = drawn / busy;
    const double product = bytes / (drawn * rate_.bandwidth * rate_.share * beside_entries) + start;
    const MessageSeconds messages = message_seconds(features, network_, near_, machine_.ranks);
    const double sent = messages.seconds();
    const int used = nodes_for(features.processes, machine_.ranks);
    ClusterForecast f{features.scheme,
                      LocalFormat::csr,
                      described_cluster_model,
                      features.processes,
                      used,
                      product + sent,
                      product,
                      sent,
                      false,
                      0,
                      0,
                      Tier::data_sheet,
                      messages.latency_s};
    const double low = rate_.low / rate_.rate, high = rate_.high / rate_.rate;
    // Where caches hold what a node reads again and again, memory does not decide.
    const bool cached = bytes < busy * cache_bytes * machine_.parts.deciders() / machine_.parts.nodes;
    f.low_s = product / high / unknown / (cached ? cache_factor : 1) + sent / message_factor;
    f.high_s = product / low * unknown + sent * message_factor;
    f.extrapolated = used > machine_.parts.nodes || unknown > 1;
    return f;
  }

 private:
  [[nodiscard]] bool is_a_rank_a_core() const {
    const MachineParts& parts = machine_.parts;
    return parts.accelerator == nullptr && machine_.ranks >= parts.sockets * static_cast<int>(parts.socket_cores);
  }

  static constexpr double message_s = 2e-7;    // as in profiles/networks
  static constexpr double launch_s = 5e-6;     // as in profiles/devices
  static constexpr double message_factor = 2;  // as predict_described() has it
  static constexpr double cache_bytes = 256e6,
                          cache_factor = 4;  // more than the last cache of any part; faster at most
  const Machine& machine_;
  std::int64_t value_;
  Network network_;
  NearMessages near_;
  HpcgRate rate_;
};

void require_rows_in_csr(const PredictOptions& options) {
  if (std::ranges::find(options.schemes, Scheme::local_rows) == options.schemes.end())
    throw Error(ErrorCode::usage, "on a machine of the catalogue, only l1dr can be forecast", {},
                wording::format("give {}, or none", wording::option("schemes", Scheme::local_rows)));
  if (std::ranges::find(options.formats, LocalFormat::csr) == options.formats.end())
    throw Error(ErrorCode::usage, "on a machine of the catalogue, only csr can be forecast", {},
                wording::format("give {}, or none", wording::option("formats", LocalFormat::csr)));
}
}  // namespace

std::vector<std::string> machine_names() {
  std::vector<std::string> names;
  for (const Cells& cells : machine_rows()) names.emplace_back(cells[name_column]);
  return names;
}

Machine machine_of(const std::string& name) {
  const auto found = std::ranges::find_if(machine_rows(), [&](const Cells& c) { return c[name_column] == name; });
  if (found == machine_rows().end()) {
    const std::vector<std::string> known = machine_names();
    std::string remedy = base::did_you_mean(name, known);
    if (!remedy.empty()) remedy += "; ";
    throw Error(ErrorCode::usage, fmt::format("there is no machine '{}'", name), {},
                remedy + fmt::format("use one of {}", fmt::join(known, ", ")));
  }
  const Cells& cells = *found;
  const auto count = [&](Column column) { return base::number_in<int>(cells[column]).value_or(0); };
  Machine machine;
  machine.parts.name = cells[model];
  machine.parts.processor = part_called(PartKind::processor, cells[processor]);
  machine.parts.accelerator = part_called(PartKind::accelerator, cells[accelerator]);
  machine.parts.network = part_called(PartKind::network, cells[network]);
  machine.parts.socket_cores = machine.parts.processor->cores;
  machine.parts.sockets = count(sockets);
  machine.parts.accelerators = count(accelerators);
  machine.parts.nodes = count(nodes);
  machine.rails = count(rails);
  machine.ranks = count(ranks);
  machine.memory_bytes = std::int64_t{count(gibibytes)} << 30;
  return machine;
}

std::vector<int> counts_of_nodes(const Machine& machine) {
  const int most = std::min(static_cast<int>(machine.parts.nodes), most_processes / machine.ranks);
  std::vector<int> counts;
  for (int nodes = 1; nodes < most; nodes *= 2) counts.push_back(nodes);
  counts.push_back(most);
  return counts;
}

namespace {
template <class ShareOn>
Prediction predict_machine_shares(const ShareOn& share_on, const Machine& machine, const PredictOptions& options) {
  require_rows_in_csr(options);
  const MachineForecast forecasts(machine, options.precision);
  Prediction prediction;
  for (const int processes : options.processes) {
    base::throw_if_interrupted();
    const NodeShare share = share_on(processes);
    const ProductWork work{static_cast<double>(share.node.nonzeros), static_cast<double>(share.node.rows)};
    prediction.forecasts.push_back(forecasts.forecast(share.features, work));
  }
  return prediction;
}
}  // namespace

Prediction predict_machine(const Stencil& stencil, const Machine& machine, const PredictOptions& options) {
  return predict_machine_shares(
      [&](int processes) { return share_of(stencil, processes, machine.ranks, options.precision, ShareDetail::sizes); },
      machine, options);
}

Prediction predict_machine(const Recipe& recipe, const Machine& machine, const PredictOptions& options) {
  RecipeShares shares(recipe);
  return predict_machine_shares(
      [&](int processes) { return shares.share(processes, machine.ranks, options.precision, ShareDetail::sizes); },
      machine, options);
}

Prediction predict_machine(const Matrix& matrix, const Machine& machine, const PredictOptions& options) {
  require_rows_in_csr(options);
  const MachineForecast forecasts(machine, options.precision);
  PredictOptions rows = options;
  rows.schemes = {Scheme::local_rows};
  Prediction prediction;
  prediction.missing =
      for_each_case(matrix, rows, {}, machine.ranks, [&](const SchemeFeatures& features, const Placement& /*all*/) {
        std::vector<ProductWork> of_nodes(static_cast<std::size_t>(nodes_for(features.processes, machine.ranks)));
        for (std::size_t rank = 0; rank < features.ranks.size(); ++rank) {
          ProductWork& node = of_nodes[rank / static_cast<std::size_t>(machine.ranks)];
          node.nonzeros += features.ranks[rank].own.nonzeros + features.ranks[rank].remote.nonzeros;
          node.rows += features.ranks[rank].own.rows;
        }
        const ProductWork most = *std::ranges::max_element(of_nodes, {}, &ProductWork::nonzeros);
        prediction.forecasts.push_back(forecasts.forecast(features, most));
      });
  return prediction;
}
}  // namespace sparsecast::cluster
