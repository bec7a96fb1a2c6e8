#include "traffic/language/builtins.hpp"

#include <sparsecast/error.hpp>

#include "base/embedded.hpp"
#include "base/text.hpp"

namespace sparsecast::embedded {
std::span<const File> traffic_tables();  // src/traffic/language/data/*.tsv
}

namespace sparsecast::traffic {
namespace {

BuiltinKind parse_kind(std::string_view word) {
  static const std::map<std::string_view, BuiltinKind> kinds = {{"silent", BuiltinKind::silent},
                                                                {"call", BuiltinKind::call},
                                                                {"elementwise", BuiltinKind::elementwise},
                                                                {"reduction", BuiltinKind::reduction},
                                                                {"whole", BuiltinKind::whole}};
  return kinds.at(word);
}

ResultShape parse_shape(std::string_view word) {
  static const std::map<std::string_view, ResultShape> shapes = {
      {"scalar", ResultShape::scalar}, {"logical", ResultShape::logical}, {"constant", ResultShape::constant},
      {"same", ResultShape::same},     {"array", ResultShape::array},     {"size", ResultShape::size},
      {"other", ResultShape::other}};
  return shapes.at(word);
}

std::map<std::string, Builtin, std::less<>> read_table() {
  std::map<std::string, Builtin, std::less<>> table;
  for (const embedded::File& file : embedded::traffic_tables()) {
    if (file.name != "builtins.tsv") continue;
    for (const std::string_view line : base::split(file.text, '\n')) {
      if (line.empty() || line.starts_with('#')) continue;
      const auto columns = base::split(line, '\t');
      if (columns.size() != 3)
        throw Error(ErrorCode::failed, "a row of builtins.tsv has not three columns: " + std::string(line));
      table[std::string(columns[0])] = {parse_kind(columns[1]), parse_shape(columns[2])};
    }
  }
  return table;
}

}  // namespace

const std::map<std::string, Builtin, std::less<>>& builtins() {
  static const auto table = read_table();
  return table;
}

const Builtin* find_builtin(std::string_view name) {
  const auto found = builtins().find(name);
  return found == builtins().end() ? nullptr : &found->second;
}

}  // namespace sparsecast::traffic
