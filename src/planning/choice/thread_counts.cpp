#include "planning/choice/thread_counts.hpp"

#include <functional>
#include <set>

#include "forecast/record_choice.hpp"
#include "formats/kernels.hpp"

namespace sparsecast::planning {
std::vector<int> measured_threads(const Profile& profile, Precision precision, int most) {
  if (profile.properties.kind != DeviceKind::host) return {0};
  std::set<int, std::greater<>> counts;
  for (const Record& record : profile.records)
    if (record.threads <= most && !counts.contains(record.threads) && record.kernel == formats::default_kernel().name)
      counts.insert(record.threads);
  for (const int count : profile.shipped)
    if (count <= most) counts.insert(count);
  std::erase_if(counts, [&](int count) { return !forecast::has_records(profile, {precision, count}); });
  return {counts.begin(), counts.end()};
}
}  // namespace sparsecast::planning
