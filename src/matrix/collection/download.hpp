#pragma once
// One URL into one file: what has arrived stays there, so a cut connection or an interrupted program goes on where it
// was. The server's wish to be left alone for a while is followed, within bounds.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/progress.hpp"

namespace sparsecast::matrix {
struct DownloadOptions {
  std::string what = "file";                        ///< for progress and messages
  std::int64_t most_bytes = std::int64_t{1} << 30;  ///< a longer answer is refused
  int most_tries = 6;                               ///< without a megabyte of progress in between
  double first_pause_s = 1;                         ///< before the second try; twice as long each time
  double longest_pause_s = 60;                      ///< unless the server asks for more
  double most_waiting_s = 300;                      ///< in all; a server that asks for more is not waited for
  double silence_s = 60;                            ///< after which a connection counts as cut
  base::ProgressFunction progress = {};
  std::function<void(std::string_view)> notice = {};  ///< told when it waits, and why
};

/// Whether this build can fetch anything.
bool can_download();

/// Fetches what `file` does not hold yet. Error unavailable where the build has no libcurl; usage for another scheme
/// than http and https; bad_input for an answer longer than allowed; failed with the reason otherwise, after which the
/// file holds what had arrived; interrupted. Proxies are those of the environment (https_proxy, no_proxy, …).
void download(const std::string& url, const std::filesystem::path& file, const DownloadOptions& options = {});
}  // namespace sparsecast::matrix
