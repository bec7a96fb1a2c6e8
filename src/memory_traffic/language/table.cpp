#include "memory_traffic/language/table.hpp"

#include "base/embedded.hpp"
#include "base/text.hpp"

namespace sparsecast::embedded {
std::span<const File> traffic_tables();  // src/memory_traffic/language/data/*.tsv
}

namespace sparsecast::memory_traffic {
std::vector<std::string_view> rows_of_table(std::string_view name) {
  std::vector<std::string_view> rows;
  for (const embedded::File& file : embedded::traffic_tables())
    if (file.name == name)
      for (const std::string_view line : base::split(file.text, '\n'))
        if (!line.empty() && !line.starts_with('#')) rows.push_back(line);
  return rows;
}
}  // namespace sparsecast::memory_traffic
