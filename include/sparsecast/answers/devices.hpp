#pragma once
// devices: what can run here, what is known of machines that are not here, and whether a device's kernels are right.

#include <map>
#include <sparsecast/answers/request.hpp>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

/// A device that is here.
struct PresentDevice {
  std::string device = {};             ///< name of the device, as requests take it
  std::string name = {};               ///< the vendor's name for the device
  DeviceKind kind = DeviceKind::host;  ///< what runs the products: the host, OpenCL or CUDA
  DeviceProperties properties = {};
  std::map<std::string, std::int64_t> strips = {};  ///< DeviceProperties::strips()
};

/// The devices that are here.
struct PresentDevices {
  std::vector<PresentDevice> devices = {};
  /// A line for each kind that is not here: what is missing and how to get it.
  std::vector<std::string> missing = {};
};

/// A request for the devices that are here; it has a listener alone.
struct DevicesRequest {
  Listener listener = {};
};

/// Thread safety: safe from several threads at once.
[[nodiscard]] PresentDevices devices(const DevicesRequest& request = {});

/// Which machine.
struct DescribeRequest {
  std::string device = "host";  ///< a name of the catalogue, "host", or a description's file (.json)
  Listener listener = {};
};

/// A machine's description, whether it is here or not.
struct DeviceDescription {
  std::string name = {};  ///< name of the device, as requests take it
  DeviceProperties properties = {};
  std::map<std::string, std::int64_t> strips = {};  ///< DeviceProperties::strips()
};

/// The host's memory is read for about a second: no system tells its bandwidth. Error usage for an unknown name, with
/// the nearest ones; bad_input as read_device(). Thread safety: safe from several threads at once.
[[nodiscard]] DeviceDescription describe(const DescribeRequest& request);

/// A request for the catalogue; it has a listener alone.
struct CatalogueRequest {
  Listener listener = {};
};

/// A machine that is described, here or not.
struct CatalogueEntry {
  std::string name = {};               ///< name of the device, as requests take it
  std::string model = {};              ///< the vendor's name for the device
  DeviceKind kind = DeviceKind::host;  ///< what runs the products: the host, OpenCL or CUDA
  DeviceProperties properties = {};
};

/// Every machine that is described.
struct Catalogue {
  std::vector<CatalogueEntry> devices = {};  ///< machines in the order of their names
};

/// Thread safety: safe from several threads at once.
[[nodiscard]] Catalogue catalogue(const CatalogueRequest& request = {});

/// The device, and the kernels to check.
struct DeviceCheckRequest {
  std::string device = "host";            ///< or opencl:N, cuda:N
  std::vector<std::string> kernels = {};  ///< only these; empty: all of the device's
  int threads = 0;                        ///< of the host; 0: default_threads()
  Listener listener = {};                 ///< receives a remark when a kernel's check begins
};

/// The kernels of a device held against the sequential product.
struct DeviceCheck {
  std::string device = {};                ///< name of the device, as requests take it
  std::string model = {};                 ///< the vendor's name for the device
  std::string driver = {};                ///< driver or compiler, and its version
  std::vector<KernelCheck> checks = {};   ///< one check for each kernel and matrix
  std::int64_t wrong = 0;                 ///< how many of the checks failed
  std::vector<std::string> kernels = {};  ///< of the device, in no document
};

/// Every kernel against the sequential product, on matrices that are awkward on purpose. Error unavailable where the
/// device is not here; usage for an unknown kernel. Thread safety: safe from several threads at once.
[[nodiscard]] DeviceCheck check_device(const DeviceCheckRequest& request);

}  // namespace sparsecast
#pragma GCC visibility pop
