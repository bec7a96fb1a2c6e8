// calibrated-home FOLDER: a calibration for all tests that need a machine that was measured, in FOLDER/home, and what
// calibrating printed in FOLDER/calibrate.json.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>

#include "support/measured_home.hpp"

int main(int count, char** words) try {
  if (count != 2) return std::fputs("usage: calibrated-home FOLDER\n", stderr), 2;
  const std::filesystem::path folder = words[1];
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "calibrate.json") << sparsecast::test::calibrated_home(folder / "home");
  return 0;
} catch (const std::exception& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 1;
}
