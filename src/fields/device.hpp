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
  static constexpr std::string_view about = "One level of cache.";
  static constexpr auto table = std::tuple(
      field<&CacheLevel::level>("", between(1, 100)).or_default(),
      field<&CacheLevel::size_bytes>("", between(0, 1e18)).or_default(),
      field<&CacheLevel::line_bytes>("", between(0, 1e9)).or_default(),
      field<&CacheLevel::shared_by>("compute units that share one such cache", between(1, 1e9)).or_default());
};

template <>
struct Fields<DeviceProperties> {
  static constexpr std::string_view about =
      "Properties of a device: profiles/devices/*.json, and what is imported with a profile";
  // Low enough that no product of two counts overflows 64 bits.
  static constexpr NumberBounds counts = between(0, 1e9), some = between(1, 1e9), sizes = between(0, 1e18);
  static constexpr auto table = std::tuple(
      field<&DeviceProperties::name>("as users type it").or_default(),
      field<&DeviceProperties::aliases>("further names: instances of clouds that are this machine").where_known(),
      field<&DeviceProperties::model>("the vendor's name").or_default(),
      field<&DeviceProperties::vendor>("").or_default(),
      field<&DeviceProperties::kind>("what runs the products").or_default(),
      field<&DeviceProperties::compute_units>("multiprocessors, compute units or cores", counts).or_default(),
      field<&DeviceProperties::warp_size>("threads that run in step", some).or_default(),
      field<&DeviceProperties::warps_per_unit>("most resident warps per compute unit", counts).or_default(),
      field<&DeviceProperties::threads_per_unit>("most resident threads per compute unit", counts).or_default(),
      field<&DeviceProperties::max_threads_per_block>("", some).or_default(),
      field<&DeviceProperties::rows_per_chunk>("host: rows that one thread takes at a time", counts).or_default(),
      field<&DeviceProperties::memory_bytes>("", sizes).or_default(),
      field<&DeviceProperties::memory_bandwidth>("bytes/s by the data sheet, 0 where unknown", sizes).or_default(),
      field<&DeviceProperties::clock_hz>("of a compute unit, boost or found", sizes).or_default(),
      field<&DeviceProperties::caches>("ascending by level").or_default(),
      field<&DeviceProperties::driver>("driver or compiler and version").or_default(),
      field<&DeviceProperties::microcode>("of a host's processor; empty where not known").or_default(),
      field<&DeviceProperties::limits>("further limits by name", sizes).or_default(),
      field<&DeviceProperties::source>("where the numbers come from").or_default(),
      field<&DeviceProperties::base_clock_hz>("processors: the guaranteed clock", sizes).where_known(),
      field<&DeviceProperties::launch_s>("an empty kernel or parallel region and the wait for it", between(0, 1e6))
          .where_known(),
      field<&DeviceProperties::power_w>("watts of the board or socket, by the data sheet", counts).where_known(),
      field<&DeviceProperties::sockets>("processors: how many; compute_units counts the cores of all", counts)
          .where_known(),
      field<&DeviceProperties::numa_domains>("processors: memories that cores are near to", counts).where_known(),
      field<&DeviceProperties::memory_channels>("processors: of all sockets", counts).where_known(),
      field<&DeviceProperties::channel_bandwidth>("processors: bytes/s of one channel, its width times its rate", sizes)
          .where_known(),
      field<&DeviceProperties::vector_bits>("processors: width of a vector register", counts).where_known(),
      field<&DeviceProperties::sources>(
          "of single members, where their number comes from somewhere else than source tells")
          .where_known());
};

template <>
struct Fields<KernelCheck> {
  static constexpr std::string_view about = "One kernel held against the sequential product on one matrix.";
  static constexpr auto table =
      std::tuple(field<&KernelCheck::kernel>("as the kernel table names it"), field<&KernelCheck::precision>(""),
                 field<&KernelCheck::offset_bits>("width of the matrix's row pointers", between(32, 64)),
                 field<&KernelCheck::matrix>("what is awkward about it"), field<&KernelCheck::agrees>(""),
                 field<&KernelCheck::error>("largest error over the bound of rounding", between(0, 1e300)),
                 field<&KernelCheck::remark>("where it is wrong, or the device's own complaint"));
};

}  // namespace sparsecast
