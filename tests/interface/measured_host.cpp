#include "interface/measured_host.hpp"

#include "calibration/store.hpp"
#include "support/synthetic_profile.hpp"

namespace sparsecast::test {

Profile measured_host(int threads) {
  Profile profile = empty_host_profile(threads);
  const auto time = [](double per_row, double per_entry) {
    return [=](double strips, double row_length) { return (per_row + per_entry * row_length) * (0.2 + strips); };
  };
  add_grid(profile, "constant", "csr", threads, time(2e-6, 1e-8));
  add_grid(profile, "constant", "ell", threads, time(4e-6, 2e-8));
  add_grid(profile, "constant", "sell", threads, time(1e-6, 2e-8));
  return profile;
}

void store_measured_host(const std::filesystem::path& home, int threads) {
  const Profile profile = measured_host(threads);
  calibration::Store store(home / "store.sqlite");
  store.begin_profile(profile.properties, "a formula");
  for (std::size_t m = 0; m < profile.matrices.size(); ++m) {
    std::vector<Record> records;
    for (const Record& record : profile.records)
      if (record.matrix == static_cast<int>(m)) records.push_back(record);
    store.add_records(profile.properties.name, profile.matrices[m], records);
  }
}

}  // namespace sparsecast::test
