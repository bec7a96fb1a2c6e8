#pragma once
// How many threads a GPU's compute unit keeps resident, by architecture: what APIs other than CUDA do not tell and the
// strip depends on. Tables; a new architecture is one row.

#include <string_view>

namespace sparsecast::devices {

/// By compute capability; that of the nearest known one before it where it is not in the table.
int nvidia_threads_per_unit(int major, int minor);
/// Wavefronts per compute unit by the driver's name of the chip ("gfx90a"); 40, GCN's, where it is unknown.
int amd_wavefronts_per_unit(std::string_view chip);

}  // namespace sparsecast::devices
