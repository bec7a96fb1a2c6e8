#pragma once
// libarchive, opened when it is needed: it brings two dozen libraries along, which every run of the command would load.

#ifdef SPARSECAST_HAS_ARCHIVE
#include <archive.h>
#include <archive_entry.h>

namespace sparsecast::matrix {
// clang-format off
#define SPARSECAST_LIBARCHIVE(F)                                                                              \
  F(read_new) F(read_free) F(read_support_filter_gzip) F(read_support_filter_bzip2) F(read_support_filter_xz) \
  F(read_support_filter_zstd) F(read_support_format_tar) F(read_support_format_raw) F(read_open_filename)     \
  F(read_open_memory) F(read_next_header) F(read_data) F(error_string) F(entry_pathname) F(entry_filetype)    \
  F(entry_size) F(entry_size_is_set) F(entry_hardlink) F(entry_symlink)
// clang-format on

/// Its functions, without the archive_ of their names.
struct LibArchive {
// NOLINTNEXTLINE(bugprone-macro-parentheses): it names a member
#define SPARSECAST_FUNCTION(name) decltype(&::archive_##name) name = nullptr;
  SPARSECAST_LIBARCHIVE(SPARSECAST_FUNCTION)
#undef SPARSECAST_FUNCTION
};

/// nullptr where the library is not here.
const LibArchive* libarchive();

struct ArchiveReaderEnd {
  void operator()(archive* reader) const { libarchive()->read_free(reader); }
};
}  // namespace sparsecast::matrix
#endif
