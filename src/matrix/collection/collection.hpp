#pragma once
// The SuiteSparse Matrix Collection (Davis & Hu 2011) or a mirror of it: matrices by their names, fetched once into the
// store.

#include <filesystem>
#include <optional>

#include "matrix/collection/collection_index.hpp"
#include "matrix/collection/download.hpp"

namespace sparsecast::matrix {
struct CollectionOptions {
  std::string url;                ///< empty: $SPARSECAST_COLLECTION_URL, else the collection's own host
  bool refresh = false;           ///< fetch the index although one is kept
  DownloadOptions download = {};  ///< how patiently; what and how much is set for each file
};

/// Fetches one at a time; other processes that use the same store wait meanwhile.
class Collection {
 public:
  explicit Collection(CollectionOptions options);

  /// Where it fetches from, without a slash at the end.
  [[nodiscard]] const std::string& url() const { return options_.url; }
  /// The index, fetched where none is kept. Errors as download() and parse_collection_index().
  const CollectionIndex& index();
  /// Fetches the index although one is kept.
  void refresh();
  /// The file of GROUP/NAME, NAME or a number, fetched where it is not here. A name with its group that is here needs
  /// neither index nor network. Errors as index(), find_matrix(), download() and read_member().
  std::filesystem::path matrix(std::string_view name);
  std::filesystem::path matrix(const CollectionEntry& entry);
  /// Where the entry's file stands or would stand.
  [[nodiscard]] std::filesystem::path file_of(const CollectionEntry& entry) const;

 private:
  void fetch(const CollectionEntry& entry);
  void unpack(const CollectionEntry& entry, const std::filesystem::path& archive) const;

  CollectionOptions options_;
  std::filesystem::path folder_;
  std::optional<CollectionIndex> index_;
};
}  // namespace sparsecast::matrix
