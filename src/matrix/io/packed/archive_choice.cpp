#include "matrix/io/packed/archive_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <array>
#include <sparsecast/error.hpp>

#include "base/text.hpp"
#include "matrix/io/numbers/number_field.hpp"

namespace sparsecast::matrix {
namespace {
std::string_view without_compression(std::string_view name) {
  for (const std::string_view ending : {".gz", ".bz2", ".xz", ".zst"})
    if (name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
  return name;
}

/// "west0067/west0067" of "west0067/west0067.mtx.gz".
std::string_view without_endings(std::string_view path) {
  path = without_compression(path);
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? path : path.substr(0, dot);
}

/// "west0067/west0067.mtx", in whatever folder that stands; the file may be compressed.
bool is_called_as_its_folder(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view folder = path.substr(0, slash);
  const std::string_view name = without_compression(path.substr(slash + 1));
  const std::size_t before = folder.rfind('/');
  const std::string_view own = before == std::string_view::npos ? folder : folder.substr(before + 1);
  return !own.empty() && name.starts_with(own) && name.size() > own.size() && name[own.size()] == '.' &&
         name.find('.', own.size() + 1) == std::string_view::npos;
}

/// What else the files are is not looked at: one may be an npz, or a matrix in bzip2.
std::string without_matrix(std::int64_t files) {
  if (files == 0) return "without a file";
  if (files == 1) return "whose only file is no text of a matrix";
  return fmt::format("with {} files, none of which is the text of a matrix", files);
}

std::string matrices(std::size_t count) { return fmt::format("{} matri{}", count, count == 1 ? "x" : "ces"); }

std::string listed(const std::vector<std::string>& paths) {
  constexpr std::size_t most = 5;
  std::vector<std::string> shown_paths;
  for (const std::string& path : paths)
    if (shown_paths.size() < most) shown_paths.push_back(printable(path));
  return fmt::format("{}{}", fmt::join(shown_paths, ", "), paths.size() > most ? ", …" : "");
}
}  // namespace

std::string printable(std::string_view path) {
  const std::string quoted = shown(path);  // control characters written out, and shortened
  return quoted.substr(1, quoted.size() - 2);
}

bool is_called_as_matrix(std::string_view path) {
  static constexpr std::array<std::string_view, 12> endings{".mtx", ".mm",  ".npz", ".rb",  ".hb",  ".rua",
                                                            ".rsa", ".pua", ".psa", ".rra", ".mat", ".petsc"};
  const std::size_t slash = path.rfind('/');
  const std::string_view file = slash == std::string_view::npos ? path : path.substr(slash + 1);
  if (file.starts_with("._")) return false;  // what macOS keeps beside a file
  const std::string name = base::lower_case(without_compression(file));
  return std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); });
}

std::size_t choose_matrix(const ArchiveChoice& choice) {
  const auto& paths = choice.paths;
  if (paths.empty()) {
    throw Error(
        ErrorCode::bad_input, fmt::format("is a {} {}", choice.kind, without_matrix(choice.others)), {choice.file},
        "it should hold a Matrix Market or Rutherford-Boeing file, plain or in gzip; unpack it if it holds another");
  }
  // A.mat beside A.mtx is the same matrix once more.
  std::vector<std::string> unread = choice.unread;
  std::erase_if(unread, [&](const std::string& other) {
    return std::ranges::find(paths, without_endings(other), without_endings) != paths.end();
  });
  if (paths.size() == 1 && unread.empty()) return 0;
  std::vector<std::size_t> named;
  for (std::size_t k = 0; k < paths.size(); ++k)
    if (is_called_as_its_folder(paths[k])) named.push_back(k);
  const bool clear = named.size() == 1 && std::ranges::none_of(unread, is_called_as_its_folder);
  if (!clear && !unread.empty()) {
    throw Error(ErrorCode::bad_input,
                fmt::format("is a {} with {} that can be read here ({}) and {} that cannot ({})", choice.kind,
                            matrices(paths.size()), listed(paths), unread.size(), listed(unread)),
                {choice.file}, "unpack it and name the matrix");
  }
  if (!clear) {
    throw Error(ErrorCode::bad_input,
                fmt::format("is a {} with {} matrices: {}", choice.kind, paths.size(), listed(paths)), {choice.file},
                "unpack it and name one of them");
  }
  if (choice.remark && paths.size() > 1) {
    choice.remark(fmt::format("{}: a {} with {} matrices ({}), of which {} is read", choice.file, choice.kind,
                              paths.size(), listed(paths), printable(paths[named.front()])));
  }
  return named.front();
}
}  // namespace sparsecast::matrix
