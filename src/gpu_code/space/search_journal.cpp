#include "gpu_code/space/search_journal.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>

#include "base/files.hpp"
#include "base/text.hpp"
#include "gpu_code/compile/tool_folder.hpp"

namespace sparsecast::gpu_code {
namespace {
using JournalJson = nlohmann::ordered_json;

bool read_line(std::string_view line, Choice& choice, JournalEntry& entry) {
  const auto json = JournalJson::parse(line, nullptr, false);
  if (!json.is_object()) return false;
  try {
    choice = json.at("choice").get<Choice>();
    entry.refusal = json.value("refusal", "");
    entry.seconds = json.value("seconds", 0.0);
    entry.clock_hz = json.value("clock_hz", 0.0);
    entry.bound_by = json.value("bound_by", "");
    if (const auto found = json.find("resources"); found != json.end())
      for (const auto& [name, value] : found->items()) entry.resource_s.emplace_back(name, value.get<double>());
  } catch (const JournalJson::exception&) {
    return false;
  }
  return !entry.refusal.empty() || entry.seconds > 0;
}
}  // namespace

SearchJournal::SearchJournal(const std::filesystem::path& file) : path_(file) {
  if (file.empty()) return;
  bool whole = true;
  if (std::error_code none; std::filesystem::exists(file, none)) {
    const std::string text = base::read_file(file, {.what = "search's journal"});
    for (const std::string_view line : base::split(text, '\n')) {
      Choice choice;
      JournalEntry entry;
      if (read_line(line, choice, entry)) entries_.insert_or_assign(std::move(choice), std::move(entry));
    }
    whole = text.empty() || text.back() == '\n';
  }
  out_.open(file, std::ios::app);
  if (!whole) out_ << '\n' << std::flush;  // behind a line that was cut off
  if (!out_)
    throw Error(ErrorCode::failed, "cannot write the search's journal", {file.string()},
                "set SPARSECAST_HOME to a folder that can be written, or give --journal another file");
}

const JournalEntry& SearchJournal::add(const Choice& choice, const JournalEntry& entry) {
  const auto& held = entries_.insert_or_assign(choice, entry).first->second;
  if (path_.empty()) return held;
  JournalJson line{{"choice", choice}};
  if (entry.refusal.empty()) {
    line["seconds"] = entry.seconds;
    line["clock_hz"] = entry.clock_hz;
    line["bound_by"] = entry.bound_by;
    auto& resources = line["resources"] = JournalJson::object();
    for (const auto& [name, value] : entry.resource_s) resources[name] = value;
  } else {
    line["refusal"] = entry.refusal;
  }
  out_ << line.dump(-1, ' ', false, JournalJson::error_handler_t::replace) << '\n' << std::flush;
  if (!out_) throw Error(ErrorCode::failed, "cannot write the search's journal", {path_.string()}, "is the disk full?");
  return held;
}

std::filesystem::path search_journal(const std::filesystem::path& source, const TuningProblem& problem,
                                     const KernelTimes& times, const Launch& launch) {
  Digest digest;
  digest.add_source(source);
  digest.add(problem.fingerprint());
  digest.add(times.name + " " + std::to_string(times.clock_hz));
  for (const auto& [name, value] : launch.arguments) digest.add(fmt::format("{}={}", name, value));
  for (const auto& [name, bytes] : launch.buffers) {
    digest.add(name);
    digest.add({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  return store_folder("kernel-searches") / (digest.text() + ".jsonl");
}
}  // namespace sparsecast::gpu_code
