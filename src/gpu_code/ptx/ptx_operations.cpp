// See ptx_operations.hpp.

#include "gpu_code/ptx/ptx_operations.hpp"

#include <iterator>
#include <unordered_map>
#include <utility>

namespace sparsecast::gpu_code {
namespace {
using op = PtxOp;
using effect = PtxEffect;
using cost = PtxCost;

// name, operation, fewest operands, effect, cost; in the order of PtxOp.
constexpr PtxOperation table[] = {
    {"", op::unknown, 0, effect::refused, cost::integer},
    {"mov", op::mov, 2, effect::value, cost::move},
    {"ld", op::ld, 2, effect::load, cost::memory},
    {"ldu", op::ldu, 2, effect::load, cost::memory},
    {"st", op::st, 2, effect::store, cost::memory},
    {"add", op::add, 3, effect::value, cost::add},
    {"sub", op::sub, 3, effect::value, cost::add},
    {"mul", op::mul, 3, effect::value, cost::multiply},
    {"mad", op::mad, 4, effect::value, cost::multiply},
    {"fma", op::fma, 4, effect::value, cost::multiply},
    {"mul24", op::mul24, 3, effect::value, cost::multiply},
    {"mad24", op::mad24, 4, effect::value, cost::multiply},
    {"sad", op::sad, 4, effect::value, cost::integer},
    {"div", op::div, 3, effect::value, cost::function},
    {"rem", op::rem, 3, effect::value, cost::function},
    {"abs", op::abs, 2, effect::value, cost::integer},
    {"neg", op::neg, 2, effect::value, cost::integer},
    {"min", op::min, 3, effect::value, cost::integer},
    {"max", op::max, 3, effect::value, cost::integer},
    {"popc", op::popc, 2, effect::value, cost::function},
    {"clz", op::clz, 2, effect::value, cost::function},
    {"bfind", op::bfind, 2, effect::value, cost::function},
    {"brev", op::brev, 2, effect::value, cost::function},
    {"bfe", op::bfe, 4, effect::value, cost::integer},
    {"bfi", op::bfi, 5, effect::value, cost::integer},
    {"and", op::and_, 3, effect::value, cost::integer},
    {"or", op::or_, 3, effect::value, cost::integer},
    {"xor", op::xor_, 3, effect::value, cost::integer},
    {"not", op::not_, 2, effect::value, cost::integer},
    {"cnot", op::cnot, 2, effect::value, cost::integer},
    {"shl", op::shl, 3, effect::value, cost::integer},
    {"shr", op::shr, 3, effect::value, cost::integer},
    {"shf", op::shf, 4, effect::value, cost::integer},
    {"prmt", op::prmt, 4, effect::value, cost::integer},
    {"lop3", op::lop3, 5, effect::value, cost::integer},
    {"setp", op::setp, 3, effect::other, cost::integer},
    {"set", op::set, 3, effect::value, cost::integer},
    {"selp", op::selp, 4, effect::value, cost::integer},
    {"slct", op::slct, 4, effect::value, cost::integer},
    {"cvt", op::cvt, 2, effect::value, cost::convert},
    {"cvta", op::cvta, 2, effect::other, cost::fold},
    {"bra", op::bra, 1, effect::branch, cost::branch},
    {"bar", op::bar, 0, effect::barrier, cost::barrier},
    {"barrier", op::barrier, 0, effect::barrier, cost::barrier},
    {"membar", op::membar, 0, effect::nothing, cost::nothing},
    {"fence", op::fence, 0, effect::nothing, cost::nothing},
    {"exit", op::exit, 0, effect::exit, cost::exit},
    {"ret", op::ret, 0, effect::exit, cost::exit},
    {"trap", op::trap, 0, effect::exit, cost::exit},
    {"rcp", op::rcp, 2, effect::value, cost::function},
    {"sqrt", op::sqrt, 2, effect::value, cost::function},
    {"rsqrt", op::rsqrt, 2, effect::value, cost::function},
    {"sin", op::sin, 2, effect::value, cost::function},
    {"cos", op::cos, 2, effect::value, cost::function},
    {"lg2", op::lg2, 2, effect::value, cost::function},
    {"ex2", op::ex2, 2, effect::value, cost::function},
    {"tanh", op::tanh, 2, effect::value, cost::function},
    {"copysign", op::copysign, 3, effect::value, cost::integer},
    {"testp", op::testp, 2, effect::other, cost::integer},
    {"addc", op::addc, 3, effect::other, cost::integer},
    {"subc", op::subc, 3, effect::other, cost::integer},
    {"madc", op::madc, 4, effect::other, cost::integer},
    {"atom", op::atom, 3, effect::atomic, cost::memory},
    {"red", op::red, 2, effect::atomic, cost::memory},
    {"shfl", op::shfl, 0, effect::other, cost::exchange},
    {"vote", op::vote, 0, effect::other, cost::integer},
    {"activemask", op::activemask, 0, effect::other, cost::integer},
    {"match", op::match, 0, effect::other, cost::integer},
    {"isspacep", op::isspacep, 0, effect::other, cost::integer},
    {"prefetch", op::prefetch, 0, effect::nothing, cost::nothing},
    {"nop", op::nop, 0, effect::nothing, cost::nothing},
    {"dp4a", op::dp4a, 0, effect::other, cost::integer},
    {"dp2a", op::dp2a, 0, effect::other, cost::integer},
    {"call", op::call, 0, effect::refused, cost::integer},
    {"mma", op::mma, 0, effect::other, cost::tensor},
    {"nanosleep", op::nanosleep, 0, effect::nothing, cost::integer},
    {"discard", op::discard, 0, effect::nothing, cost::integer},
    {"elect", op::elect, 0, effect::other, cost::integer},
    {"redux", op::redux, 0, effect::other, cost::integer},
    {"griddepcontrol", op::griddepcontrol, 0, effect::nothing, cost::integer},
    {"brkpt", op::brkpt, 0, effect::nothing, cost::integer},
    {"pmevent", op::pmevent, 0, effect::nothing, cost::integer},
    {"cp", op::cp, 0, effect::other, cost::integer},
    {"createpolicy", op::createpolicy, 0, effect::other, cost::integer},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < std::size(table); ++i)
    if (table[i].op != static_cast<PtxOp>(i)) return false;
  return true;
}
static_assert(in_order(), "a row of the table stands where PtxOp has another operation");

/// Other spellings of what counts as one operation.
constexpr std::pair<std::string_view, PtxOp> spellings[] = {
    {"prefetchu", op::prefetch},
    {"wmma", op::mma},
    {"ldmatrix", op::mma},
};
}  // namespace

const PtxOperation& ptx_operation(PtxOp operation) { return table[static_cast<std::size_t>(operation)]; }

const PtxOperation& ptx_operation(std::string_view name) {
  static const auto by_name = [] {
    std::unordered_map<std::string_view, const PtxOperation*> names;
    for (const auto& row : table)
      if (!row.name.empty()) names.emplace(row.name, &row);
    for (const auto& [other, meant] : spellings) names.emplace(other, &ptx_operation(meant));
    return names;
  }();
  const auto found = by_name.find(name);
  return found != by_name.end() ? *found->second : ptx_operation(PtxOp::unknown);
}

bool writes_first_operand(const PtxInstruction& in) {
  const auto& operation = ptx_operation(in.op);
  switch (operation.effect) {
    case effect::store:
    case effect::branch: return false;
    case effect::atomic: return in.op != op::red;
    case effect::barrier: return in.type.kind != PtxType::Kind::none;  // bar.red
    default: return true;
  }
}
}  // namespace sparsecast::gpu_code
