#pragma once
// What a run counted, by the regions, lines and scopes of the user's own files, and what the figures do not say.

#include <filesystem>
#include <sparsecast/program_traffic.hpp>
#include <string>

#include "memory_traffic/counters/counter_file.hpp"
#include "memory_traffic/run/program_translator.hpp"

namespace sparsecast::memory_traffic {
/// Error failed for counters of what the program does not have; `counters` is the file that they stand in.
ProgramTraffic attributed(RunCounts counts, const TranslatedFiles& files, const std::filesystem::path& counters,
                          const std::string& program, bool scopes);
}  // namespace sparsecast::memory_traffic
