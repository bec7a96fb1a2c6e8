#include "forecast/record_choice.hpp"
#include "forecast/physical/workload.hpp"

#include <algorithm>

namespace sparsecast::forecast {
namespace {
bool has_own(const Profile& profile, const RecordSet& records) {
  return std::ranges::any_of(profile.records, [&](const Record& record) {
    return record.precision == records.precision && record.threads == records.threads;
  });
}
}  // namespace

RecordSet records_for(const Profile& profile, const RecordSet& asked) {
  RecordSet from = asked;
  // Complex ones in double precision tell more of single than real ones do.
  for (const Precision other : {Precision::complex_double_, Precision::double_}) {
    if (has_own(profile, from)) break;
    if (is_complex(asked.precision) || !is_complex(other)) from.precision = other;
  }
  return from;
}

bool is_shipped(const Profile& profile, const RecordSet& asked) {
  return std::ranges::find(profile.shipped, asked.threads) != profile.shipped.end() &&
         !has_own(profile, records_for(profile, asked));
}

bool has_records(const Profile& profile, const RecordSet& asked) {
  return has_own(profile, records_for(profile, asked)) || is_shipped(profile, asked);
}

void take_values_of(Precision precision, formats::Workload& w) {
  const double bytes = value_bytes(precision);
  w.slots *= (bytes + 4) / csr_entry_bytes;
  w.cols *= bytes / 8;
  w.footprint_bytes = (bytes + 4) * w.nonzeros + (bytes + 4) * w.rows + 8 * w.cols;
}
}  // namespace sparsecast::forecast
