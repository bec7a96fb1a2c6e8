// The three functions of NVIDIA's management library that are in use, for a machine with one GPU that does not exist.

#include <cstring>

namespace {

int the_device = 0;
constexpr int success = 0, not_found = 6, sm = 1;

}  // namespace

extern "C" {

int nvmlInit_v2() { return success; }

int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, void** device) {
  *device = &the_device;
  return std::strcmp(bus, "0000:17:00.0") == 0 ? success : not_found;
}

int nvmlDeviceGetClockInfo(void* device, int type, unsigned* mhz) {
  if (device != &the_device || type != sm) return not_found;
  *mhz = 1410;
  return success;
}
}
