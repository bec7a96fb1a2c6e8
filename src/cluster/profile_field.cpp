#include "cluster/profile_field.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>

namespace sparsecast::cluster {

ProfileField ProfileField::at(const char* key) const {
  if (!json_.is_object()) refuse("is no object");
  const auto found = json_.find(key);
  if (found == json_.end()) refuse(fmt::format("lacks \"{}\"", key));
  return {*found, *this, key, 0};
}

bool ProfileField::has(const char* key) const { return json_.is_object() && json_.contains(key); }

ProfileField ProfileField::at(std::size_t index) const {
  if (index >= size()) refuse(fmt::format("has {} elements", size()));
  return {json_[index], *this, nullptr, index};
}

std::size_t ProfileField::size(std::size_t least, std::size_t most) const {
  if (!json_.is_array()) refuse("is no array");
  if (json_.size() < least || json_.size() > most)
    refuse(least == most          ? fmt::format("has {} elements, {} are needed", json_.size(), least)
           : json_.size() < least ? fmt::format("has {} elements, at least {} are needed", json_.size(), least)
                                  : fmt::format("has {} elements, at most {} are possible", json_.size(), most));
  return json_.size();
}

std::string ProfileField::text() const {
  if (!json_.is_string()) refuse("is no text");
  return json_.get<std::string>();
}

bool ProfileField::flag() const {
  if (!json_.is_boolean()) refuse("is neither true nor false");
  return json_.get<bool>();
}

double ProfileField::number(Believable range) const {
  if (!json_.is_number()) refuse("is no number");
  const double value = json_.get<double>();
  if (!(value >= range.least && value <= range.most))
    refuse(fmt::format("is {}, not between {} and {}", json_.dump(), range.least, range.most));
  return value;
}

std::int64_t ProfileField::whole(std::int64_t least, std::int64_t most) const {
  if (!json_.is_number_integer()) refuse("is no whole number");
  // Beyond the 63 bits of a signed number nothing is in range, whatever it would wrap to.
  const bool fits = !json_.is_number_unsigned() || json_.get<std::uint64_t>() <= INT64_MAX;
  if (!fits || json_.get<std::int64_t>() < least || json_.get<std::int64_t>() > most)
    refuse(fmt::format("is {}, not between {} and {}", json_.dump(), least, most));
  return json_.get<std::int64_t>();
}

std::vector<double> ProfileField::numbers(std::size_t length, Believable range) const {
  std::vector<double> values(size(length, length));
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = at(k).number(range);
  return values;
}

std::vector<double> ProfileField::ascending(Believable range) const {
  std::vector<double> values = numbers(size(1), range);
  for (std::size_t k = 1; k < values.size(); ++k)
    if (values[k] <= values[k - 1]) at(k).refuse("is not larger than the number before it");
  return values;
}

std::string ProfileField::path() const {
  if (parent_ == nullptr) return {};
  const std::string above = parent_->path();
  if (key_ == nullptr) return fmt::format("{}[{}]", above, index_);
  return above.empty() ? key_ : fmt::format("{}.{}", above, key_);
}

void ProfileField::refuse(std::string_view reason) const {
  const std::string where = path();
  throw Error(ErrorCode::bad_input, fmt::format("{} {}", where.empty() ? "the document" : where, reason));
}

}  // namespace sparsecast::cluster
