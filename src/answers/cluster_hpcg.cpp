// cluster_hpcg: a whole machine's rate in HPCG from what lists say of it.

#include <fmt/format.h>
#include <sparsecast/answers/cluster.hpp>
#include <sparsecast/error.hpp>

#include "answers/in_range.hpp"
#include "cluster/machine/hpcg_rate.hpp"
#include "cluster/machine/machine.hpp"
#include "fields/answers/cluster.hpp"
#include "fields/wording.hpp"

namespace sparsecast {
std::vector<std::string> cluster_machines() { return cluster::machine_names(); }

ClusterHpcg cluster_hpcg(const ClusterHpcgRequest& request) {
  answers::require_in_range(request);
  if (request.computer.empty())
    throw Error(ErrorCode::usage, "no system is given", {},
                "for example \"Site 1 — AMD EPYC 7763 64C 2.45GHz, Slingshot-11\"");
  if (request.cores < 1)
    throw Error(ErrorCode::usage, "the number of cores is missing", {},
                wording::format("{}, as lists count them", wording::option("cores", wording::placeholder("N"))));
  const cluster::MachineParts machine = cluster::machine_parts(request.computer, request.cores);
  ClusterHpcg answer{.computer = request.computer, .name = machine.name, .reason = machine.reason};
  if (machine.accelerator != nullptr) answer.accelerator = machine.accelerator->name;
  if (machine.network != nullptr) answer.network = machine.network->name;
  if (!answer.reason.empty()) return answer;
  const cluster::HpcgRate rate = hpcg_rate(machine);
  answer.processor = machine.processor->name;
  answer.nodes = machine.nodes;
  answer.sockets = machine.sockets;
  answer.accelerators = machine.accelerators;
  answer.whole = machine.whole;
  answer.memory_bandwidth = rate.bandwidth;
  answer.sweep_s = rate.sweep_s;
  answer.sums_s = rate.sums_s;
  answer.rate = rate.rate;
  answer.low = rate.low;
  answer.high = rate.high;
  answer.alike = rate.alike;
  answer.extrapolated = rate.extrapolated;
  answer.share_of_bandwidth = rate.share;
  answer.decides = fmt::format("the memory of the {}", machine.accelerator != nullptr ? "accelerators" : "processors");
  return answer;
}
}  // namespace sparsecast
