#include "hardware/gpu/cuda/runtime.hpp"

// GpuRuntime over the CUDA driver: kernels come from the built-in binary, or from CUDA's run-time compiler where that
// binary has no code for the device.

#include <fmt/format.h>
#include <algorithm>
#include <sparsecast/error.hpp>

#include "fields/wording.hpp"
#include "hardware/gpu/cuda/api.hpp"
#include "hardware/gpu/cuda/cusparse.hpp"
#include "hardware/gpu/cuda/kernel_binary.hpp"
#include "hardware/gpu/cuda/nvml.hpp"
#include "hardware/gpu/cuda/nvrtc.hpp"

namespace sparsecast::hardware {
namespace {
constexpr const char* get_cuda = "install NVIDIA's driver on a machine with one of its GPUs, or use opencl:0 or host";

[[noreturn]] void refuse(const CudaApi& api, CuStatus status, const std::string& device, std::string_view doing) {
  const char* text = nullptr;
  if (api.cuGetErrorName(status, &text) != 0 || text == nullptr) text = "unknown error";
  switch (static_cast<CuResult>(status)) {
    case CuResult::out_of_memory:
      throw Error(ErrorCode::too_large, fmt::format("too large: {} is out of memory while {}", device, doing), {},
                  "free memory on the device or use a smaller matrix; what was measured so far is kept");
    case CuResult::ecc_uncorrectable:
    case CuResult::illegal_address:
    case CuResult::launch_timeout:
    case CuResult::hardware_stack_error:
    case CuResult::launch_failed:
      throw Error(ErrorCode::failed, fmt::format("{} was lost while {} ({})", device, doing, text), {},
                  "run again once nvidia-smi shows a working device; what was measured so far is kept");
    default:
      throw Error(ErrorCode::failed, fmt::format("CUDA error {} ({}) on {} while {}", status, text, device, doing), {},
                  wording::ask("check_device") + " checks whether the device works; what was measured so far is kept");
  }
}

// 0 where the driver does not tell.
int attribute_of(const CudaApi& api, CuDeviceNumber device, CuAttribute what) {
  int value = 0;
  return api.cuDeviceGetAttribute(&value, what, device) == 0 ? value : 0;
}

DeviceProperties cuda_properties(const CudaApi& api, CuDeviceNumber device, int number) {
  const auto attribute = [&](CuAttribute what) { return attribute_of(api, device, what); };
  std::array<char, 256> name{};
  api.cuDeviceGetName(name.data(), static_cast<int>(name.size()) - 1, device);
  std::size_t memory = 0;
  api.cuDeviceTotalMem_v2(&memory, device);
  int driver = 0;
  api.cuDriverGetVersion(&driver);

  DeviceProperties p;
  p.name = fmt::format("cuda:{}", number);
  p.model = name.data();
  p.vendor = "NVIDIA";
  p.kind = DeviceKind::cuda;
  p.compute_units = attribute(CuAttribute::multiprocessors);
  p.warp_size = std::max(1, attribute(CuAttribute::warp_size));
  p.threads_per_unit = attribute(CuAttribute::max_threads_per_multiprocessor);
  p.warps_per_unit = p.threads_per_unit / p.warp_size;
  p.max_threads_per_block = std::max(1, attribute(CuAttribute::max_threads_per_block));
  p.memory_bytes = static_cast<std::int64_t>(memory);
  p.clock_hz = 1e3 * attribute(CuAttribute::clock_khz);
  // Data-sheet bandwidth: two transfers per clock over the whole bus.
  p.memory_bandwidth = 2e3 * attribute(CuAttribute::memory_clock_khz) * attribute(CuAttribute::memory_bus_bits) / 8;
  p.caches.push_back({2, attribute(CuAttribute::l2_bytes), 128, p.compute_units});
  p.limits["compute_capability"] =
      attribute(CuAttribute::capability_major) + attribute(CuAttribute::capability_minor) / 10.0;
  p.limits["registers_per_unit"] = attribute(CuAttribute::registers_per_multiprocessor);
  p.limits["shared_bytes_per_unit"] = attribute(CuAttribute::shared_bytes_per_multiprocessor);
  p.driver = fmt::format("CUDA {}.{}", driver / 1000, driver % 1000 / 10);
  p.source = "CUDA device query";
  return p;
}

struct Buffer final : GpuBuffer {
  Buffer(const CudaApi& functions, CuAddress memory, bool borrowed = false)
      : api(functions), own(memory), address(memory), is_borrowed(borrowed) {}
  ~Buffer() override {
    if (!is_borrowed) api.cuMemFree_v2(own);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  const CudaApi& api;
  CuAddress own, address;  // address: what launches take, the caller's while bound
  bool is_borrowed;
};

CuAddress as_address(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory); }

// A stream beside the first, and the event that tells when it is done.
struct MoreStream {
  CuStream stream = nullptr;
  CuEvent done = nullptr;
};

struct Kernel final : GpuKernel {
  explicit Kernel(CuFunction loaded) : function(loaded) {}
  CuFunction function;
};

class CudaRuntime final : public GpuRuntime {
 public:
  CudaRuntime(const CudaApi& api, CuDeviceNumber device, int number)
      : api_(api), device_(device), properties_(cuda_properties(api, device, number)) {
    capability_ = 10 * attribute_of(api, device, CuAttribute::capability_major) +
                  attribute_of(api, device, CuAttribute::capability_minor);
    most_groups_ = std::max(1, attribute_of(api, device, CuAttribute::max_grid_x));
    check(api_.cuDevicePrimaryCtxRetain(&context_, device_), "opening it");
    try {
      check(api_.cuCtxSetCurrent(context_), "opening it");
      check(api_.cuStreamCreate(&first_stream_, 0), "opening it");
      check(api_.cuEventCreate(&forked_at_, 0), "opening it");
      check(api_.cuEventCreate(&start_, 0), "opening it");
      check(api_.cuEventCreate(&end_, 0), "opening it");
    } catch (...) {
      close();
      throw;
    }
    stream_ = first_stream_;
    vendor_ = open_cusparse(stream_);
    std::array<char, 32> bus{};
    if (api_.cuDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), device_) == 0)
      clock_ = std::make_unique<NvmlClock>(bus.data());
  }
  ~CudaRuntime() override {
    vendor_.reset();
    close();
  }
  CudaRuntime(const CudaRuntime&) = delete;
  CudaRuntime& operator=(const CudaRuntime&) = delete;

  [[nodiscard]] const DeviceProperties& properties() const override { return properties_; }
  [[nodiscard]] std::int64_t largest_buffer() const override { return properties_.memory_bytes; }
  [[nodiscard]] std::int64_t most_groups() const override { return most_groups_; }

  std::unique_ptr<GpuBuffer> allocate(std::int64_t bytes) override {
    CuAddress address = 0;
    make_current();
    check(api_.cuMemAlloc_v2(&address, static_cast<std::size_t>(std::max<std::int64_t>(bytes, 16))),
          "allocating memory");
    ++allocations_;
    return std::make_unique<Buffer>(api_, address);
  }
  void upload(GpuBuffer& to, const void* from, std::int64_t bytes) override {
    if (bytes == 0) return;
    make_current();
    check(api_.cuStreamSynchronize(first_stream_), "running kernels");
    check(api_.cuMemcpyHtoD_v2(static_cast<Buffer&>(to).address, from, static_cast<std::size_t>(bytes)),
          "copying to it");
    uploaded_ = true;
  }
  void download(const GpuBuffer& from, void* to, std::int64_t bytes) override {
    if (bytes == 0) return;
    make_current();
    check(api_.cuStreamSynchronize(first_stream_), "running kernels");
    check(api_.cuMemcpyDtoH_v2(to, static_cast<const Buffer&>(from).address, static_cast<std::size_t>(bytes)),
          "copying from it");
  }

  void launch(GpuKernel& kernel, std::int64_t groups, std::span<const GpuArgument> arguments) override {
    constexpr std::size_t most_arguments = 16;
    if (arguments.size() > most_arguments) throw Error(ErrorCode::failed, "a kernel has too many arguments");
    // Every argument is 8 bytes: an address or a count.
    std::array<std::uint64_t, most_arguments> values{};
    std::array<void*, most_arguments> addresses{};
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      values[i] = std::holds_alternative<std::int64_t>(arguments[i])
                      ? static_cast<std::uint64_t>(std::get<std::int64_t>(arguments[i]))
                      : static_cast<const Buffer*>(std::get<const GpuBuffer*>(arguments[i]))->address;
      addresses[i] = &values[i];
    }
    check(api_.cuLaunchKernel(static_cast<Kernel&>(kernel).function, static_cast<unsigned>(groups), 1, 1,
                              gpu_group_size, 1, 1, 0, stream_, addresses.data(), nullptr),
          "starting a kernel");
  }

  void start_timer() override {
    make_current();
    stream_ = first_stream_;
    check(api_.cuStreamSynchronize(stream_), "waiting for it");
    check(api_.cuEventRecord(start_, stream_), "reading its clock");
  }
  double stop_timer() override {
    check(api_.cuEventRecord(end_, stream_), "reading its clock");
    check(api_.cuEventSynchronize(end_), "running kernels");
    float milliseconds = 0;
    check(api_.cuEventElapsedTime(&milliseconds, start_, end_), "reading its clock");
    return 1e-3 * milliseconds;
  }

  [[nodiscard]] void* address(const GpuBuffer& buffer) const override {
    return reinterpret_cast<void*>(  // NOLINT(performance-no-int-to-ptr): the driver's addresses are integers
        static_cast<const Buffer&>(buffer).address);
  }
  [[nodiscard]] VendorLibrary* vendor() override { return vendor_.get(); }
  [[nodiscard]] double clock_hz() const override { return clock_ ? clock_->hz() : 0; }

  bool bind(GpuBuffer& buffer, void* memory, std::int64_t from) override {
    auto& bound = static_cast<Buffer&>(buffer);
    bound.address = memory == nullptr ? bound.own : as_address(memory) + static_cast<CuAddress>(from);
    return true;
  }
  void copy(const void* from, void* to, std::int64_t at, std::int64_t bytes) override {
    if (bytes == 0) return;
    check(api_.cuMemcpyDtoDAsync_v2(as_address(to) + static_cast<CuAddress>(at), as_address(from),
                                    static_cast<std::size_t>(bytes), stream_),
          "copying within it");
  }
  [[nodiscard]] void* within(void* memory, std::int64_t bytes) const override {
    return static_cast<char*>(memory) + bytes;
  }
  [[nodiscard]] std::unique_ptr<DeviceMemory> borrow(void* memory) override {
    return std::make_unique<Buffer>(api_, as_address(memory), true);
  }
  void enter(void* queue) override {
    make_current();
    // A copy from pageable memory is back before it has arrived, and streams of the caller's need not wait for it.
    if (std::exchange(uploaded_, false)) check(api_.cuStreamSynchronize(nullptr), "copying to it");
    stream_ = static_cast<CuStream>(queue);
    entered_ = queue;
  }
  void leave() override {
    stream_ = first_stream_;
    entered_.reset();
  }
  [[nodiscard]] std::optional<void*> entered() const override { return entered_; }
  void detour() override {
    if (entered_) follow(static_cast<CuStream>(*entered_), first_stream_);
    stream_ = first_stream_;
  }
  void end_detour() override {
    if (!entered_) return;
    follow(first_stream_, static_cast<CuStream>(*entered_));
    stream_ = static_cast<CuStream>(*entered_);
  }
  void fork(int queues) override {
    if (entered_) return;
    make_current();
    stream_ = first_stream_;
    forked_ = std::max(0, queues - 1);
    while (static_cast<int>(more_.size()) < forked_) {
      more_.emplace_back();  // close() releases what there is of it
      check(api_.cuStreamCreate(&more_.back().stream, 0), "opening a stream");
      check(api_.cuEventCreate(&more_.back().done, 0), "opening a stream");
    }
    if (forked_ == 0) return;
    check(api_.cuEventRecord(forked_at_, first_stream_), "marking a place");
    for (int q = 0; q < forked_; ++q)
      check(api_.cuStreamWaitEvent(more_[static_cast<std::size_t>(q)].stream, forked_at_, 0), "waiting for a stream");
  }
  void select(int queue) override {
    if (entered_) return;
    stream_ = queue == 0 ? first_stream_ : more_[static_cast<std::size_t>(queue) - 1].stream;
  }
  void join() override {
    if (entered_) return;
    stream_ = first_stream_;
    const int forked = std::exchange(forked_, 0);
    for (int q = 0; q < forked; ++q) {
      const MoreStream& one = more_[static_cast<std::size_t>(q)];
      check(api_.cuEventRecord(one.done, one.stream), "marking a place");
      check(api_.cuStreamWaitEvent(first_stream_, one.done, 0), "waiting for a stream");
    }
  }
  void finish() override {
    make_current();
    check(api_.cuStreamSynchronize(first_stream_), "running kernels");
  }
  [[nodiscard]] ResidentHandles handles() const override { return {"CUDA", context_, first_stream_}; }

 private:
  // A context is current on a thread; a plan may be called from any.
  void make_current() const { check(api_.cuCtxSetCurrent(context_), "taking it up"); }

  void check(CuStatus status, std::string_view doing) const {
    if (status != 0) refuse(api_, status, properties_.name, doing);
  }
  // What is queued in `late` from here on begins after what `early` has.
  void follow(CuStream early, CuStream late) {
    check(api_.cuEventRecord(forked_at_, early), "marking a place");
    check(api_.cuStreamWaitEvent(late, forked_at_, 0), "waiting for a stream");
  }
  void close() {
    for (CuModule module : modules_) api_.cuModuleUnload(module);
    if (start_ != nullptr) api_.cuEventDestroy_v2(start_);
    if (end_ != nullptr) api_.cuEventDestroy_v2(end_);
    for (const MoreStream& one : more_) {
      if (one.done != nullptr) api_.cuEventDestroy_v2(one.done);
      if (one.stream != nullptr) api_.cuStreamDestroy_v2(one.stream);
    }
    if (forked_at_ != nullptr) api_.cuEventDestroy_v2(forked_at_);
    if (first_stream_ != nullptr) api_.cuStreamDestroy_v2(first_stream_);
    api_.cuDevicePrimaryCtxRelease_v2(device_);
  }

  std::unique_ptr<GpuKernel> make_kernel(const GpuFunction& function, Precision precision, int offset_bits) override {
    CuModule module = built_in();
    if (module == nullptr) {
      const std::string binary = compile_with_nvrtc(function, precision, offset_bits, capability_);
      check(api_.cuModuleLoadData(&module, binary.data()), "loading a kernel");
      modules_.push_back(module);
    }
    const std::string symbol = cuda_symbol(function, precision, offset_bits);
    CuFunction loaded = nullptr;
    check(api_.cuModuleGetFunction(&loaded, module, symbol.c_str()), fmt::format("looking for {}", symbol));
    return std::make_unique<Kernel>(loaded);
  }
  // nullptr where the binary is not built in or has nothing for this device and driver.
  CuModule built_in() {
    if (std::exchange(tried_built_in_, true)) return built_in_;
    const auto binary = cuda_kernel_binary();
    if (binary.empty()) return nullptr;
    const CuStatus status = api_.cuModuleLoadData(&built_in_, binary.data());
    switch (static_cast<CuResult>(status)) {
      case CuResult::success: modules_.push_back(built_in_); return built_in_;
      case CuResult::no_binary_for_gpu:
      case CuResult::invalid_image:
      case CuResult::unsupported_ptx_version: built_in_ = nullptr; return nullptr;
      default: check(status, "loading the kernels"); return nullptr;
    }
  }

  const CudaApi& api_;
  CuDeviceNumber device_;
  DeviceProperties properties_;
  int capability_ = 0;
  std::int64_t most_groups_ = 1;
  CuContext context_ = nullptr;
  CuStream stream_ = nullptr, first_stream_ = nullptr;  // in use, and the one that is timed
  std::vector<MoreStream> more_;
  int forked_ = 0;  // of them, since fork()
  std::optional<void*> entered_;
  bool uploaded_ = false;  // since a stream of the caller's was entered
  CuEvent forked_at_ = nullptr;
  CuEvent start_ = nullptr, end_ = nullptr;
  bool tried_built_in_ = false;
  CuModule built_in_ = nullptr;
  std::vector<CuModule> modules_;
  std::unique_ptr<VendorLibrary> vendor_;
  std::unique_ptr<NvmlClock> clock_;
};
}  // namespace

std::vector<DeviceProperties> cuda_devices(std::string* why) {
  std::string missing;
  std::vector<DeviceProperties> found;
  if (const CudaApi* api = cuda_api(&missing)) {
    int count = 0;
    api->cuDeviceGetCount(&count);
    for (int number = 0; number < count; ++number) {
      CuDeviceNumber device = 0;
      if (api->cuDeviceGet(&device, number) == 0) found.push_back(cuda_properties(*api, device, number));
    }
    missing = "the NVIDIA driver sees no GPU";
  }
  if (found.empty() && why != nullptr) *why = fmt::format("{}; {}", missing, get_cuda);
  return found;
}

std::unique_ptr<GpuRuntime> open_cuda(int number) {
  std::string missing;
  const CudaApi* api = cuda_api(&missing);
  if (api == nullptr)
    throw Error(ErrorCode::unavailable, fmt::format("cuda:{} is not present: {}", number, missing), {}, get_cuda);
  CuDeviceNumber device = 0;
  if (api->cuDeviceGet(&device, number) != 0)
    throw Error(ErrorCode::unavailable, fmt::format("cuda:{} is not present", number), {},
                wording::ask("devices") + " lists the GPUs that the driver sees");
  return std::make_unique<CudaRuntime>(*api, device, number);
}
}  // namespace sparsecast::hardware
