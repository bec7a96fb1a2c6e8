#include "forecast/fit_announcement.hpp"

namespace sparsecast::forecast {
namespace {
// Fewer are fitted before a line about it is read.
constexpr std::size_t many_records = 150;
}  // namespace

void FitAnnouncement::before_fit(std::size_t records) {
  if (!notice_ || records < many_records) return;
  std::call_once(once_, [&] {
    notice_("fitting the forecasts of " + profile_ +
            ": this takes some seconds, once after each change of its measurements");
  });
}
}  // namespace sparsecast::forecast
