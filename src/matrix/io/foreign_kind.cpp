#include "matrix/io/foreign_kind.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "base/text.hpp"

namespace sparsecast::matrix {
namespace {
using namespace std::string_view_literals;

struct Mark {
  std::string_view bytes;
  ForeignKind kind;
};

constexpr std::string_view by_matlab =
    "load it in MATLAB, Octave or scipy.io.loadmat, and write it as Matrix Market (mmwrite)";
constexpr std::string_view by_scipy = "load it in Python, and write it by scipy.sparse.save_npz or scipy.io.mmwrite";
constexpr std::string_view by_unpacking = "unpack it first";
constexpr std::string_view by_fetching = "fetch the matrix itself: this file stands in for it";

constexpr auto marks = std::to_array<Mark>({
    {"MATLAB 5.0 MAT-file", {"a MATLAB file (.mat, version 5 to 7)", by_matlab}},
    {"MATLAB 7.3 MAT-file", {"a MATLAB file (.mat, version 7.3, which is HDF5)", by_matlab}},
    {"Octave-1-", {"an Octave file", by_matlab}},
    {"# Created by Octave", {"an Octave file (text)", by_matlab}},
    {"\x89HDF\r\n\x1A\n", {"an HDF5 file", by_scipy}},
    {"\x93NUMPY", {"a NumPy array (.npy)", "a sparse matrix is written by scipy.sparse.save_npz"}},
    {"\0\x12\x7B\x50"sv,
     {"a matrix in PETSc's binary format", "PETSc's PetscBinaryIO reads it in Python; write it by scipy.io.mmwrite"}},
    {"SIMPLE  =", {"a FITS file", by_scipy}},
    {"CDF\x01", {"a NetCDF file", by_scipy}},
    {"PAR1", {"a Parquet file", by_scipy}},
    {"ARROW1", {"an Arrow file", by_scipy}},
    {"SQLite format 3", {"an SQLite file", by_scipy}},
    {"7z\xBC\xAF\x27\x1C", {"a 7z archive", by_unpacking}},
    {"Rar!\x1A\x07", {"a RAR archive", by_unpacking}},
    {"\x1F\x9D", {"a file compressed by compress (.Z)", "`uncompress` unpacks it"}},
    {"LZIP", {"a file compressed by lzip", "`lzip -d` unpacks it"}},
    {"\x04\x22\x4D\x18", {"a file compressed by lz4", "`lz4 -d` unpacks it"}},
    {"version https://git-lfs.github.com", {"a pointer of Git LFS", "`git lfs pull` fetches the file"}},
    {"%PDF-", {"a PDF document", by_fetching}},
    {"\x89PNG", {"a picture (PNG)", by_fetching}},
});

/// Python's pickles begin with their protocol, 2 to 5; 4 and 5 with a frame behind it.
bool is_pickle(std::string_view first) {
  return first.size() > 2 && first[0] == '\x80' && first[1] >= 2 && first[1] <= 5 &&
         (first[1] < 4 || first[2] == '\x95');
}

/// MATLAB 4 has no mark: five small numbers and the name of the first variable.
bool is_old_matlab(std::string_view first) {
  std::array<std::uint32_t, 5> head{};
  if (first.size() < sizeof head + 2) return false;
  std::memcpy(head.data(), first.data(), sizeof head);
  const auto [type, rows, cols, imaginary, name_bytes] = head;
  if (type > 52 || type % 10 > 2 || rows == 0 || cols == 0 || imaginary > 1 || name_bytes < 2 || name_bytes > 64 ||
      first.size() < sizeof head + name_bytes)
    return false;
  const std::string_view name = first.substr(sizeof head, name_bytes);
  return name.back() == '\0' && std::ranges::all_of(name.substr(0, name.size() - 1), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
         });
}

/// `{"`, as every document of ours begins.
bool is_object(std::string_view first) {
  const std::size_t brace = first.find_first_not_of(" \t\r\n");
  if (brace == std::string_view::npos || first[brace] != '{') return false;
  const std::size_t quote = first.find_first_not_of(" \t\r\n", brace + 1);
  return quote != std::string_view::npos && first[quote] == '"';
}

bool is_page(std::string_view first) {
  const std::size_t begin = std::min(first.find_first_not_of(" \t\r\n"), first.size());
  const std::string word = base::lower_case(first.substr(begin, 14));
  return word.starts_with("<!doctype html") || word.starts_with("<html");
}
}  // namespace

ForeignKind foreign_kind(std::string_view first) {
  for (const Mark& mark : marks)
    if (first.starts_with(mark.bytes)) return mark.kind;
  if (is_pickle(first)) return {"a Python pickle", by_scipy};
  if (is_page(first)) return {"a web page (HTML)", by_fetching};
  if (is_object(first))
    return {"a JSON document", "name the matrix itself; where its structure is enough, that is called NAME.json"};
  if (first.starts_with("\xFF\xFE\0\0"sv) || first.starts_with("\0\0\xFE\xFF"sv))
    return {"text in UTF-32", "`iconv -f UTF-32 -t UTF-8` converts it"};
  if (is_old_matlab(first)) return {"a MATLAB file (.mat, version 4)", by_matlab};
  return {};
}
}  // namespace sparsecast::matrix
