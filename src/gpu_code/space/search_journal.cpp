#include "gpu_code/space/search_journal.hpp"

#include <sparsecast/error.hpp>

#include "base/files.hpp"
#include "base/guard/parse_json.hpp"
#include "base/text.hpp"
#include "fields/json.hpp"
#include "fields/wording.hpp"

namespace sparsecast {
template <>
struct Fields<gpu_code::JournalEntry> {
  using Entry = gpu_code::JournalEntry;
  static constexpr auto table =
      std::tuple(field<&Entry::choice>("", between(0, 65535)), field<&Entry::seconds>("", at_least(0)).where_known(),
                 field<&Entry::low_s>("", at_least(0)).where_known(),
                 field<&Entry::high_s>("", at_least(0)).where_known(), field<&Entry::bound_by>("").where_known(),
                 field<&Entry::refusal>("").where_known(), field<&Entry::resource_s>("").as("resources").where_known());
};
}  // namespace sparsecast

namespace sparsecast::gpu_code {
SearchJournal::SearchJournal(const std::filesystem::path& file) : path_(file) {
  if (file.empty()) return;
  bool whole = true;
  if (std::error_code none; std::filesystem::exists(file, none)) {
    const std::string text = base::read_file(file, {.what = "search's journal"});
    for (const std::string_view line : base::split(text, '\n')) try {
        const auto entry = fields::read_struct<JournalEntry>(fields::Json::parse(line, nullptr, false));
        if (!entry.refusal.empty() || entry.seconds > 0) entries_.insert_or_assign(entry.choice, entry);
      } catch (const Error&) {  // it is not the line's whole text
      }
    whole = text.empty() || text.back() == '\n';
  }
  out_.open(file, std::ios::app);
  if (!whole) out_ << '\n' << std::flush;  // behind a line that was cut off
  if (!out_)
    throw Error(ErrorCode::failed, "cannot write the search's journal", {file.string()},
                wording::format("set SPARSECAST_HOME to a folder that you may write, or give {} another file",
                                wording::option("journal")));
}

const JournalEntry& SearchJournal::add(const JournalEntry& entry) {
  const auto& held = entries_.insert_or_assign(entry.choice, entry).first->second;
  if (path_.empty()) return held;
  out_ << base::json_text(fields::written(entry)) << '\n' << std::flush;
  if (!out_)
    throw Error(ErrorCode::failed, "cannot write the search's journal", {path_.string()},
                "check whether the disk is full");
  return held;
}
}  // namespace sparsecast::gpu_code
