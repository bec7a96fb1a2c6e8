// See pipe.hpp.

#include "gpu_code/times/pipe.hpp"

#include <array>

namespace sparsecast::gpu_code {

std::string_view to_string(Pipe pipe) noexcept {
  constexpr std::array<std::string_view, pipe_count> names = {"none",
                                                              "single-precision pipe",
                                                              "multiply pipe",
                                                              "integer pipe",
                                                              "half-precision pipe",
                                                              "conversion pipe",
                                                              "double-precision pipe",
                                                              "uniform pipe",
                                                              "tensor pipe",
                                                              "branch pipe",
                                                              "load/store unit",
                                                              "constant cache",
                                                              "special registers",
                                                              "barrier",
                                                              "exit"};
  return names[static_cast<std::size_t>(pipe)];
}

}  // namespace sparsecast::gpu_code
