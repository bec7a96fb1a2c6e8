#include "app/task_options.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "app/field_options.hpp"
#include "base/text.hpp"

namespace sparsecast::app {
void add_task_options(CLI::App& command, ProductKind& task) {
  FieldOptions add(command, task);
  add.option<&ProductKind::vectors>();
  add.option<&ProductKind::transposed>();
}

std::string task_text(const ProductKind& task) {
  std::string text;
  if (task.vectors > 1) text += fmt::format(", {} vectors at once", base::format_count(task.vectors));
  if (task.transposed) text += ", transposed";
  return text;
}
}  // namespace sparsecast::app
