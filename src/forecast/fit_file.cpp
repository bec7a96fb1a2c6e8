#include "forecast/fit_file.hpp"

#include <fmt/format.h>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/home.hpp"

namespace sparsecast::forecast {
namespace {
constexpr std::int64_t largest_fit_file = 64 << 20;

std::filesystem::path file_of_fit(const std::string& key) { return base::home_folder() / "fits" / (key + ".cbor"); }
}  // namespace

void NumberHash::add(double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  for (int byte = 0; byte < 8; ++byte) {
    a_ = (a_ ^ (bits >> (8 * byte) & 0xff)) * 1099511628211ULL;
    b_ = (b_ ^ (bits >> (8 * byte) & 0xff) ^ (a_ >> 56)) * 1099511628211ULL;
  }
}

std::string NumberHash::text() const { return fmt::format("{:016x}{:016x}", a_, b_); }

nlohmann::json read_fit_file(const std::string& key) {
  const std::filesystem::path file = file_of_fit(key);
  if (!std::filesystem::exists(file)) return nullptr;
  return nlohmann::json::from_cbor(base::read_bytes(file, {.most_bytes = largest_fit_file}));
}

void write_fit_file(const std::string& key, const nlohmann::json& json) {
  const std::filesystem::path file = file_of_fit(key);
  std::filesystem::create_directories(file.parent_path());
  std::string bytes;
  nlohmann::json::to_cbor(json, bytes);
  base::write_file_atomically(file, bytes);
}
}  // namespace sparsecast::forecast
