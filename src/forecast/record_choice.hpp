#pragma once
// Which records a forecast rests on: those of the precision that is asked for, or, for single precision where there are
// none, those in double. What a product does follows from the matrix and the bytes of its values; so the costs fitted
// in double are put to the amounts of a product in single, and the interval is widened by what that leaves open.

#include "forecast/record_set.hpp"
#include "formats/workload.hpp"

namespace sparsecast::forecast {
/// The records that forecasts for `asked` rest on: the same, or those in double precision for the same threads.
[[nodiscard]] RecordSet records_for(const Profile& profile, const RecordSet& asked);
/// Whether what ships stands in for them: the profile has none, and names that number of threads (Profile::shipped).
[[nodiscard]] bool is_shipped(const Profile& profile, const RecordSet& asked);
/// Whether the profile has such records at all, or what ships stands in for them.
[[nodiscard]] bool has_records(const Profile& profile, const RecordSet& asked);

/// A feature record's amounts, which are counted in entries of 8 + 4 bytes and x of 8, for values of that precision.
void take_values_of(Precision precision, formats::Workload& workload);
}  // namespace sparsecast::forecast
