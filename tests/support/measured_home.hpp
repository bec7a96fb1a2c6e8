#pragma once
// A home that was calibrated through the command. Calibrating takes some seconds and both cores, so ctest has it done
// once (the test `measured_home`), and each test program takes a copy.

#include <filesystem>
#include <string>

namespace sparsecast::test {

/// Makes `home` one that `sparsecast calibrate --quick --json` left, and returns what that printed: a copy of
/// $SPARSECAST_MEASURED's, or, where a program runs without ctest, calibrated now.
std::string calibrated_home(const std::filesystem::path& home);

}  // namespace sparsecast::test
