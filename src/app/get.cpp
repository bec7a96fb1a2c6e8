// sparsecast get: matrices of the SuiteSparse Matrix Collection by name.

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "app/inputs.hpp"
#include "app/terminal/terminal.hpp"
#include "base/page/text_table.hpp"
#include "base/text.hpp"
#include "matrix/collection/collection_query.hpp"

namespace sparsecast::app {
namespace {
struct GetArguments {
  std::vector<std::string> names;
  std::string url, search;
  bool refresh = false;
};

nlohmann::ordered_json collection_json(const matrix::CollectionEntry& entry) {
  nlohmann::ordered_json out{{"id", entry.id},
                             {"group", entry.group},
                             {"name", entry.name},
                             {"rows", entry.rows},
                             {"cols", entry.cols},
                             {"nonzeros", entry.nonzeros},
                             {"real", entry.real},
                             {"binary", entry.binary},
                             {"positive_definite", entry.positive_definite},
                             {"pattern_symmetry", entry.pattern_symmetry},
                             {"value_symmetry", entry.value_symmetry},
                             {"kind", entry.kind}};
  return out;
}

void list_found(matrix::Collection& collection, const GetArguments& options, const Globals& globals) {
  const std::vector<matrix::CollectionEntry> found = matrix::search(collection.index(), options.search);
  if (globals.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const matrix::CollectionEntry& entry : found) list.push_back(collection_json(entry));
    return print_json("collection", {{"source", collection.url()},
                                     {"date", collection.index().date},
                                     {"query", options.search},
                                     {"matrices", std::move(list)}});
  }
  base::TextTable table({"matrix", "id", "rows", "columns", "non-zeros", "kind"});
  table.words_last();
  for (const matrix::CollectionEntry& entry : found)
    table.add({entry.full_name(), std::to_string(entry.id), base::format_count(entry.rows),
               base::format_count(entry.cols), base::format_count(entry.nonzeros), entry.kind});
  print((found.empty() ? std::string() : table.text(layout()) + "\n") +
        fmt::format("{} of {} matrices; index of {}\n", base::format_count(static_cast<std::int64_t>(found.size())),
                    base::format_count(static_cast<std::int64_t>(collection.index().entries.size())),
                    collection.index().date));
}

void get(const GetArguments& options, const Globals& globals) {
  if (options.names.empty() && options.search.empty() && !options.refresh)
    throw Error(ErrorCode::usage, "no matrix is named", {},
                "sparsecast get GROUP/NAME, or --search 'rows>1e5 kind~structural'");
  ProgressBar bar(globals);
  const Listener listener = listener_of(globals, &bar);
  matrix::Collection collection(answers::collection_options(options.url, listener));
  if (options.refresh) collection.refresh();
  if (!options.search.empty()) list_found(collection, options, globals);
  nlohmann::ordered_json files = nlohmann::ordered_json::array();
  Failures failures(options.names.size(), {ErrorCode::usage, ErrorCode::bad_input, ErrorCode::failed});
  for (const std::string& given : options.names)
    failures.attempt([&] {
      const std::string name = given.starts_with(collection_prefix) ? given.substr(collection_prefix.size()) : given;
      const std::filesystem::path file = collection.matrix(name);
      bar.clear();
      files.push_back({{"name", name}, {"file", file.string()}});
      if (!globals.json) print_data(file.string() + "\n");
    });
  bar.clear();
  if (globals.json && options.search.empty())
    print_json("get", {{"source", collection.url()}, {"matrices", std::move(files)}});
  failures.finish();
}
}  // namespace

void add_get(CLI::App& root, const Globals& globals) {
  CLI::App* command =
      root.add_subcommand("get", "Fetch matrices of the SuiteSparse Matrix Collection by name; prints their paths");
  const auto options = std::make_shared<GetArguments>();
  auto* names = command->add_option("NAME", options->names, "GROUP/NAME, NAME or a number, as many as are wanted");
  command
      ->add_option("--search", options->search,
                   "list the matching matrices of the index instead, for example 'rows>1e5 kind~structural spd'")
      ->excludes(names);
  command->add_flag("--refresh", options->refresh, "fetch the index again first");
  command->add_option("--url", options->url,
                      "a mirror (default: SPARSECAST_COLLECTION_URL, else the collection's own server)");
  command->footer(
      "conditions of --search, all of which must hold:\n  rows cols nonzeros id pattern-symmetry value-symmetry  with "
      "> >= < <= = and a number\n  name group kind  with ~ (contains) or = (is) and a word\n  spd real complex binary "
      "mesh symmetric square  or its negation with ! in front\n\nFetched matrices are kept in the store. Other "
      "commands take ss:GROUP/NAME in place of a file.\n");
  command->callback([options, &globals] { get(*options, globals); });
}
}  // namespace sparsecast::app
