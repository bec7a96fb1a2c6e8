#pragma once
// Documents of commands that one command runs for another: kept instead of printed.

#include <nlohmann/json.hpp>

namespace sparsecast::app {

/// While it lives, print_json() of this thread gives it the documents. The last one made counts.
class KeptDocuments {
 public:
  KeptDocuments();
  ~KeptDocuments();
  KeptDocuments(const KeptDocuments&) = delete;
  KeptDocuments& operator=(const KeptDocuments&) = delete;

  /// The last one, with its schema. Error failed where there is none.
  [[nodiscard]] const nlohmann::ordered_json& last() const;
  /// Whether a document was taken; false where nobody keeps them.
  static bool take(nlohmann::ordered_json document);

 private:
  nlohmann::ordered_json last_;
  KeptDocuments* before_;
};

}  // namespace sparsecast::app
