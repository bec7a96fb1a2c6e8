#include "solving/preconditioners/preconditioner_table.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <sparsecast/error.hpp>
#include <string>

namespace sparsecast::solving {
namespace {
constexpr std::array<PreconditionerInfo, 5> preconditioners{{
    {PreconditionerKind::none, "none", "nothing", Preconditioning::none, 1},
    {PreconditionerKind::jacobi, "jacobi", "the diagonal, applied in the passes over vectors",
     Preconditioning::diagonal, 1},
    {PreconditionerKind::block_jacobi, "block-jacobi", "inverses of dense blocks of four rows", Preconditioning::step,
     0.8},
    {PreconditionerKind::ic0, "ic0", "incomplete Cholesky factors on the pattern of the matrix", Preconditioning::step,
     0.3, true},
    {PreconditionerKind::ilu0, "ilu0", "incomplete LU factors on the pattern of the matrix", Preconditioning::step,
     0.3},
}};
}  // namespace

std::span<const PreconditionerInfo> preconditioner_table() { return preconditioners; }

const PreconditionerInfo& info_of(PreconditionerKind kind) {
  return *std::ranges::find(preconditioners, kind, &PreconditionerInfo::kind);
}

std::string_view name_of(PreconditionerKind kind) { return info_of(kind).name; }

PreconditionerKind parse_preconditioner(std::string_view name) {
  const auto found = std::ranges::find(preconditioners, name, &PreconditionerInfo::name);
  if (found != preconditioners.end()) return found->kind;
  std::string names;
  for (const PreconditionerInfo& one : preconditioners)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", one.name);
  throw Error(ErrorCode::usage, fmt::format("there is no preconditioner '{}'", name), {},
              "the preconditioners are " + names);
}
}  // namespace sparsecast::solving
