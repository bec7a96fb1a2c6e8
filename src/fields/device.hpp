#pragma once
// The fields of <sparsecast/device.hpp>, and the words of its enumeration.

#include <sparsecast/device.hpp>

#include "fields/fields.hpp"
#include "fields/precision.hpp"

namespace sparsecast {

template <>
struct Words<DeviceKind> {
  static constexpr std::array table{std::pair{DeviceKind::host, std::string_view("host")},
                                    std::pair{DeviceKind::opencl, std::string_view("opencl")},
                                    std::pair{DeviceKind::cuda, std::string_view("cuda")}};
};

template <>
struct Fields<CacheLevel> {
  static constexpr std::string_view about = "One cache level.";
  static constexpr auto table = std::tuple(
      field<&CacheLevel::level>("", between(1, 100)).or_default(),
      field<&CacheLevel::size_bytes>("", between(0, 1e18)).or_default(),
      field<&CacheLevel::line_bytes>("", between(0, 1e9)).or_default(),
      field<&CacheLevel::shared_by>("number of compute units that share one such cache", between(1, 1e9)).or_default());
};

template <>
struct Fields<DeviceProperties> {
  static constexpr std::string_view about =
      "Properties of a device: profiles/devices/*.json, and what is imported with a profile";
  // Low enough that no product of two counts overflows 64 bits.
  static constexpr NumberBounds counts = between(0, 1e9), some = between(1, 1e9), sizes = between(0, 1e18);
  static constexpr auto table = std::tuple(
      field<&DeviceProperties::name>("name of the device, as requests take it").or_default(),
      field<&DeviceProperties::aliases>("other names, such as cloud instances that are this machine").where_known(),
      field<&DeviceProperties::model>("the vendor's name for the device").or_default(),
      field<&DeviceProperties::vendor>("").or_default(),
      field<&DeviceProperties::kind>("what runs the products: the host, OpenCL or CUDA").or_default(),
      field<&DeviceProperties::compute_units>("number of multiprocessors, compute units or cores", counts).or_default(),
      field<&DeviceProperties::warp_size>("number of threads that run in step", some).or_default(),
      field<&DeviceProperties::warps_per_unit>("largest number of resident warps per compute unit", counts)
          .or_default(),
      field<&DeviceProperties::threads_per_unit>("largest number of resident threads per compute unit", counts)
          .or_default(),
      field<&DeviceProperties::max_threads_per_block>("", some).or_default(),
      field<&DeviceProperties::rows_per_chunk>("host: number of rows that one thread takes at a time", counts)
          .or_default(),
      field<&DeviceProperties::memory_bytes>("", sizes).or_default(),
      field<&DeviceProperties::memory_bandwidth>("bytes/s from the data sheet; 0: not known", sizes).or_default(),
      field<&DeviceProperties::clock_hz>("clock of a compute unit: boost clock, or as found", sizes).or_default(),
      field<&DeviceProperties::caches>("caches in ascending order of level").or_default(),
      field<&DeviceProperties::driver>("driver or compiler, and its version").or_default(),
      field<&DeviceProperties::microcode>("microcode of the host's processor; empty if not known").or_default(),
      field<&DeviceProperties::limits>("further limits, by name", sizes).or_default(),
      field<&DeviceProperties::source>("where the numbers come from").or_default(),
      field<&DeviceProperties::base_clock_hz>("processors: the guaranteed clock", sizes).where_known(),
      field<&DeviceProperties::launch_s>("time to start an empty kernel or parallel region and wait for it",
                                         between(0, 1e6))
          .where_known(),
      field<&DeviceProperties::power_w>("power of the board or socket in watts, from the data sheet", counts)
          .where_known(),
      field<&DeviceProperties::sockets>("processors: number of sockets; compute_units counts the cores of all of them",
                                        counts)
          .where_known(),
      field<&DeviceProperties::numa_domains>("processors: number of NUMA domains", counts).where_known(),
      field<&DeviceProperties::memory_channels>("processors: memory channels of all sockets", counts).where_known(),
      field<&DeviceProperties::channel_bandwidth>(
          "processors: bytes/s of one memory channel (its width times its rate)", sizes)
          .where_known(),
      field<&DeviceProperties::vector_bits>("processors: width of a vector register in bits", counts).where_known(),
      field<&DeviceProperties::sources>("sources of single fields whose numbers do not come from `source`")
          .where_known());
};

template <>
struct Fields<KernelCheck> {
  static constexpr std::string_view about = "One kernel compared with the sequential product on one matrix.";
  static constexpr auto table = std::tuple(
      field<&KernelCheck::kernel>("name of the kernel, as in the kernel table"), field<&KernelCheck::precision>(""),
      field<&KernelCheck::offset_bits>("width of the matrix's row pointers in bits", between(32, 64)),
      field<&KernelCheck::matrix>("what makes the matrix awkward"), field<&KernelCheck::agrees>(""),
      field<&KernelCheck::error>("largest error, relative to the bound of rounding errors", between(0, 1e300)),
      field<&KernelCheck::remark>("where the result is wrong, or the device's own error message"));
};

}  // namespace sparsecast
