#include "solving/forecast/reach.hpp"

#include <algorithm>
#include <set>
#include <vector>

namespace sparsecast::solving {
namespace {
constexpr char of_matrix = '#', of_preconditioner = '%';

// One thing used, in the order of use.
struct Use {
  char name;
  double bytes;
  double* reach;
};

bool same(const Use& a, const Use& b) { return a.name == b.name; }
}  // namespace

std::vector<StepReach> reaches_of(const std::vector<Step>& steps, const ReachSizes& sizes) {
  std::vector<StepReach> reaches(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    reaches[i].reads.resize(steps[i].reads.size());
    reaches[i].writes.resize(steps[i].writes.size());
  }
  std::vector<Use> uses;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    const double share = std::min(1.0, step.times);  // what happens now and then is in the way now and then
    for (std::size_t k = 0; k < step.reads.size(); ++k)
      uses.push_back({step.reads[k].name, share * step.reads[k].count * sizes.vector, &reaches[i].reads[k]});
    if (step.kind == StepKind::product || step.kind == StepKind::transposed)
      uses.push_back({of_matrix, share * sizes.matrix, &reaches[i].data});
    if (step.kind == StepKind::precondition)
      uses.push_back({of_preconditioner, share * sizes.preconditioner, &reaches[i].data});
    for (std::size_t k = 0; k < step.writes.size(); ++k)
      uses.push_back({step.writes[k].name, share * step.writes[k].count * sizes.vector, &reaches[i].writes[k]});
  }
  for (std::size_t i = 0; i < uses.size(); ++i) {
    // Back through the uses before, round the end, to the last one of the same thing.
    std::set<char> between;
    double bytes = uses[i].bytes;
    for (std::size_t back = 1; back <= uses.size(); ++back) {
      const Use& before = uses[(i + uses.size() - back) % uses.size()];
      if (same(before, uses[i])) break;
      if (between.insert(before.name).second) bytes += before.bytes;
    }
    *uses[i].reach = bytes;
  }
  return reaches;
}
}  // namespace sparsecast::solving
