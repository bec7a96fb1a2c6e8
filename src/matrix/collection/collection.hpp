#pragma once
// The SuiteSparse Matrix Collection (Davis & Hu 2011) or a mirror of it: matrices by their names, fetched once into the
// store.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/progress.hpp"

namespace sparsecast::matrix {
// One URL into one file: what has arrived stays there, so a cut connection or an interrupted program goes on where it
// was. The server's wish to be left alone for a while is followed, within bounds.

struct DownloadOptions {
  std::string what = "file";                        ///< for progress and messages
  std::int64_t most_bytes = std::int64_t{1} << 30;  ///< a longer answer is refused
  int most_tries = 6;                               ///< without a megabyte of progress in between
  double first_pause_s = 1;                         ///< before the second try; twice as long each time
  double longest_pause_s = 60;                      ///< unless the server asks for more
  double most_waiting_s = 300;                      ///< in all; a server that asks for more is not waited for
  double silence_s = 60;                            ///< after which a connection counts as cut
  base::ProgressFunction progress = {};
  std::function<void(std::string_view)> notice = {};  ///< told when it waits, and why
};

/// Whether this build can fetch anything.
bool can_download();

/// Fetches what `file` does not hold yet. Error unavailable where the build has no libcurl; usage for another scheme
/// than http and https; bad_input for an answer longer than allowed; failed with the reason otherwise, after which the
/// file holds what had arrived; interrupted. Proxies are those of the environment (https_proxy, no_proxy, …).
void download(const std::string& url, const std::filesystem::path& file, const DownloadOptions& options = {});

// One member of a compressed tar archive of an unknown server. Nothing is written here: what the member holds is handed
// on piece by piece, and an archive that is more than plain files and folders is refused.

struct MemberToTake {
  std::string path;                ///< of the member: "west0067/west0067.mtx"
  std::int64_t most_bytes = 0;     ///< of the member
  std::int64_t most_unpacked = 0;  ///< of everything up to its end
};

/// Hands the member's bytes to `take`, in pieces; what stands behind it is not looked at. Error bad_input for what is
/// no such archive, is cut off, has no such member, or before it a path that is absolute or climbs out, a link or a
/// device, or more than the member may be; unavailable where the build has no libarchive.
void read_member(const std::filesystem::path& archive, const MemberToTake& member,
                 const std::function<void(std::string_view)>& take);

// The index of the SuiteSparse Matrix Collection as it is published (ssstats.csv): the number of matrices, the date of
// the last change, and a line for each matrix. Line k + 2 is the matrix with the number k.

struct CollectionEntry {
  int id = 0;  ///< its line in the index, from 1
  std::string group, name;
  std::int64_t rows = 0, cols = 0;
  std::int64_t nonzeros = 0;
  std::int64_t entries = 0;  ///< with the zeros that are stored; 0: not known
  bool real = true, binary = false;
  bool mesh = false;  ///< of a problem in two or three dimensions
  bool positive_definite = false;
  double pattern_symmetry = 0, value_symmetry = 0;  ///< 0 … 1
  std::string kind;                                 ///< "structural problem"

  [[nodiscard]] std::string full_name() const { return group + '/' + name; }
};

struct CollectionIndex {
  std::string date;
  std::vector<CollectionEntry> entries;
};

/// Error bad_input with the line where `text` is no such index, is cut off, or has a name that could be no file's.
CollectionIndex parse_collection_index(std::string_view text, const std::string& file);

/// Whether it may be a group or the name of a matrix, and so part of a path: letters, digits, _ . + -, no dot at first.
bool is_collection_name(std::string_view word);

/// The entry that GROUP/NAME, NAME or a number means, capital letters or not. Error usage where there is none, with the
/// nearest names, or more than one, with all of them.
const CollectionEntry& find_matrix(const CollectionIndex& index, std::string_view wanted);

// What `get --search` looks for: conditions on a line of the index, all of which must hold.
//   rows>1e5  cols<=4000  nonzeros=1e6  id<100  pattern-symmetry>0.9  value-symmetry=1
//   kind~structural  name~bus  group=HB      ~ : contains, = : is, capital letters or not
//   spd  real  complex  binary  mesh  symmetric  square, and each with ! before it for the contrary

/// The entries for which all conditions of the query hold, in the order of the index. Error usage with what was meant
/// for a word that is no condition; a query without conditions finds everything.
std::vector<CollectionEntry> search(const CollectionIndex& index, std::string_view query);

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
