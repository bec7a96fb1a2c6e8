#pragma once
// Where fits are kept between processes: a file of CBOR each in the home folder, named by a hash of every number that
// the fit depends on.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace sparsecast::forecast {
/// FNV-1a in two lanes with different offsets: 128 bits, far beyond chance for the fits of one user.
class NumberHash {
 public:
  void add(double value);
  /// 32 hexadecimal digits.
  [[nodiscard]] std::string text() const;

 private:
  std::uint64_t a_ = 14695981039346656037ULL, b_ = 9650029242287828579ULL;
};

/// null where there is no such file. Throws whatever reading throws.
[[nodiscard]] nlohmann::json read_fit_file(const std::string& key);
/// Renamed when complete, so that another process never reads half a fit. Throws where it cannot be written.
void write_fit_file(const std::string& key, const nlohmann::json& json);
}  // namespace sparsecast::forecast
