#pragma once
// The journal of a search: one line of JSON for every configuration that was forecast or refused, appended as it is
// made, so that an interrupted search goes on where it stopped. Private to the search.

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gpu_code/space/tuning_problem.hpp"

namespace sparsecast::gpu_code {
/// A forecast as the journal holds it; `refusal` where there is none.
struct JournalEntry {
  Choice choice;
  double seconds = 0, low_s = 0, high_s = 0;  ///< 0: not known
  std::string bound_by, refusal;
  std::vector<std::pair<std::string, double>> resource_s;  ///< what each resource of a multiprocessor is busy
};

class SearchJournal {
 public:
  /// Reads what is there; a line that was cut off is passed over. An empty path: nothing is kept.
  explicit SearchJournal(const std::filesystem::path& file);

  [[nodiscard]] const std::map<Choice, JournalEntry>& entries() const { return entries_; }
  /// The entry as it is held. Error failed where the line cannot be written.
  const JournalEntry& add(const JournalEntry& entry);

 private:
  std::filesystem::path path_;
  std::ofstream out_;
  std::map<Choice, JournalEntry> entries_;
};
}  // namespace sparsecast::gpu_code
