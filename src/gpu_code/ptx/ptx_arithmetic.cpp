
#include <algorithm>
#include <bit>
#include <cmath>
#include <string_view>
#include <utility>

#include "gpu_code/ptx/ptx.hpp"
#include "gpu_code/trace/machine.hpp"

namespace sparsecast::gpu_code {
namespace {
using Kind = PtxType::Kind;

std::uint64_t bits_mask(int bytes) { return bytes >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * bytes)) - 1; }
std::int64_t as_signed(std::uint64_t value, int bytes) {
  return bytes < 1 ? 0 : sign_extend(value, 8 * std::min(bytes, 8));  // 0: an instruction without a type
}
std::uint64_t as_unsigned(std::uint64_t value, int bytes) { return value & bits_mask(bytes); }

float half_to_float(std::uint16_t h) {
  const int exponent = (h >> 10) & 31;
  const double fraction = h & 1023;
  const double value = exponent == 0    ? std::ldexp(fraction, -24)
                       : exponent == 31 ? (fraction != 0 ? NAN : INFINITY)
                                        : std::ldexp(1024 + fraction, exponent - 25);
  return static_cast<float>((h & 0x8000) ? -value : value);
}
std::uint16_t float_to_half(double value) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  value = std::fabs(value);
  if (std::isnan(value)) return 0x7fff;
  if (value >= 65520) return static_cast<std::uint16_t>(sign | 0x7c00);
  int exponent = 0;
  std::frexp(value, &exponent);
  exponent = std::max(exponent - 1, -14);
  const auto fraction = static_cast<int>(std::nearbyint(std::ldexp(value, 10 - exponent)));
  return static_cast<std::uint16_t>(sign | (fraction < 1024 ? fraction : ((exponent + 15) << 10) + fraction - 1024));
}

double to_double(std::uint64_t bits, PtxType type) {
  switch (type.bytes) {
    case 2: return half_to_float(static_cast<std::uint16_t>(bits));
    case 4: return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    default: return std::bit_cast<double>(bits);
  }
}
std::uint64_t from_double(double value, PtxType type) {
  switch (type.bytes) {
    case 2: return float_to_half(value);
    case 4: return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    default: return std::bit_cast<std::uint64_t>(value);
  }
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

std::uint64_t convert(const PtxInstruction& in, const std::string& opcode, std::uint64_t a) {
  const PtxType to = in.type, from = in.source_type.kind == Kind::none ? in.type : in.source_type;
  if (from.kind == Kind::floating) {
    double value = to_double(a, from);
    if (to.kind == Kind::floating) {
      if (has(opcode, "rni") || has(opcode, "rzi") || has(opcode, "rmi") || has(opcode, "rpi"))
        value = rounded(value, opcode);
      if (in.saturate) value = std::isnan(value) ? 0 : std::clamp(value, 0.0, 1.0);
      return from_double(value, to);
    }
    if (std::isnan(value)) return 0;
    value = rounded(value, opcode);
    if (to.kind == Kind::signed_) {
      const double limit = std::ldexp(1.0, 8 * to.bytes - 1);
      if (value >= limit) return as_unsigned(~(std::uint64_t{1} << (8 * to.bytes - 1)), to.bytes);
      if (value < -limit) return as_unsigned(std::uint64_t{1} << (8 * to.bytes - 1), to.bytes);
      return as_unsigned(static_cast<std::uint64_t>(static_cast<std::int64_t>(value)), to.bytes);
    }
    const double limit = std::ldexp(1.0, 8 * to.bytes);
    if (value <= 0) return 0;
    return value >= limit ? bits_mask(to.bytes) : static_cast<std::uint64_t>(value);
  }
  if (to.kind == Kind::floating) {
    if (to.bytes == 4 && from.kind == Kind::signed_)
      return std::bit_cast<std::uint32_t>(static_cast<float>(as_signed(a, from.bytes)));
    if (to.bytes == 4) return std::bit_cast<std::uint32_t>(static_cast<float>(as_unsigned(a, from.bytes)));
    return from_double(from.kind == Kind::signed_ ? static_cast<double>(as_signed(a, from.bytes))
                                                  : static_cast<double>(as_unsigned(a, from.bytes)),
                       to);
  }
  const std::uint64_t wide =
      from.kind == Kind::signed_ ? static_cast<std::uint64_t>(as_signed(a, from.bytes)) : as_unsigned(a, from.bytes);
  return as_unsigned(wide, std::max<int>(to.bytes, 1));
}

std::uint64_t floating(const PtxInstruction& in, double a, double b, double c) {
  const auto result = [&](double value) {
    if (in.saturate) value = std::isnan(value) ? 0 : std::clamp(value, 0.0, 1.0);
    return from_double(value, in.type);
  };
  const bool single = in.type.bytes == 4;
  switch (in.op) {
    case PtxOp::add: return result(a + b);
    case PtxOp::sub: return result(a - b);
    case PtxOp::mul: return result(a * b);
    case PtxOp::mad:
    case PtxOp::fma:
      return single ? result(std::fmaf(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c)))
                    : result(std::fma(a, b, c));
    case PtxOp::div: return result(a / b);
    case PtxOp::rcp: return result(1 / a);
    case PtxOp::sqrt: return result(std::sqrt(a));
    case PtxOp::rsqrt: return result(1 / std::sqrt(a));
    case PtxOp::sin: return result(std::sin(a));
    case PtxOp::cos: return result(std::cos(a));
    case PtxOp::lg2: return result(std::log2(a));
    case PtxOp::ex2: return result(std::exp2(a));
    case PtxOp::tanh: return result(std::tanh(a));
    case PtxOp::abs: return result(std::fabs(a));
    case PtxOp::neg: return result(-a);
    case PtxOp::min: return result(std::fmin(a, b));
    case PtxOp::max: return result(std::fmax(a, b));
    case PtxOp::copysign: return result(std::copysign(b, a));
    default: return 0;
  }
}

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UnsignedWide;

UnsignedWide multiply(std::uint64_t a, std::uint64_t b, const PtxType& type) {
  if (type.kind == Kind::signed_)
    return static_cast<UnsignedWide>(static_cast<Wide>(as_signed(a, type.bytes)) * as_signed(b, type.bytes));
  return static_cast<UnsignedWide>(as_unsigned(a, type.bytes)) * as_unsigned(b, type.bytes);
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

std::uint64_t multiply_add(const PtxInstruction& in, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const int bytes = in.type.bytes;
  const auto wide = multiply(a, b, in.type);
  std::uint64_t value = static_cast<std::uint64_t>(wide);
  if (in.high) value = static_cast<std::uint64_t>(wide >> (8 * bytes));
  return as_unsigned(value + (in.op == PtxOp::mad ? c : 0), in.wide ? 2 * bytes : bytes);
}

/// Of the lowest 24 bits.
std::uint64_t multiply_add_24(const PtxInstruction& in, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const auto low = in.type.kind == Kind::signed_
                       ? static_cast<std::uint64_t>((as_signed(a << 40, 8) >> 40) * (as_signed(b << 40, 8) >> 40))
                       : (a & 0xffffff) * (b & 0xffffff);
  return as_unsigned((in.high ? low >> 16 : low) + (in.op == PtxOp::mad24 ? c : 0), in.type.bytes);
}

std::uint64_t integer_arithmetic(const PtxInstruction& in, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const int bytes = in.type.bytes;
  const bool is_signed = in.type.kind == Kind::signed_;
  const auto fit = [&](std::uint64_t value) { return as_unsigned(value, bytes); };
  const auto sa = as_signed(a, bytes), sb = as_signed(b, bytes);
  const auto ua = as_unsigned(a, bytes), ub = as_unsigned(b, bytes);
  switch (in.op) {
    case PtxOp::add: return fit(a + b);
    case PtxOp::sub: return fit(a - b);
    case PtxOp::mul:
    case PtxOp::mad: return multiply_add(in, a, b, c);
    case PtxOp::mul24:
    case PtxOp::mad24: return multiply_add_24(in, a, b, c);
    case PtxOp::sad:
      return fit((is_signed ? static_cast<std::uint64_t>(std::abs(sa - sb)) : (ua > ub ? ua - ub : ub - ua)) + c);
    case PtxOp::div:
      if (ub == 0) return fit(~std::uint64_t{0});
      return fit(is_signed ? (sb == -1 ? 0 - a : static_cast<std::uint64_t>(sa / sb)) : ua / ub);
    case PtxOp::rem:
      if (ub == 0) return ua;
      return fit(is_signed ? (sb == -1 ? 0 : static_cast<std::uint64_t>(sa % sb)) : ua % ub);
    case PtxOp::abs: return fit(sa < 0 ? 0 - a : a);
    case PtxOp::neg: return fit(0 - a);
    case PtxOp::min: return is_signed ? fit(static_cast<std::uint64_t>(std::min(sa, sb))) : std::min(ua, ub);
    case PtxOp::max: return is_signed ? fit(static_cast<std::uint64_t>(std::max(sa, sb))) : std::max(ua, ub);
    default: return 0;
  }
}

/// Place of the highest bit that is set, of a negative signed number: not set.
std::uint64_t highest_bit(const PtxInstruction& in, const std::string& opcode, std::uint64_t a) {
  const int bytes = in.type.bytes;
  const bool negative = in.type.kind == Kind::signed_ && as_signed(a, bytes) < 0;
  const auto v = as_unsigned(negative ? ~a : a, bytes);
  if (v == 0) return 0xffffffffu;
  const int place = 63 - std::countl_zero(v);
  return static_cast<std::uint64_t>(has(opcode, "shiftamt") ? 8 * bytes - 1 - place : place);
}

/// `length` bits of a from `position` on, with its sign where the type has one.
std::uint64_t extract_bits(PtxType type, std::uint64_t a, std::uint64_t position, std::uint64_t length) {
  if (length == 0) return 0;
  const bool is_signed = type.kind == Kind::signed_;
  const auto shifted =
      position >= 64 ? 0
      : is_signed    ? static_cast<std::uint64_t>(as_signed(a, type.bytes) >> std::min<std::uint64_t>(position, 63))
                     : as_unsigned(a, type.bytes) >> position;
  if (length >= 8u * type.bytes) return as_unsigned(shifted, type.bytes);
  const auto field = shifted & ((std::uint64_t{1} << length) - 1);
  return as_unsigned(is_signed ? static_cast<std::uint64_t>(sign_extend(field, static_cast<int>(length))) : field,
                     type.bytes);
}

std::uint64_t insert_bits(int bytes, std::uint64_t a, std::uint64_t b, std::uint64_t position, std::uint64_t length) {
  if (position >= 64 || length == 0) return as_unsigned(b, bytes);
  const auto mask = (length >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << length) - 1) << position;
  return as_unsigned((b & ~mask) | ((a << position) & mask), bytes);
}

std::uint64_t shift_right(PtxType type, std::uint64_t a, std::uint64_t b) {
  const auto by = std::min<std::uint64_t>(b & 0xffffffffu, 63), bits = std::uint64_t{8} * type.bytes;
  if (type.kind == Kind::signed_)
    return as_unsigned(static_cast<std::uint64_t>(as_signed(a, type.bytes) >> std::min<std::uint64_t>(by, bits - 1)),
                       type.bytes);
  return (b & 0xffffffffu) >= bits ? 0 : as_unsigned(a, type.bytes) >> by;
}

std::uint64_t funnel_shift(const std::string& opcode, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const std::uint64_t both = (a & 0xffffffffu) | (b << 32);
  const auto by = has(opcode, "clamp") ? std::min<std::uint64_t>(c & 0xffffffffu, 32) : c & 31;
  if (has(opcode, "l")) return as_unsigned(by == 0 ? b : (both << by) >> 32, 4);
  return as_unsigned(by >= 64 ? 0 : both >> by, 4);
}

std::uint64_t bit_operations(const PtxInstruction& in, const std::string& opcode, std::uint64_t a, std::uint64_t b,
                             std::uint64_t c, std::uint64_t d) {
  const int bytes = in.type.bytes, bits = 8 * bytes;
  const auto fit = [&](std::uint64_t value) { return as_unsigned(value, bytes); };
  switch (in.op) {
    case PtxOp::popc: return static_cast<std::uint64_t>(std::popcount(fit(a)));
    case PtxOp::clz: return static_cast<std::uint64_t>(std::countl_zero(fit(a)) - (64 - bits));
    case PtxOp::bfind: return highest_bit(in, opcode, a);
    case PtxOp::brev: return reversed_bits(fit(a), bits);
    case PtxOp::bfe: return extract_bits(in.type, a, b & 255, c & 255);
    case PtxOp::bfi: return insert_bits(bytes, a, b, c & 255, d & 255);
    case PtxOp::and_: return fit(a & b);
    case PtxOp::or_: return fit(a | b);
    case PtxOp::xor_: return fit(a ^ b);
    case PtxOp::not_: return fit(~a);
    case PtxOp::cnot: return fit(a) == 0;
    case PtxOp::shl: return (b & 0xffffffffu) >= static_cast<std::uint64_t>(bits) ? 0 : fit(a << (b & 63));
    case PtxOp::shr: return shift_right(in.type, a, b);
    case PtxOp::shf: return funnel_shift(opcode, a, b, c);
    case PtxOp::prmt: return permuted_bytes(a, b, c);
    case PtxOp::lop3: return logic_by_table(a, b, c, d);
    default: return 0;
  }
}
/// `order`: below 0, 0 or above it, as the first is smaller, equal or larger.
bool holds(std::string_view relation, int order) {
  if (relation == "eq") return order == 0;
  if (relation == "ne") return order != 0;
  if (relation == "lt") return order < 0;
  if (relation == "le") return order <= 0;
  if (relation == "gt") return order > 0;
  return order >= 0;
}

template <class Number>
int order_of(Number a, Number b) {
  return (a > b) - (a < b);
}
}  // namespace

bool ptx_computes(const PtxInstruction& in, const std::string& opcode) {
  if (in.type.lanes == 2 || opcode.find("bf16") != std::string::npos) return false;
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
      return yes ? bits_mask(type.bytes) : 0;
    }
    case PtxOp::slct:
      return (in.source_type.kind == Kind::floating ? to_double(c, in.source_type) >= 0 : as_signed(c, 4) >= 0) ? a : b;
    default: break;
  }
  if (type.kind == Kind::floating) return floating(in, to_double(a, type), to_double(b, type), to_double(c, type));
  if (type.kind == Kind::predicate) return predicates(in.op, a, b);
  // PtxOp lists the arithmetic before the operations on bits.
  return in.op < PtxOp::popc ? integer_arithmetic(in, a, b, c) : bit_operations(in, opcode, a, b, c, d);
}

bool ptx_compare(const PtxInstruction& in, const std::string& opcode, std::uint64_t a, std::uint64_t b) {
  const PtxType type = in.op == PtxOp::set && in.source_type.kind != Kind::none ? in.source_type : in.type;
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
  const int as_wholes = order_of(as_unsigned(a, type.bytes), as_unsigned(b, type.bytes));
  constexpr std::pair<std::string_view, std::string_view> always_unsigned[] = {
      {"lo", "lt"}, {"ls", "le"}, {"hi", "gt"}, {"hs", "ge"}};
  for (const auto& [name, meant] : always_unsigned)
    if (relation == name) return holds(meant, as_wholes);
  return holds(relation,
               type.kind == Kind::signed_ ? order_of(as_signed(a, type.bytes), as_signed(b, type.bytes)) : as_wholes);
}
}  // namespace sparsecast::gpu_code
