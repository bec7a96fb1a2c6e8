#pragma once
// From which source PTX was compiled: .file names the files, .loc the line that an instruction comes from.

#include <cstdint>
#include <sparsecast/error.hpp>
#include <string>
#include <vector>

#include "gpu_code/ptx/ptx.hpp"
#include "gpu_code/ptx/ptx_stream.hpp"

namespace sparsecast::gpu_code {
/// .file index ["folder"] "name" [, time, bytes] [md5 number] [source "text"], from its word on: notes the name. The
/// folder and what is behind the name are clang's, time and bytes the PTX ISA's.
void read_file_directive(PtxStream& in, std::vector<std::string>& source_files);

/// Where the instruction stands in the file that the user gave (or in one that this file includes). Of PTX itself that
/// is its own line and column; of compiled code the line that .loc names, 0 where it names none.
[[nodiscard]] Place source_place(const PtxModule& module, const PtxInstruction& in);

/// The line to show beside an instruction: of the user's file as above; 0 where it comes from another file. For PTX
/// with .loc it is the line that .loc names, 0 where the compiler gives none.
[[nodiscard]] std::int32_t shown_line(const PtxModule& module, const PtxInstruction& in);
}  // namespace sparsecast::gpu_code
