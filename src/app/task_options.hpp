#pragma once
// --vectors and --transposed: which product a command forecasts or measures.

#include <nlohmann/json_fwd.hpp>

#include "devices/device.hpp"

namespace CLI {
class App;
}

namespace sparsecast::app {

/// Adds both to a command; `task` must live as long as it.
void add_task_options(CLI::App& command, devices::ProductTask& task);
/// ", 8 vectors at once", ", transposed" or nothing: behind a headline.
std::string task_text(const devices::ProductTask& task);
/// Adds "vectors" and "transposed" to a document.
void add_task(nlohmann::ordered_json& document, const devices::ProductTask& task);

}  // namespace sparsecast::app
