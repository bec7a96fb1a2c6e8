#pragma once
// One line to whoever waits, before a fit that takes seconds.

#include <mutex>
#include <sparsecast/forecast.hpp>
#include <string>

namespace sparsecast::forecast {
/// It lives as long as the fit, within the call that brought the notice, which it borrows.
class FitAnnouncement {
 public:
  FitAnnouncement(const FitNotice& notice, const std::string& profile) : notice_(notice), profile_(profile) {}
  FitAnnouncement(FitNotice&& notice, const std::string& profile) = delete;
  FitAnnouncement& operator=(FitAnnouncement&&) = delete;  // nor copied
  /// A fit to so many records is about to be made; any thread. Few are fitted before the line is read: of those nothing
  /// is said, nor a second time.
  void before_fit(std::size_t records);

 private:
  const FitNotice& notice_;
  const std::string& profile_;
  std::once_flag once_;
};
}  // namespace sparsecast::forecast
