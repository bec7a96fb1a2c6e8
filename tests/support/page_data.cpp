#include "support/page_data.hpp"

#include "support/command.hpp"

namespace sparsecast::test {

nlohmann::json page_data(const std::filesystem::path& page) {
  const std::string text = read_text(page), start = "<script type=\"application/json\" id=\"data\">";
  const std::size_t from = text.find(start);
  if (from == std::string::npos) return {};
  const std::size_t end = text.find("</script>", from);
  return nlohmann::json::parse(text.substr(from + start.size(), end - from - start.size()), nullptr, false);
}

}  // namespace sparsecast::test
