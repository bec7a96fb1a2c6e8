#pragma once
// The fields of <sparsecast/answers/devices.hpp>.

#include <sparsecast/answers/devices.hpp>

#include "fields/device.hpp"
#include "fields/fields.hpp"

namespace sparsecast {

template <>
struct Fields<PresentDevice> {
  static constexpr std::string_view about = "A device that is here.";
  static constexpr auto table = std::tuple(
      field<&PresentDevice::device>("as requests name it"), field<&PresentDevice::name>("the vendor's name"),
      field<&PresentDevice::kind>("what runs the products"), field<&PresentDevice::properties>(""),
      field<&PresentDevice::strips>("rows (coo: non-zeros) that the device handles at once, by kernel", at_least(1)));
};

template <>
struct Fields<PresentDevices> {
  static constexpr std::string_view about = "What devices() answers: the devices that are here";
  static constexpr auto table = std::tuple(
      field<&PresentDevices::devices>("that are here"),
      field<&PresentDevices::missing>("a line for each kind that is not here: what is missing and how to get it"));
};

template <>
struct Fields<DevicesRequest> {
  static constexpr std::string_view about = "Nothing is asked but what is here.";
  static constexpr auto table = std::tuple();
};

template <>
struct Fields<DescribeRequest> {
  static constexpr std::string_view about = "Which device.";
  static constexpr auto table =
      std::tuple(field<&DescribeRequest::device>("a name of the catalogue, host, or FILE.json"));
};

template <>
struct Fields<DeviceDescription> {
  static constexpr std::string_view about = "What describe() answers: a machine of the catalogue";
  static constexpr auto table =
      std::tuple(field<&DeviceDescription::name>("as requests name it"), field<&DeviceDescription::properties>(""),
                 field<&DeviceDescription::strips>("rows (coo: non-zeros) that the device handles at once, by kernel",
                                                   at_least(1)));
};

template <>
struct Fields<CatalogueRequest> {
  static constexpr std::string_view about = "Nothing is asked but what is described.";
  static constexpr auto table = std::tuple();
};

template <>
struct Fields<CatalogueEntry> {
  static constexpr std::string_view about = "A machine that is described, here or not.";
  static constexpr auto table = std::tuple(
      field<&CatalogueEntry::name>("as requests name it"), field<&CatalogueEntry::model>("the vendor's name"),
      field<&CatalogueEntry::kind>("what runs the products"), field<&CatalogueEntry::properties>(""));
};

template <>
struct Fields<Catalogue> {
  static constexpr std::string_view about = "What catalogue() answers: all machines that are described";
  static constexpr auto table = std::tuple(field<&Catalogue::devices>("in the order of their names"));
};

template <>
struct Fields<DeviceCheck> {
  static constexpr std::string_view about = "What check_device() answers: every kernel against the reference";
  static constexpr auto table = std::tuple(
      field<&DeviceCheck::device>("as requests name it"), field<&DeviceCheck::model>("the vendor's name"),
      field<&DeviceCheck::driver>("and its version"), field<&DeviceCheck::checks>("of every kernel and matrix"),
      field<&DeviceCheck::wrong>("how many of them are", at_least(0)));
};

}  // namespace sparsecast
