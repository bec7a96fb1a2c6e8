#pragma once
// A home folder as `sparsecast calibrate` leaves it, without the minute that it takes: the times follow a formula.

#include <filesystem>
#include <sparsecast/profile.hpp>

namespace sparsecast::test {

/// A profile of a host with records of csr, ell and sell for so many threads.
Profile measured_host(int threads);

/// Puts it into the store of that home folder.
void store_measured_host(const std::filesystem::path& home, int threads);

}  // namespace sparsecast::test
