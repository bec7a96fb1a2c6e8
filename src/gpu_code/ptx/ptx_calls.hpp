#pragma once
// Calls of functions of the same PTX text. What runs code and times it knows no calls: a function's body stands in the
// place of each call of it, as if it had been inlined.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gpu_code/ptx/ptx.hpp"
#include "gpu_code/ptx/ptx_opcodes.hpp"

namespace sparsecast::gpu_code {
inline constexpr std::int64_t most_ptx_registers = 1 << 17;

/// A .param variable of a body, which a call is given or gives back: a register for each part that is written or read.
struct PtxSlot {
  std::string name;
  std::map<std::pair<std::int64_t, int>, std::int32_t> registers = {};  ///< by offset and number of bytes
};

struct PtxCall {
  std::int32_t instruction = 0;
  std::string function = {};
  std::vector<std::size_t> results = {}, arguments = {};  ///< slots of the caller
};

/// A kernel or a function as it is written.
struct PtxRoutine {
  PtxKernel code;
  std::vector<PtxSlot> slots;              ///< of a function its results come first, then its arguments
  std::size_t results = 0, arguments = 0;  ///< numbers of them
  std::size_t of_module = 0;               ///< variables that are the module's; those of its own follow
  std::vector<PtxCall> calls;              ///< in the order of the body

  /// The register that holds these bytes of a slot.
  std::int32_t slot_register(std::size_t slot, std::int64_t offset, const PtxType& type);
};

/// A function by its name; null where its body is not known.
using FindPtxFunction = std::function<const PtxRoutine*(const std::string&)>;

/// The kernels with the bodies of functions in the place of calls. A call stays where it is, and is refused if it is
/// met, where its function is not known, calls itself, takes other arguments, or would make the code too large.
[[nodiscard]] std::vector<PtxKernel> with_functions(std::vector<PtxRoutine> kernels, const FindPtxFunction& find,
                                                    PtxOpcodes& opcodes);
}  // namespace sparsecast::gpu_code
