// measured-home FOLDER: a $SPARSECAST_HOME whose host is measured, anew.

#include <filesystem>
#include <sparsecast/threads.hpp>

#include "interface/measured_host.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::filesystem::remove_all(argv[1]);
  std::filesystem::create_directories(argv[1]);
  sparsecast::test::store_measured_host(argv[1], sparsecast::default_threads());
}
