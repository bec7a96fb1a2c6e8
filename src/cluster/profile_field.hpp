#pragma once
// One value in the JSON of a cluster profile that knows where it stands: every reading of it is checked, and what is
// refused is named by its path, as in "node.bandwidth[0].rate".

#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace sparsecast::cluster {

/// A range of numbers that are believed.
struct Believable {
  double least = 0, most = 0;
};

class ProfileField {
 public:
  /// The whole document. It and the fields that others are taken from must outlive them.
  explicit ProfileField(const nlohmann::ordered_json& document) : json_(document) {}

  /// What stands under a key of an object, or at a place of an array.
  [[nodiscard]] ProfileField at(const char* key) const;
  [[nodiscard]] ProfileField at(std::size_t index) const;
  /// Whether an object has that key: of members that older files lack.
  [[nodiscard]] bool has(const char* key) const;
  /// Elements of an array, whose length is in a range.
  [[nodiscard]] std::size_t size(std::size_t least = 0,
                                 std::size_t most = std::numeric_limits<std::size_t>::max()) const;

  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool flag() const;
  [[nodiscard]] double number(Believable range) const;
  [[nodiscard]] std::int64_t whole(std::int64_t least, std::int64_t most) const;
  [[nodiscard]] int count(int least, int most) const { return static_cast<int>(whole(least, most)); }
  /// An array of so many numbers.
  [[nodiscard]] std::vector<double> numbers(std::size_t length, Believable range) const;
  /// An array of one number or more, each larger than the one before.
  [[nodiscard]] std::vector<double> ascending(Believable range) const;

  /// "node.bandwidth[0].rate"; empty for the document.
  [[nodiscard]] std::string path() const;
  /// Error bad_input; its place (the file) and its remedy are the reader's to add.
  [[noreturn]] void refuse(std::string_view reason) const;

 private:
  ProfileField(const nlohmann::ordered_json& json, const ProfileField& parent, const char* key, std::size_t index)
      : json_(json), parent_(&parent), key_(key), index_(index) {}

  const nlohmann::ordered_json& json_;
  const ProfileField* parent_ = nullptr;
  const char* key_ = nullptr;  ///< null for an element of an array
  std::size_t index_ = 0;
};

}  // namespace sparsecast::cluster
