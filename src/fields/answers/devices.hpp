#pragma once
// The fields of <sparsecast/answers/devices.hpp>.

#include <sparsecast/answers/devices.hpp>

#include "fields/device.hpp"
#include "fields/fields.hpp"

namespace sparsecast {

template <>
struct Fields<PresentDevice> {
  static constexpr std::string_view about = "A device that is present.";
  static constexpr auto table =
      std::tuple(field<&PresentDevice::device>("name of the device, as requests take it"),
                 field<&PresentDevice::name>("the vendor's name for the device"),
                 field<&PresentDevice::kind>("what runs the products: the host, OpenCL or CUDA"),
                 field<&PresentDevice::properties>(""),
                 field<&PresentDevice::strips>(
                     "number of rows (coo: non-zeros) that the device handles at once, by kernel", at_least(1)));
};

template <>
struct Fields<PresentDevices> {
  static constexpr std::string_view about = "Result of devices(): the devices that are present";
  static constexpr auto table = std::tuple(
      field<&PresentDevices::devices>("the devices that are present"),
      field<&PresentDevices::missing>("one line for each kind of device that is missing: why, and how to get it"));
};

template <>
struct Fields<DevicesRequest> {
  static constexpr std::string_view about = "The request has no fields.";
  static constexpr auto table = std::tuple();
};

template <>
struct Fields<DescribeRequest> {
  static constexpr std::string_view about = "Which device to describe.";
  static constexpr auto table =
      std::tuple(field<&DescribeRequest::device>("a name of the catalogue, host, or FILE.json"));
};

template <>
struct Fields<DeviceDescription> {
  static constexpr std::string_view about = "Result of describe(): a machine of the catalogue";
  static constexpr auto table =
      std::tuple(field<&DeviceDescription::name>("name of the device, as requests take it"),
                 field<&DeviceDescription::properties>(""),
                 field<&DeviceDescription::strips>(
                     "number of rows (coo: non-zeros) that the device handles at once, by kernel", at_least(1)));
};

template <>
struct Fields<CatalogueRequest> {
  static constexpr std::string_view about = "The request has no fields.";
  static constexpr auto table = std::tuple();
};

template <>
struct Fields<CatalogueEntry> {
  static constexpr std::string_view about = "A machine with a description, present or not.";
  static constexpr auto table =
      std::tuple(field<&CatalogueEntry::name>("name of the device, as requests take it"),
                 field<&CatalogueEntry::model>("the vendor's name for the device"),
                 field<&CatalogueEntry::kind>("what runs the products: the host, OpenCL or CUDA"),
                 field<&CatalogueEntry::properties>(""));
};

template <>
struct Fields<Catalogue> {
  static constexpr std::string_view about = "Result of catalogue(): all machines with a description";
  static constexpr auto table = std::tuple(field<&Catalogue::devices>("machines in the order of their names"));
};

template <>
struct Fields<DeviceCheck> {
  static constexpr std::string_view about = "Result of check_device(): every kernel compared with the reference";
  static constexpr auto table = std::tuple(field<&DeviceCheck::device>("name of the device, as requests take it"),
                                           field<&DeviceCheck::model>("the vendor's name for the device"),
                                           field<&DeviceCheck::driver>("driver and its version"),
                                           field<&DeviceCheck::checks>("one check for each kernel and matrix"),
                                           field<&DeviceCheck::wrong>("number of checks that failed", at_least(0)));
};

}  // namespace sparsecast
