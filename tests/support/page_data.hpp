#pragma once
// What a page carries.

#include <filesystem>
#include <nlohmann/json.hpp>

namespace sparsecast::test {

/// The data of a page's file; null where it has none.
nlohmann::json page_data(const std::filesystem::path& page);

}  // namespace sparsecast::test
