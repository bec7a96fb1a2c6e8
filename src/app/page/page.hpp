#pragma once
// --html FILE: a command's document, with what pictures need beside it, as a page. Where no page was asked for nothing
// is kept and nothing is written.

#include <nlohmann/json.hpp>

#include "app/commands.hpp"
#include "pages/answer_page.hpp"

namespace sparsecast::app {
/// Adds --html to a command; `file` must live as long as it.
void add_page_option(CLI::App& command, std::string& file);

class Page {
 public:
  Page(std::string file, const Globals& globals) : file_(std::move(file)), globals_(&globals) {}
  [[nodiscard]] bool wanted() const { return !file_.empty(); }

  /// analyze(), and the matrix's structure and picture for the page.
  Structure look_at(const Matrix& matrix);
  /// The device, and what it reads from each level of its memory.
  void add_machine(const Profile& profile);
  void add_machine(const DeviceProperties& properties);
  /// The text of a program.
  void add_source(const std::string& program);
  /// An SVG that the command drew.
  void add_drawing(const std::string& title, const std::string& svg);
  /// A document as print_json() prints it.
  void add(std::string_view name, const nlohmann::ordered_json& document);
  /// Two documents side by side instead of all others.
  void compare(nlohmann::ordered_json before, nlohmann::ordered_json after);
  /// Writes the page of a document; of all that was added before where there is none. Error failed.
  void write(const std::string& title, std::string_view name, const nlohmann::ordered_json& document);
  void write(const std::string& title);

  /// docs/schemas/page.schema.json, without its "schema".
  [[nodiscard]] nlohmann::ordered_json data() const;

 private:
  std::string file_, title_;
  const Globals* globals_;
  nlohmann::ordered_json documents_ = nlohmann::ordered_json::array(), machines_ = nlohmann::ordered_json::array(),
                         sources_ = nlohmann::ordered_json::array(), before_, after_;
  pages::Pictures pictures_;
};
}  // namespace sparsecast::app
