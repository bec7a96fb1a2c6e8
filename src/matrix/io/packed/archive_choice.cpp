#include "matrix/io/packed/archive_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <sparsecast/error.hpp>

#include "matrix/io/numbers/number_field.hpp"

namespace sparsecast::matrix {
namespace {
/// "west0067/west0067.mtx", in whatever folder that stands; the file may be compressed.
bool is_called_as_its_folder(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view folder = path.substr(0, slash);
  std::string_view name = path.substr(slash + 1);
  if (name.ends_with(".gz")) name.remove_suffix(3);
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

std::size_t choose_matrix(const ArchiveChoice& choice) {
  const auto& paths = choice.paths;
  if (paths.empty()) {
    throw Error(
        ErrorCode::bad_input, fmt::format("is a {} {}", choice.kind, without_matrix(choice.others)), {choice.file},
        "it should hold a Matrix Market or Rutherford-Boeing file, plain or in gzip; unpack it if it holds another");
  }
  if (paths.size() == 1) return 0;
  std::vector<std::size_t> named;
  for (std::size_t k = 0; k < paths.size(); ++k)
    if (is_called_as_its_folder(paths[k])) named.push_back(k);
  if (named.size() != 1) {
    throw Error(ErrorCode::bad_input,
                fmt::format("is a {} with {} matrices: {}", choice.kind, paths.size(), listed(paths)), {choice.file},
                "unpack it and name one of them");
  }
  if (choice.remark) {
    choice.remark(fmt::format("{}: a {} with {} matrices ({}), of which {} is read", choice.file, choice.kind,
                              paths.size(), listed(paths), printable(paths[named.front()])));
  }
  return named.front();
}
}  // namespace sparsecast::matrix
