#include "gpu_code/compile/assembler.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <sstream>

#include "base/files.hpp"
#include "base/guard/program_rules.hpp"
#include "base/text.hpp"
#include "gpu_code/compile/compiler_messages.hpp"
#include "gpu_code/compile/digest.hpp"
#include "gpu_code/compile/tool_folder.hpp"

namespace sparsecast::gpu_code {
namespace {
namespace fs = std::filesystem;
}  // namespace

Assembled assemble(const std::string& ptx, int architecture, int most_registers) {
  Assembled result;
  const auto tool = find_cuda_tool("ptxas");
  if (tool.empty() || base::program_rules().forbidden) return result;
  result.architecture = compiled_architecture(architecture);
  Digest digest;
  digest.add_tool(tool);
  digest.add(std::to_string(result.architecture));
  if (most_registers > 0) digest.add(fmt::format("maxrregcount {}", most_registers));
  digest.add(ptx);
  const auto folder = store_folder("kernel-cache");
  const auto file = folder / (digest.text() + ".cubin"), log = folder / (digest.text() + ".log");
  if (!fs::is_regular_file(file) || !fs::is_regular_file(log)) {
    ToolFolder tools;
    tools.write("kernel.ptx", ptx);
    std::vector<std::string> arguments = {"--verbose", fmt::format("-arch=sm_{}", result.architecture)};
    if (most_registers > 0) arguments.push_back(fmt::format("--maxrregcount={}", most_registers));
    arguments.insert(arguments.end(), {"-o", "kernel.cubin", "kernel.ptx"});
    if (tools.run(tool, arguments) != 0) return result;
    base::write_file_atomically(log, tools.log(), compiled_kernel);
    base::write_file_atomically(file, base::read_file(tools.path() / "kernel.cubin"), compiled_kernel);
  }
  result.cubin = base::read_bytes(file);
  result.log = base::read_file(log);
  result.available = true;
  return result;
}

bool parse_ptxas_log(const std::string& log, const std::string& kernel, KernelResources& resources) {
  std::istringstream lines(log);
  bool ours = false;
  const auto before = [](std::string_view line, std::string_view what) -> std::int64_t {
    const auto at = line.find(what);
    auto end = at == std::string_view::npos ? at : line.find_last_not_of(' ', at - 1) + 1;
    return at == std::string_view::npos || at == 0 ? -1 : number_before(line, end);
  };
  for (std::string line; std::getline(lines, line);) {
    if (line.find("Compiling entry function") != std::string::npos)
      ours = line.find("'" + kernel + "'") != std::string::npos;
    if (!ours) continue;
    if (const auto spill = before(line, "bytes spill stores"); spill >= 0) resources.spill_bytes = spill;
    if (const auto registers = before(line, "registers"); registers > 0) {
      resources.registers = static_cast<int>(registers);
      resources.shared_bytes = std::max<std::int64_t>(before(line, "bytes smem"), 0);
      resources.from_compiler = true;
      return true;
    }
  }
  return false;
}
}  // namespace sparsecast::gpu_code
