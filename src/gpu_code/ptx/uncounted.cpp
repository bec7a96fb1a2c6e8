#include "gpu_code/ptx/uncounted.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <string_view>
#include <vector>

#include "gpu_code/ptx/ptx_machine.hpp"

namespace sparsecast::gpu_code {
namespace {
bool is_uncounted(std::string_view opcode) {
  constexpr std::string_view reaching[] = {"tex.", "tld4.", "suld.", "sust.", "sured.", "cp.async.", "cp.reduce."};
  constexpr std::string_view waiting[] = {"cp.async.commit", "cp.async.wait", "cp.async.mbarrier",
                                          "cp.async.bulk.commit", "cp.async.bulk.wait"};
  const auto begins = [&](std::string_view with) { return opcode.starts_with(with); };
  return std::ranges::any_of(reaching, begins) && std::ranges::none_of(waiting, begins);
}
}  // namespace

std::optional<std::string> uncounted_note(const PtxModule& module, const PtxKernel& kernel) {
  std::vector<std::string> found;
  for (const auto& in : kernel.body) {
    if (in.name < 0) continue;
    const auto& opcode = module.opcodes[static_cast<std::size_t>(in.name)];
    if (is_uncounted(opcode) && std::ranges::find(found, opcode) == found.end()) found.push_back(opcode);
  }
  if (found.empty()) return std::nullopt;
  return fmt::format("the bytes that {} moves are not counted: the interval reaches {} times as far, which is assumed",
                     fmt::join(found, ", "), uncounted_factor);
}

std::optional<std::string> large_angles_note(const PtxKernel& kernel) {
  if (std::ranges::none_of(kernel.body, compares_angle)) return std::nullopt;
  return "arguments of sin, cos, tan or sincos that are not known are taken to be below 105,615 as floats and "
         "2,147,483,648 "
         "as doubles: larger ones go a longer way, which is not counted";
}
}  // namespace sparsecast::gpu_code
