#pragma once
// --vectors and --transposed: which product a command forecasts or measures.

#include <sparsecast/product.hpp>

namespace CLI {
class App;
}

namespace sparsecast::app {
/// Adds both to a command; `task` must live as long as it.
void add_task_options(CLI::App& command, ProductKind& task);
/// ", 8 vectors at once", ", transposed" or nothing: behind a headline.
std::string task_text(const ProductKind& task);
}  // namespace sparsecast::app
