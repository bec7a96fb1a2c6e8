#include "forecast/record_choice.hpp"

#include <algorithm>

namespace sparsecast::forecast {
namespace {

// Fewer are fitted before a line about it is read.
constexpr std::size_t many_records = 150;

bool has_own(const Profile& profile, const FitOptions& options) {
  return std::ranges::any_of(profile.records, [&](const Record& record) {
    return record.precision == options.precision && record.threads == options.threads;
  });
}

}  // namespace

FitOptions records_for(const Profile& profile, const FitOptions& asked) {
  FitOptions from = asked;
  if (asked.precision == Precision::single_ && !has_own(profile, asked)) from.precision = Precision::double_;
  return from;
}

bool has_records(const Profile& profile, const FitOptions& asked) {
  return has_own(profile, records_for(profile, asked));
}

void halve_values(formats::Workload& w) {
  w.slots *= 8.0 / 12.0;
  w.cols /= 2;
  w.footprint_bytes = 8 * w.nonzeros + 8 * w.rows + 8 * w.cols;
}

void FitAnnouncement::before_fit(std::size_t records) {
  if (!notice_ || records < many_records) return;
  std::call_once(once_, [&] {
    notice_("fitting the forecasts of " + profile_ + ": some seconds, once for each state of its measurements");
  });
}

}  // namespace sparsecast::forecast
