#pragma once
// devices: what can run here, what is known of machines that are not here, and whether a device's kernels are right.

#include <map>
#include <sparsecast/answers/request.hpp>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

/// A device that is here.
struct PresentDevice {
  std::string device = {}, name = {};
  DeviceKind kind = DeviceKind::host;
  DeviceProperties properties = {};
  std::map<std::string, std::int64_t> strips = {};
};
template <>
struct Fields<PresentDevice> {
  static constexpr std::string_view about = "A device that is here.";
  static constexpr auto table = std::tuple(
      field<&PresentDevice::device>("as requests name it"), field<&PresentDevice::name>("the vendor's name"),
      field<&PresentDevice::kind>("what runs the products"), field<&PresentDevice::properties>(""),
      field<&PresentDevice::strips>("rows (coo: non-zeros) that the device handles at once, by kernel", at_least(1)));
};

struct PresentDevices {
  std::vector<PresentDevice> devices = {};
  std::vector<std::string> missing = {};
};
template <>
struct Fields<PresentDevices> {
  static constexpr std::string_view about = "sparsecast devices --json";
  static constexpr auto table = std::tuple(
      field<&PresentDevices::devices>("that are here"),
      field<&PresentDevices::missing>("a line for each kind that is not here: what is missing and how to get it"));
};

struct DevicesRequest {
  Listener listener = {};
};
template <>
struct Fields<DevicesRequest> {
  static constexpr std::string_view about = "Nothing is asked but what is here.";
  static constexpr auto table = std::tuple();
};
/// Thread safety: safe from several threads at once.
[[nodiscard]] PresentDevices devices(const DevicesRequest& request = {});

struct DescribeRequest {
  std::string device = "host";
  Listener listener = {};
};
template <>
struct Fields<DescribeRequest> {
  static constexpr std::string_view about = "Which device.";
  static constexpr auto table =
      std::tuple(field<&DescribeRequest::device>("a name of the catalogue, host, or FILE.json"));
};
struct DeviceDescription {
  std::string name = {};
  DeviceProperties properties = {};
  std::map<std::string, std::int64_t> strips = {};
};
template <>
struct Fields<DeviceDescription> {
  static constexpr std::string_view about = "sparsecast devices --describe NAME --json";
  static constexpr auto table =
      std::tuple(field<&DeviceDescription::name>("as requests name it"), field<&DeviceDescription::properties>(""),
                 field<&DeviceDescription::strips>("rows (coo: non-zeros) that the device handles at once, by kernel",
                                                   at_least(1)));
};
/// The host's memory is read for about a second: no system tells its bandwidth. Error usage for an unknown name, with
/// the nearest ones; bad_input as read_device(). Thread safety: safe from several threads at once.
[[nodiscard]] DeviceDescription describe(const DescribeRequest& request);

struct CatalogueRequest {
  Listener listener = {};
};
template <>
struct Fields<CatalogueRequest> {
  static constexpr std::string_view about = "Nothing is asked but what is described.";
  static constexpr auto table = std::tuple();
};
/// A machine that is described, here or not.
struct CatalogueEntry {
  std::string name = {}, model = {};
  DeviceKind kind = DeviceKind::host;
  DeviceProperties properties = {};
};
template <>
struct Fields<CatalogueEntry> {
  static constexpr std::string_view about = "A machine that is described, here or not.";
  static constexpr auto table = std::tuple(
      field<&CatalogueEntry::name>("as requests name it"), field<&CatalogueEntry::model>("the vendor's name"),
      field<&CatalogueEntry::kind>("what runs the products"), field<&CatalogueEntry::properties>(""));
};
struct Catalogue {
  std::vector<CatalogueEntry> devices = {};
};
template <>
struct Fields<Catalogue> {
  static constexpr std::string_view about = "sparsecast devices --catalogue --json";
  static constexpr auto table = std::tuple(field<&Catalogue::devices>("in the order of their names"));
};
/// Thread safety: safe from several threads at once.
[[nodiscard]] Catalogue catalogue(const CatalogueRequest& request = {});

struct DeviceCheckRequest {
  std::string device = "host";            ///< or opencl:N, cuda:N
  std::vector<std::string> kernels = {};  ///< only these; empty: all of the device's
  int threads = 0;                        ///< of the host; 0: default_threads()
  Listener listener = {};                 ///< a remark for each kernel that is begun
};
struct DeviceCheck {
  std::string device = {}, model = {}, driver = {};
  std::vector<KernelCheck> checks = {};
  std::int64_t wrong = 0;
  std::vector<std::string> kernels = {};  ///< of the device, in no document
};
template <>
struct Fields<DeviceCheck> {
  static constexpr std::string_view about = "sparsecast devices --check --device D --json";
  static constexpr auto table = std::tuple(
      field<&DeviceCheck::device>("as requests name it"), field<&DeviceCheck::model>("the vendor's name"),
      field<&DeviceCheck::driver>("and its version"), field<&DeviceCheck::checks>("of every kernel and matrix"),
      field<&DeviceCheck::wrong>("how many of them are", at_least(0)));
};
/// Every kernel against the sequential product, on matrices that are awkward on purpose. Error unavailable where the
/// device is not here; usage for an unknown kernel. Thread safety: safe from several threads at once.
[[nodiscard]] DeviceCheck check_device(const DeviceCheckRequest& request);

}  // namespace sparsecast
#pragma GCC visibility pop
