#include "gpu_code/ptx/ptx_arithmetic.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string_view>

#include "gpu_code/ptx/ptx_operations.hpp"
#include "gpu_code/trace/common_operations.hpp"

namespace sparsecast::gpu_code {
namespace {
using Kind = PtxType::Kind;
__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UnsignedWide;

/// What fits into so many bytes.
std::uint64_t fit(Wide value, int bytes) {
  const auto low = static_cast<std::uint64_t>(value);
  return bytes >= 8 ? low : low & ((std::uint64_t{1} << (8 * bytes)) - 1);
}

/// The whole number that an operand is, whose signs and sums need no care in 128 bits.
Wide number(std::uint64_t bits, const PtxType& type) {
  if (type.kind == Kind::signed_ && type.bytes > 0) return sign_extend(bits, 8 * std::min<int>(type.bytes, 8));
  return static_cast<Wide>(fit(static_cast<Wide>(bits), type.bytes));
}

double to_double(std::uint64_t bits, const PtxType& type) {
  return type.bytes == 4 ? std::bit_cast<float>(static_cast<std::uint32_t>(bits)) : std::bit_cast<double>(bits);
}
std::uint64_t from_double(double value, const PtxType& type) {
  return type.bytes == 4 ? std::bit_cast<std::uint32_t>(static_cast<float>(value))
                         : std::bit_cast<std::uint64_t>(value);
}

bool has(const std::string& opcode, std::string_view part) {
  for (std::size_t at = opcode.find(part); at != std::string::npos; at = opcode.find(part, at + 1))
    if (at > 0 && opcode[at - 1] == '.' && (at + part.size() == opcode.size() || opcode[at + part.size()] == '.'))
      return true;
  return false;
}

double rounded(double value, const std::string& opcode) {
  if (has(opcode, "rzi") || has(opcode, "rz")) return std::trunc(value);
  if (has(opcode, "rmi") || has(opcode, "rm")) return std::floor(value);
  if (has(opcode, "rpi") || has(opcode, "rp")) return std::ceil(value);
  return std::nearbyint(value);
}

double saturated(double value) { return std::isnan(value) ? 0 : std::clamp(value, 0.0, 1.0); }

std::uint64_t convert(const PtxInstruction& in, const std::string& opcode, std::uint64_t a) {
  const PtxType to = in.type, from = in.source_type.kind == Kind::none ? in.type : in.source_type;
  const bool to_float = to.kind == Kind::floating;
  if (from.kind != Kind::floating) {
    const Wide whole = number(a, from);
    if (!to_float) return fit(whole, std::max<int>(to.bytes, 1));
    // Once rounded: not by way of a double.
    return to.bytes == 4 ? std::bit_cast<std::uint32_t>(static_cast<float>(whole))
                         : std::bit_cast<std::uint64_t>(static_cast<double>(whole));
  }
  double value = to_double(a, from);
  if (to_float) {
    if (has(opcode, "rni") || has(opcode, "rzi") || has(opcode, "rmi") || has(opcode, "rpi"))
      value = rounded(value, opcode);
    return from_double(in.saturate ? saturated(value) : value, to);
  }
  if (std::isnan(value)) return 0;
  const bool is_signed = to.kind == Kind::signed_;
  const Wide most = (Wide{1} << (8 * to.bytes - (is_signed ? 1 : 0))) - 1, least = is_signed ? -most - 1 : 0;
  value = rounded(value, opcode);
  if (value >= static_cast<double>(most)) return fit(most, to.bytes);
  return fit(value <= static_cast<double>(least) ? least : static_cast<Wide>(value), to.bytes);
}

double floating(PtxOp op, bool single, double a, double b, double c) {
  const auto fused = [&] {
    return single ? std::fmaf(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c)) : std::fma(a, b, c);
  };
  switch (op) {
    case PtxOp::add: return a + b;
    case PtxOp::sub: return a - b;
    case PtxOp::mul: return a * b;
    case PtxOp::mad:
    case PtxOp::fma: return fused();
    case PtxOp::div: return a / b;
    case PtxOp::rcp: return 1 / a;
    case PtxOp::sqrt: return std::sqrt(a);
    case PtxOp::rsqrt: return 1 / std::sqrt(a);
    case PtxOp::abs: return std::fabs(a);
    case PtxOp::neg: return -a;
    case PtxOp::min: return std::fmin(a, b);
    case PtxOp::max: return std::fmax(a, b);
    default: return 0;
  }
}

std::uint64_t predicates(PtxOp op, std::uint64_t a, std::uint64_t b) {
  switch (op) {
    case PtxOp::and_: return a & b & 1;
    case PtxOp::or_: return (a | b) & 1;
    case PtxOp::xor_: return (a ^ b) & 1;
    case PtxOp::not_: return ~a & 1;
    default: return a & 1;
  }
}

std::uint64_t integer_arithmetic(const PtxInstruction& in, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const int bytes = in.type.bytes;
  const Wide x = number(a, in.type), y = number(b, in.type);
  const auto product = [&](std::uint64_t addend) {
    const auto all = static_cast<UnsignedWide>(x) * static_cast<UnsignedWide>(y);
    return fit(static_cast<std::uint64_t>(in.high ? all >> (8 * bytes) : all) + addend, in.wide ? 2 * bytes : bytes);
  };
  switch (in.op) {
    case PtxOp::add: return fit(x + y, bytes);
    case PtxOp::sub: return fit(x - y, bytes);
    case PtxOp::mul: return product(0);
    case PtxOp::mad: return product(c);
    case PtxOp::div: return fit(y == 0 ? -1 : x / y, bytes);
    case PtxOp::rem: return fit(y == 0 ? x : x % y, bytes);
    case PtxOp::abs: return fit(x < 0 ? -x : x, bytes);
    case PtxOp::neg: return fit(-x, bytes);
    case PtxOp::min: return fit(std::min(x, y), bytes);
    case PtxOp::max: return fit(std::max(x, y), bytes);
    case PtxOp::sad: return fit((x > y ? x - y : y - x) + static_cast<Wide>(c), bytes);
    default: return 0;
  }
}

/// Place of the highest bit that is set, of a negative signed number: not set.
std::uint64_t highest_bit(const PtxInstruction& in, const std::string& opcode, std::uint64_t a) {
  const Wide x = number(a, in.type);
  const auto v = fit(x < 0 ? ~x : x, in.type.bytes);
  if (v == 0) return 0xffffffffu;
  const int place = 63 - std::countl_zero(v);
  return static_cast<std::uint64_t>(has(opcode, "shiftamt") ? 8 * in.type.bytes - 1 - place : place);
}

/// `length` bits from `position` on, with their sign where the type has one.
std::uint64_t extract_bits(PtxType type, std::uint64_t a, std::uint64_t position, std::uint64_t length) {
  const Wide shifted = number(a, type) >> std::min<std::uint64_t>(position, 100);
  if (length == 0 || length >= 8u * type.bytes) return length == 0 ? 0 : fit(shifted, type.bytes);
  const auto field = static_cast<std::uint64_t>(shifted) & ((std::uint64_t{1} << length) - 1);
  return fit(type.kind == Kind::signed_ ? sign_extend(field, static_cast<int>(length)) : static_cast<Wide>(field),
             type.bytes);
}

std::uint64_t insert_bits(std::uint64_t a, std::uint64_t b, std::uint64_t position, std::uint64_t length) {
  if (position >= 64 || length == 0) return b;
  const auto mask = (length >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << length) - 1) << position;
  return (b & ~mask) | ((a << position) & mask);
}

std::uint64_t funnel_shift(const std::string& opcode, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const std::uint64_t both = (a & 0xffffffffu) | (b << 32);
  const auto by = has(opcode, "clamp") ? std::min<std::uint64_t>(c & 0xffffffffu, 32) : c & 31;
  return has(opcode, "l") ? (by == 0 ? b : (both << by) >> 32) : both >> by;
}

std::uint64_t bit_operations(const PtxInstruction& in, const std::string& opcode, std::uint64_t a, std::uint64_t b,
                             std::uint64_t c, std::uint64_t d) {
  const int bytes = in.type.bytes, bits = 8 * bytes;
  const auto fitted = [&](std::uint64_t value) { return fit(static_cast<Wide>(value), bytes); };
  const std::uint64_t by = b & 0xffffffffu;
  switch (in.op) {
    case PtxOp::popc: return static_cast<std::uint64_t>(std::popcount(fitted(a)));
    case PtxOp::clz: return static_cast<std::uint64_t>(std::countl_zero(fitted(a)) - (64 - bits));
    case PtxOp::bfind: return highest_bit(in, opcode, a);
    case PtxOp::brev: return reversed_bits(fitted(a), bits);
    case PtxOp::bfe: return extract_bits(in.type, a, b & 255, c & 255);
    case PtxOp::bfi: return fitted(insert_bits(a, b, c & 255, d & 255));
    case PtxOp::and_: return fitted(a & b);
    case PtxOp::or_: return fitted(a | b);
    case PtxOp::xor_: return fitted(a ^ b);
    case PtxOp::not_: return fitted(~a);
    case PtxOp::shl: return by >= static_cast<std::uint64_t>(bits) ? 0 : fitted(a << by);
    case PtxOp::shr: return fit(number(a, in.type) >> std::min<std::uint64_t>(by, 100), bytes);
    case PtxOp::shf: return fit(static_cast<Wide>(funnel_shift(opcode, a, b, c)), 4);
    case PtxOp::prmt: return permuted_bytes(a, b, c);
    case PtxOp::lop3: return logic_by_table(a, b, c, d);
    default: return 0;
  }
}

/// `order`: below 0, 0 or above it, as the first is smaller, equal or larger.
bool holds(std::string_view relation, int order) {
  if (relation == "eq") return order == 0;
  if (relation == "ne") return order != 0;
  if (relation == "lt" || relation == "lo") return order < 0;
  if (relation == "le" || relation == "ls") return order <= 0;
  if (relation == "gt" || relation == "hi") return order > 0;
  return order >= 0;
}

template <class Number>
int order_of(Number a, Number b) {
  return (a > b) - (a < b);
}
}  // namespace

bool ptx_computes(const PtxInstruction& in) {
  if (in.type.is_half() || in.source_type.is_half()) return false;
  if (in.op == PtxOp::set && in.source_type.kind == Kind::none) return false;
  return ptx_operation(in.op).effect == PtxEffect::value;
}

std::uint64_t ptx_compute(const PtxInstruction& in, const std::string& opcode, std::uint64_t a, std::uint64_t b,
                          std::uint64_t c, std::uint64_t d) {
  const PtxType type = in.type;
  switch (in.op) {
    case PtxOp::cvt: return convert(in, opcode, a);
    case PtxOp::mov: return a;
    case PtxOp::selp: return (c & 1) ? a : b;
    case PtxOp::set: {
      const bool yes = ptx_compare(in, opcode, a, b);
      if (type.kind == Kind::floating) return yes ? from_double(1, type) : 0;
      return yes ? fit(-1, type.bytes) : 0;
    }
    default: break;
  }
  if (type.kind == Kind::floating) {
    const auto value = floating(in.op, type.bytes == 4, to_double(a, type), to_double(b, type), to_double(c, type));
    return from_double(in.saturate ? saturated(value) : value, type);
  }
  if (type.kind == Kind::predicate) return predicates(in.op, a, b);
  // PtxOp lists the arithmetic before the operations on bits.
  return in.op < PtxOp::popc ? integer_arithmetic(in, a, b, c) : bit_operations(in, opcode, a, b, c, d);
}

bool ptx_compare(const PtxInstruction& in, const std::string& opcode, std::uint64_t a, std::uint64_t b) {
  PtxType type = in.op == PtxOp::set && in.source_type.kind != Kind::none ? in.source_type : in.type;
  const auto first = opcode.find('.');
  const auto relation = std::string_view(opcode).substr(first + 1, opcode.find('.', first + 1) - first - 1);
  if (type.kind == Kind::floating) {
    const double x = to_double(a, type), y = to_double(b, type);
    const bool nan = std::isnan(x) || std::isnan(y);
    if (relation == "num") return !nan;
    if (relation == "nan") return nan;
    if (nan) return relation.size() == 3 && relation.back() == 'u';
    return holds(relation.substr(0, 2), order_of(x, y));
  }
  // Lower, higher: of numbers without a sign.
  if (relation == "lo" || relation == "ls" || relation == "hi" || relation == "hs") type.kind = Kind::unsigned_;
  return holds(relation, order_of(number(a, type), number(b, type)));
}
}  // namespace sparsecast::gpu_code
