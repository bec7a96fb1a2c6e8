#include "cluster/machine/parts.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <sparsecast/error.hpp>

#include "base/number.hpp"
#include "base/text.hpp"
#include "cluster/machine/embedded_systems.hpp"

namespace sparsecast::cluster {
namespace {
using Words = std::vector<std::string>;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_digit(c) || (c >= 'a' && c <= 'z'); }

// "E5-2680v3" is written with and without blanks and dashes: e5 2680 v3.
Words words_of(std::string_view text, std::string_view also = {}) {
  Words words;
  std::string word;
  const auto take = [&] {
    constexpr std::size_t least = 4;  // digits of a model; EPYC 7V12 stays one word
    const std::size_t v = word.rfind('v');
    const bool version =
        v != std::string::npos && v >= least && v + 2 == word.size() && is_digit(word[v + 1]) && is_digit(word.front());
    if (version) {
      words.push_back(word.substr(0, v));
      words.push_back(word.substr(v));
    } else if (!word.empty()) {
      words.push_back(word);
    }
    word.clear();
  };
  for (const char c : base::lower_case(text))
    is_word(c) || also.find(c) != std::string_view::npos ? word.push_back(c) : take();
  take();
  return words;
}

bool fits(std::string_view pattern, std::string_view word) {
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '*') return true;
    if (i >= word.size()) return false;
    const bool same = pattern[i] == '?' || (pattern[i] == '#' ? is_digit(word[i]) : pattern[i] == word[i]);
    if (!same) return false;
  }
  return pattern.size() == word.size();
}

bool occurs(const Words& pattern, const Words& words) {
  return std::search(words.begin(), words.end(), pattern.begin(), pattern.end(),
                     [](const std::string& word, const std::string& p) { return fits(p, word); }) != words.end();
}

bool is_in(const Part& part, const Words& words) {
  return std::ranges::any_of(part.patterns, [&](const Words& pattern) { return occurs(pattern, words); });
}

const Part* find_part(PartKind kind, const Words& words) {
  const auto found = std::ranges::find_if(parts(), [&](const Part& p) { return p.kind == kind && is_in(p, words); });
  return found == parts().end() ? nullptr : &*found;
}

double number_of(std::string_view text) {
  const auto number = base::number_in<double>(text);
  if (!number && !text.empty()) throw Error(ErrorCode::failed, "profiles/systems/parts.tsv: " + std::string(text));
  return number.value_or(0);
}

// Of a multiprocessor (NVIDIA, tuning guides of Fermi to Hopper).
double lanes_of(std::string_view family) {
  constexpr std::array<std::pair<std::string_view, double>, 7> known{
      {{"fermi", 32}, {"kepler", 192}, {"p100", 64}, {"v100", 64}, {"a100", 64}, {"h100", 128}, {"h200", 128}}};
  const auto* const found = std::ranges::find(known, family, &std::pair<std::string_view, double>::first);
  return found == known.end() ? 1 : found->second;
}

Part part_of(std::string_view line) {
  const std::vector<std::string_view> cells = base::split(line, '\t');
  constexpr std::size_t columns = 8;
  if (cells.size() != columns) throw Error(ErrorCode::failed, "profiles/systems/parts.tsv: " + std::string(line));
  constexpr std::array<std::string_view, 5> kinds{"processor", "accelerator", "network", "cores", "unknown"};
  Part part;
  const auto* const kind = std::ranges::find(kinds, cells[0]);
  if (kind == kinds.end()) throw Error(ErrorCode::failed, "profiles/systems/parts.tsv: " + std::string(line));
  part.kind = static_cast<PartKind>(kind - kinds.begin());
  part.name = cells[1];
  part.family = cells[2];
  for (const std::string_view pattern : base::split(cells[3], ';')) part.patterns.push_back(words_of(pattern, "#?*"));
  part.cores = number_of(cells[4]);
  part.lanes = lanes_of(part.family);
  part.bandwidth = 1e9 * number_of(cells[5]);
  std::string_view counts = cells[6];
  constexpr std::string_view beside = "fused:";
  if (counts.starts_with(beside)) {
    counts.remove_prefix(beside.size());
    part.beside_socket = static_cast<int>(number_of(counts));
  }
  if (!counts.empty())
    for (const std::string_view count : base::split(counts, ','))
      part.counts.push_back(static_cast<int>(number_of(count)));
  return part;
}

std::vector<Part> read_parts() {
  std::vector<Part> read;
  for (const embedded::File& file : embedded::systems()) {
    if (file.name != "parts.tsv") continue;
    for (const std::string_view line : base::split(file.text, '\n'))
      if (!line.empty() && !line.starts_with("kind\t")) read.push_back(part_of(line));
  }
  return read;
}

// Where a dash between blanks ends the name: em, en or plain.
struct NameAndParts {
  std::string_view name, parts;
};
NameAndParts split_name(std::string_view computer) {
  NameAndParts found{computer, computer};
  for (const std::string_view dash : {" \xe2\x80\x94 ", " \xe2\x80\x93 ", " - "}) {
    const std::size_t at = computer.find(dash);
    if (at < found.name.size()) found = {computer.substr(0, at), computer.substr(at + dash.size())};
  }
  return found;
}

// Whether a maker of accelerators is named beside nothing that the table has: "NVIDIA B9000". Their multiprocessors,
// counted as cores of processors, would be a machine that does not exist.
bool names_unknown_accelerator(std::string_view listed) {
  for (const std::string_view piece : base::split(listed, ',')) {
    const Words words = words_of(piece);
    const auto has = [&](std::string_view word) { return std::ranges::find(words, word) != words.end(); };
    const bool network = has("mellanox") || has("quantum") || has("spectrum");
    const bool known = std::ranges::any_of(parts(), [&](const Part& part) { return is_in(part, words); });
    if (has("nvidia") && !network && !known) return true;
  }
  return false;
}

// "24C"; some lists have all cores of the machine there.
std::optional<double> told_cores(const Words& words) {
  constexpr double most = 400;
  for (const std::string& word : words) {
    if (!word.ends_with('c')) continue;
    const auto count = base::number_in<double>(std::string_view(word).substr(0, word.size() - 1));
    if (count && *count >= 1 && *count <= most) return count;
  }
  return std::nullopt;
}

// The likeliest node of which the machine has a whole number; the likeliest of all where there is none such.
void arrange(MachineParts& machine, double cores) {
  const Part* const beside = machine.accelerator;
  const auto node_cores = [&](double sockets, double accelerators) {
    return sockets * machine.socket_cores + (beside != nullptr ? accelerators * beside->cores : 0);
  };
  std::vector<int> sockets = machine.processor->counts;
  for (const int other : {2, 1})
    if (std::ranges::find(sockets, other) == sockets.end()) sockets.push_back(other);
  std::vector<int> accelerators{0};
  if (beside != nullptr) accelerators = beside->counts;
  if (beside != nullptr && beside->beside_socket > 0) sockets = {1};
  const auto take_whole = [&](double lanes) {
    for (const int s : sockets)
      for (const int a : accelerators)
        if (std::fmod(cores, node_cores(s, a * lanes)) == 0) {
          machine.sockets = s;
          machine.accelerators = a;
          machine.nodes = cores / node_cores(s, a * lanes);
          return true;
        }
    return false;
  };
  if (take_whole(1)) return;
  // Some lists count the lanes of multiprocessors.
  if (beside != nullptr && beside->lanes > 1 && take_whole(beside->lanes) && machine.nodes > 1) return;
  machine.whole = false;
  machine.sockets = sockets.front();
  machine.accelerators = accelerators.front();
  machine.nodes = cores / node_cores(machine.sockets, machine.accelerators);
}
}  // namespace

const std::vector<Part>& parts() {
  static const std::vector<Part> table = read_parts();
  return table;
}

std::string plain_name(std::string_view name) {
  std::string plain;
  for (const std::string& word : words_of(name)) plain += word;
  return plain;
}

MachineParts machine_parts(std::string_view computer, std::int64_t cores) {
  const NameAndParts told = split_name(computer);
  MachineParts machine;
  machine.name = told.name;
  Words words = words_of(told.parts);
  machine.processor = find_part(PartKind::processor, words);
  if (machine.processor == nullptr) {  // no dash, or one that is part of the name
    words = words_of(computer);
    machine.processor = find_part(PartKind::processor, words);
  }
  machine.accelerator = find_part(PartKind::accelerator, words);
  machine.network = find_part(PartKind::network, words);
  // A Xeon Phi that boots itself is the processor.
  if (machine.processor != nullptr && machine.accelerator != nullptr && machine.processor->family == "knl" &&
      machine.accelerator->family == "knc")
    machine.accelerator = nullptr;
  if (machine.processor == nullptr) {
    machine.reason = "no processor of the catalogue is in the description";
    return machine;
  }
  if (cores < 1) {
    machine.reason = "the number of cores is not given";
    return machine;
  }
  if (machine.accelerator == nullptr &&
      (find_part(PartKind::unknown, words) != nullptr || names_unknown_accelerator(told.parts))) {
    machine.reason = "its accelerators are not in the catalogue";
    return machine;
  }
  // Told, of the model, of the family; a Xeon Phi stands beside processors whose cores are told.
  const Part* const model = find_part(PartKind::cores, words);
  std::vector<double> counts;
  if (const auto count = told_cores(words); count && machine.processor->family != "knl") counts.push_back(*count);
  counts.push_back(model != nullptr ? model->cores : machine.processor->cores);
  MachineParts likeliest;
  for (const double count : counts) {
    MachineParts arranged = machine;
    arranged.socket_cores = count;
    arrange(arranged, static_cast<double>(cores));
    if (arranged.whole) return arranged;
    if (likeliest.processor == nullptr) likeliest = arranged;
  }
  if (likeliest.nodes * likeliest.sockets < 1)
    likeliest.reason = fmt::format("{} cores are fewer than a socket of {:g} has{}", cores, likeliest.socket_cores,
                                   likeliest.accelerators > 0 ? " with its share of the accelerators" : "");
  return likeliest;
}
}  // namespace sparsecast::cluster
