#include "forecast/learned/sum_of_trees.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>
#include <utility>

namespace sparsecast::forecast {
namespace {
[[noreturn]] void refuse(const char* why) {
  throw Error(ErrorCode::bad_input, std::string("the trees of a model ") + why);
}

std::vector<std::uint8_t> from_base64(const std::string& text) {
  std::vector<std::uint8_t> bytes;
  unsigned bits = 0, held = 0;
  for (const char c : text) {
    if (c == '=') break;
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const std::size_t digit = digits.find(c);
    if (digit == std::string_view::npos) refuse("are no base64");
    held = held << 6 | static_cast<unsigned>(digit);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push_back(static_cast<std::uint8_t>(held >> bits));
  }
  return bytes;
}
}  // namespace

SumOfTrees::SumOfTrees(const nlohmann::ordered_json& document, std::size_t features) {
  const auto edges = document.at("edges").get<std::vector<std::vector<double>>>();
  if (edges.size() != features) refuse("have another number of features");
  for (const std::vector<double>& of_feature : edges)
    if (!std::ranges::is_sorted(of_feature)) refuse("have edges out of order");
  const auto unit = document.at("unit").get<double>();
  const std::vector<std::uint8_t> bytes = from_base64(document.at("code").get<std::string>());
  std::vector<std::size_t> open;  // nodes whose right side has not begun
  bool ended = true;
  for (std::size_t i = 0; i < bytes.size();) {
    if (std::exchange(ended, false)) roots_.push_back(nodes_.size());
    const std::uint8_t feature = bytes[i];
    if (i + (feature == leaf ? 2 : 1) >= bytes.size()) refuse("are cut short");
    if (feature != leaf) {
      if (feature >= features || bytes[i + 1] >= edges[feature].size()) refuse("ask for what there is not");
      open.push_back(nodes_.size());
      nodes_.push_back({static_cast<float>(edges[feature][bytes[i + 1]]), feature});
      i += 2;
      continue;
    }
    const auto units = static_cast<std::int16_t>(bytes[i + 1] | bytes[i + 2] << 8);
    nodes_.push_back({static_cast<float>(unit * units), leaf});
    i += 3;
    ended = open.empty();
    if (ended) continue;
    const std::size_t distance = nodes_.size() - open.back();
    if (distance > INT16_MAX) refuse("are too large");
    nodes_[open.back()].right = static_cast<std::int16_t>(distance);
    open.pop_back();
  }
  if (!ended) refuse("are cut short");
}

double SumOfTrees::operator()(std::span<const double> features) const {
  double sum = 0;
  for (const std::size_t root : roots_) {
    const Node* at = &nodes_[root];
    while (at->feature != leaf) at += features[at->feature] <= static_cast<double>(at->number) ? 1 : at->right;
    sum += at->number;
  }
  return sum;
}
}  // namespace sparsecast::forecast
