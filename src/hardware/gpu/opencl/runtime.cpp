#include "hardware/gpu/opencl/runtime.hpp"

// GpuRuntime over OpenCL 1.2: kernels are compiled when first used; what the driver made of them is kept in the store.

#include <fmt/format.h>
#include <algorithm>
#include <sparsecast/error.hpp>

#include "base/text.hpp"
#include "fields/precision.hpp"
#include "fields/wording.hpp"
#include "hardware/gpu/gpu_kernels.hpp"
#include "hardware/gpu/gpu_product.hpp"
#include "hardware/gpu/opencl/program_cache.hpp"
#include "hardware/gpu/opencl/query.hpp"

namespace sparsecast::hardware {
namespace {
constexpr const char* get_opencl =
    "install the OpenCL driver of your GPU, or pocl-opencl-icd, which runs OpenCL on the CPU";

[[noreturn]] void refuse(cl_int status, const std::string& device, std::string_view doing) {
  switch (status) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_HOST_MEMORY:
      throw Error(ErrorCode::too_large, fmt::format("too large: {} is out of memory while {}", device, doing), {},
                  "free memory on the device or use a smaller matrix; what was measured so far is kept");
    case CL_OUT_OF_RESOURCES:
      throw Error(ErrorCode::failed,
                  fmt::format("{} is out of resources while {} (OpenCL error {})", device, doing, status), {},
                  "end other programs on the device, or restart its driver; what was measured so far is kept");
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_DEVICE_NOT_FOUND:
      throw Error(ErrorCode::failed, fmt::format("{} was lost while {} (OpenCL error {})", device, doing, status), {},
                  "restart its driver and run again; what was measured so far is kept");
    default:
      throw Error(ErrorCode::failed, fmt::format("OpenCL error {} on {} while {}", status, device, doing), {},
                  wording::ask("check_device") + " checks whether the device works; what was measured so far is kept");
  }
}

struct Buffer final : GpuBuffer {
  Buffer(const OpenClApi& functions, cl_mem memory) : api(functions), own(memory), handle(memory) {}
  ~Buffer() override { api.clReleaseMemObject(own); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  const OpenClApi& api;
  cl_mem own, handle;  // handle: what launches take, the caller's while bound
};

struct Kernel final : GpuKernel {
  Kernel(const OpenClApi& functions, cl_program built, cl_kernel made) : api(functions), program(built), handle(made) {}
  ~Kernel() override {
    api.clReleaseKernel(handle);
    api.clReleaseProgram(program);
  }
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
  const OpenClApi& api;
  cl_program program;
  cl_kernel handle;
};

class OpenClRuntime final : public GpuRuntime {
 public:
  /// `context`: the caller's, of that device; nullptr: one of its own.
  OpenClRuntime(const OpenClApi& api, const OpenClDevice& device, const DeviceProperties& properties,
                cl_context context = nullptr)
      : api_(api), opened_(device), device_(device.id), properties_(properties) {
    cl_int status = CL_SUCCESS;
    const cl_context_properties platform[] = {CL_CONTEXT_PLATFORM,
                                              reinterpret_cast<cl_context_properties>(device.platform), 0};
    if (context == nullptr) {
      context_ = api_.clCreateContext(platform, 1, &device_, nullptr, nullptr, &status);
    } else {
      status = api_.clRetainContext(context);
      context_ = context;
    }
    check(status, "opening it");
    queue_ = first_queue_ = api_.clCreateCommandQueue(context_, device_, CL_QUEUE_PROFILING_ENABLE, &status);
    if (status != CL_SUCCESS) {
      api_.clReleaseContext(context_);
      check(status, "opening it");
    }
    const std::string extensions = device_text(api_, device_, CL_DEVICE_EXTENSIONS);
    has_shuffles_ = extensions.find("cl_khr_subgroup_shuffle") != std::string::npos;
    has_double_ = extensions.find("cl_khr_fp64") != std::string::npos;
  }
  ~OpenClRuntime() override {
    forget_events();
    kernels_.clear();
    for (cl_command_queue queue : more_queues_) api_.clReleaseCommandQueue(queue);
    api_.clReleaseCommandQueue(first_queue_);
    api_.clReleaseContext(context_);
  }
  OpenClRuntime(const OpenClRuntime&) = delete;
  OpenClRuntime& operator=(const OpenClRuntime&) = delete;

  [[nodiscard]] const DeviceProperties& properties() const override { return properties_; }
  [[nodiscard]] std::int64_t largest_buffer() const override {
    return static_cast<std::int64_t>(properties_.limits.at("max_allocation_bytes"));
  }
  // The size of a launch is a size_t; a billion groups keep group × size far inside every device's address width.
  [[nodiscard]] std::int64_t most_groups() const override {
    return device_value(api_, device_, CL_DEVICE_ADDRESS_BITS, cl_uint{64}) == 32 ? 1 << 23 : 1 << 30;
  }

  std::unique_ptr<GpuBuffer> allocate(std::int64_t bytes) override {
    if (bytes > largest_buffer())
      throw Error(ErrorCode::too_large, fmt::format("too large: an array of {} where {} allows {} in one piece",
                                                    base::format_bytes(static_cast<double>(bytes)), properties_.name,
                                                    base::format_bytes(static_cast<double>(largest_buffer()))));
    cl_int status = CL_SUCCESS;
    cl_mem memory = api_.clCreateBuffer(context_, CL_MEM_READ_WRITE,
                                        static_cast<std::size_t>(std::max<std::int64_t>(bytes, 16)), nullptr, &status);
    check(status, "allocating memory");
    ++allocations_;
    return std::make_unique<Buffer>(api_, memory);
  }
  void upload(GpuBuffer& to, const void* from, std::int64_t bytes) override {
    if (bytes == 0) return;
    check(api_.clEnqueueWriteBuffer(queue_, static_cast<Buffer&>(to).handle, CL_TRUE, 0,
                                    static_cast<std::size_t>(bytes), from, 0, nullptr, nullptr),
          "copying to it");
  }
  void download(const GpuBuffer& from, void* to, std::int64_t bytes) override {
    if (bytes == 0) return;
    check(api_.clEnqueueReadBuffer(queue_, static_cast<const Buffer&>(from).handle, CL_TRUE, 0,
                                   static_cast<std::size_t>(bytes), to, 0, nullptr, nullptr),
          "copying from it");
  }

  void launch(GpuKernel& kernel, std::int64_t groups, std::span<const GpuArgument> arguments) override {
    cl_kernel handle = static_cast<Kernel&>(kernel).handle;
    cl_uint position = 0;
    for (const GpuArgument& argument : arguments) {
      const cl_int status =
          std::holds_alternative<std::int64_t>(argument)
              ? api_.clSetKernelArg(handle, position, sizeof(cl_long), &std::get<std::int64_t>(argument))
              : api_.clSetKernelArg(handle, position, sizeof(cl_mem),
                                    &static_cast<const Buffer*>(std::get<const GpuBuffer*>(argument))->handle);
      check(status, "setting an argument");
      ++position;
    }
    keep_order();
    const std::size_t local = gpu_group_size, global = local * static_cast<std::size_t>(groups);
    cl_event done = nullptr;
    const bool timed = queue_ == first_queue_;
    check(api_.clEnqueueNDRangeKernel(queue_, handle, 1, nullptr, &global, &local, 0, nullptr, timed ? &done : nullptr),
          "starting a kernel");
    if (!timed) return;
    if (last_ != nullptr && last_ != first_) api_.clReleaseEvent(last_);
    if (first_ == nullptr) first_ = done;
    last_ = done;
  }

  void start_timer() override {
    queue_ = first_queue_;
    check(api_.clFinish(queue_), "waiting for it");
    forget_events();
  }
  double stop_timer() override {
    check(api_.clFinish(queue_), "running kernels");
    if (first_ == nullptr) return 0;
    cl_ulong start = 0, end = 0;
    check(api_.clGetEventProfilingInfo(first_, CL_PROFILING_COMMAND_START, sizeof start, &start, nullptr),
          "reading its clock");
    check(api_.clGetEventProfilingInfo(last_, CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr),
          "reading its clock");
    forget_events();
    return end > start ? 1e-9 * static_cast<double>(end - start) : 0;
  }

  [[nodiscard]] void* address(const GpuBuffer& buffer) const override {
    return static_cast<const Buffer&>(buffer).handle;
  }
  bool bind(GpuBuffer& buffer, void* memory, std::int64_t from) override {
    if (memory != nullptr && from != 0) return false;
    auto& bound = static_cast<Buffer&>(buffer);
    bound.handle = memory == nullptr ? bound.own : static_cast<cl_mem>(memory);
    return true;
  }
  void copy(const void* from, void* to, std::int64_t at, std::int64_t bytes) override {
    if (bytes == 0) return;
    // A cl_mem is a handle: copying from an array changes nothing of it.
    keep_order();
    auto* source = static_cast<cl_mem>(const_cast<void*>(from));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
    check(api_.clEnqueueCopyBuffer(queue_, source, static_cast<cl_mem>(to), 0, static_cast<std::size_t>(at),
                                   static_cast<std::size_t>(bytes), 0, nullptr, nullptr),
          "copying within it");
  }
  [[nodiscard]] std::unique_ptr<DeviceMemory> borrow(void* memory) override {
    check(api_.clRetainMemObject(static_cast<cl_mem>(memory)), "taking up an array");
    return std::make_unique<Buffer>(api_, static_cast<cl_mem>(memory));
  }
  [[nodiscard]] std::unique_ptr<Device> in_context(void* context) override {
    auto* theirs = static_cast<cl_context>(context);
    if (theirs == context_) return nullptr;
    std::size_t bytes = 0;
    check(api_.clGetContextInfo(theirs, CL_CONTEXT_DEVICES, 0, nullptr, &bytes), "looking into a context");
    std::vector<cl_device_id> devices(bytes / sizeof(cl_device_id));
    check(api_.clGetContextInfo(theirs, CL_CONTEXT_DEVICES, bytes, devices.data(), nullptr), "looking into a context");
    if (std::ranges::find(devices, device_) == devices.end())
      throw Error(ErrorCode::usage, "the context of the arrays does not include " + properties_.name, {},
                  "create the context with the plan's device");
    return gpu_device(std::make_unique<OpenClRuntime>(api_, opened_, properties_, theirs));
  }
  void enter(void* queue) override {
    auto* theirs = static_cast<cl_command_queue>(queue);
    cl_context context = nullptr;
    cl_device_id device = nullptr;
    cl_command_queue_properties kind = 0;
    check(
        api_.clGetCommandQueueInfo(theirs, CL_QUEUE_CONTEXT, sizeof(cl_context), static_cast<void*>(&context), nullptr),
        "looking into a queue");
    check(
        api_.clGetCommandQueueInfo(theirs, CL_QUEUE_DEVICE, sizeof(cl_device_id), static_cast<void*>(&device), nullptr),
        "looking into a queue");
    check(api_.clGetCommandQueueInfo(theirs, CL_QUEUE_PROPERTIES, sizeof kind, &kind, nullptr), "looking into a queue");
    if (context != context_ || device != device_)
      throw Error(ErrorCode::usage, "the queue is of another context or device than the plan's " + properties_.name, {},
                  "create the queue from that context and the plan's device");
    out_of_order_ = (kind & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
    queue_ = entered_ = theirs;
  }
  void leave() override {
    cl_command_queue theirs = std::exchange(entered_, nullptr);
    queue_ = first_queue_;
    if (theirs == nullptr) return;
    // A queue without an order has all that it is given from here on after what it was given here.
    const cl_int status =
        out_of_order_ ? api_.clEnqueueBarrierWithWaitList(theirs, 0, nullptr, nullptr) : cl_int{CL_SUCCESS};
    out_of_order_ = false;
    check(status, "waiting for a queue");
    check(api_.clFlush(theirs), "starting kernels");
  }
  [[nodiscard]] std::optional<void*> entered() const override {
    return entered_ == nullptr ? std::nullopt : std::optional<void*>(entered_);
  }
  void fork(int queues) override {
    if (entered_ != nullptr) return;
    queue_ = first_queue_;
    forked_ = std::max(0, queues - 1);
    while (static_cast<int>(more_queues_.size()) < forked_) {
      cl_int status = CL_SUCCESS;
      more_queues_.push_back(api_.clCreateCommandQueue(context_, device_, 0, &status));
      if (status != CL_SUCCESS) more_queues_.pop_back();
      check(status, "opening a queue");
    }
    if (forked_ == 0) return;
    cl_event before = nullptr;
    check(api_.clEnqueueMarkerWithWaitList(first_queue_, 0, nullptr, &before), "marking a place");
    check(api_.clFlush(first_queue_), "starting kernels");
    for (int q = 0; q < forked_; ++q)
      check(api_.clEnqueueBarrierWithWaitList(more_queues_[static_cast<std::size_t>(q)], 1, &before, nullptr),
            "waiting for a queue");
    api_.clReleaseEvent(before);
  }
  void select(int queue) override {
    if (entered_ != nullptr) return;
    queue_ = queue == 0 ? first_queue_ : more_queues_[static_cast<std::size_t>(queue) - 1];
  }
  void join() override {
    if (entered_ != nullptr) return;
    queue_ = first_queue_;
    const int forked = std::exchange(forked_, 0);
    for (int q = 0; q < forked; ++q) {
      cl_command_queue queue = more_queues_[static_cast<std::size_t>(q)];
      cl_event done = nullptr;
      check(api_.clEnqueueMarkerWithWaitList(queue, 0, nullptr, &done), "marking a place");
      check(api_.clFlush(queue), "starting kernels");
      check(api_.clEnqueueBarrierWithWaitList(first_queue_, 1, &done, nullptr), "waiting for a queue");
      api_.clReleaseEvent(done);
    }
    check(api_.clFlush(first_queue_), "starting kernels");
  }
  void finish() override { check(api_.clFinish(first_queue_), "running kernels"); }
  [[nodiscard]] ResidentHandles handles() const override { return {"OpenCL", context_, first_queue_}; }

 private:
  void check(cl_int status, std::string_view doing) const {
    if (status != CL_SUCCESS) refuse(status, properties_.name, doing);
  }
  void keep_order() const {
    if (out_of_order_) check(api_.clEnqueueBarrierWithWaitList(queue_, 0, nullptr, nullptr), "waiting for a queue");
  }
  void forget_events() {
    if (last_ != nullptr && last_ != first_) api_.clReleaseEvent(last_);
    if (first_ != nullptr) api_.clReleaseEvent(first_);
    first_ = last_ = nullptr;
  }

  std::unique_ptr<GpuKernel> make_kernel(const GpuFunction& function, Precision precision, int offset_bits) override {
    if (precision == Precision::double_ && !has_double_)
      throw Error(ErrorCode::unavailable, fmt::format("{} has no double precision", properties_.name), {},
                  wording::format("use {}", wording::option("precision", Precision::single_)));
    if (has_shuffles_) {
      auto with = build(function, precision, offset_bits, true);
      if (sub_group_size(with->handle) % properties_.warp_size == 0) return with;
    }
    return build(function, precision, offset_bits, false);
  }

  // Shuffles stay within a sub-group, whose size only the built kernel tells; 1 where it does not.
  [[nodiscard]] int sub_group_size(cl_kernel kernel) const {
    constexpr cl_kernel_info sub_group_size_for_range = 0x2033;  // CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, OpenCL 2.1
    if (api_.clGetKernelSubGroupInfo == nullptr) return 1;
    const std::size_t local = gpu_group_size;
    std::size_t size = 0;
    const cl_int status = api_.clGetKernelSubGroupInfo(kernel, device_, sub_group_size_for_range, sizeof local, &local,
                                                       sizeof size, &size, nullptr);
    return status == CL_SUCCESS && size > 0 ? static_cast<int>(size) : 1;
  }

  std::unique_ptr<Kernel> build(const GpuFunction& function, Precision precision, int offset_bits, bool shuffles) {
    const GpuSource source = gpu_source(function, "opencl.h", precision, offset_bits, properties_.warp_size);
    // The default OpenCL C of 1.2; sub-groups came with 2.0 and are an extension of 3.0.
    std::string options = shuffles ? "-cl-std=CL3.0 -D SUBGROUP_SHUFFLE" : "-cl-std=CL1.2";
    for (const std::string& macro : source.macros) options += " -D " + macro;

    const ProgramCache cache(properties_.model + '\n' + properties_.driver + '\n' + options + '\n' + source.text);
    cl_program program = from_binary(cache.load(), options);
    if (program == nullptr) {
      const char* text = source.text.c_str();
      const std::size_t length = source.text.size();
      cl_int status = CL_SUCCESS;
      program = api_.clCreateProgramWithSource(context_, 1, &text, &length, &status);
      check(status, "reading a kernel text");
      if (api_.clBuildProgram(program, 1, &device_, options.c_str(), nullptr, nullptr) != CL_SUCCESS) {
        const std::string log = build_log(program);
        api_.clReleaseProgram(program);
        throw Error(ErrorCode::failed,
                    fmt::format("the OpenCL compiler of {} refuses {}: {}", properties_.name, function.name, log), {},
                    "update the driver");
      }
      cache.store(binary(program));
    }
    cl_int status = CL_SUCCESS;
    cl_kernel kernel = api_.clCreateKernel(program, std::string(function.name).c_str(), &status);
    if (status != CL_SUCCESS) {
      api_.clReleaseProgram(program);
      check(status, fmt::format("preparing {}", function.name));
    }
    return std::make_unique<Kernel>(api_, program, kernel);
  }

  // nullptr where the driver does not take it (an update, a damaged file): then the text is compiled again.
  cl_program from_binary(const std::string& bytes, const std::string& options) const {
    if (bytes.empty()) return nullptr;
    const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
    const std::size_t size = bytes.size();
    cl_int status = CL_SUCCESS, taken = CL_SUCCESS;
    cl_program program = api_.clCreateProgramWithBinary(context_, 1, &device_, &size, &data, &taken, &status);
    if (status != CL_SUCCESS || program == nullptr) return nullptr;
    if (taken == CL_SUCCESS &&
        api_.clBuildProgram(program, 1, &device_, options.c_str(), nullptr, nullptr) == CL_SUCCESS)
      return program;
    api_.clReleaseProgram(program);
    return nullptr;
  }
  [[nodiscard]] std::string binary(cl_program program) const {
    std::size_t size = 0;
    if (api_.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr) != CL_SUCCESS) return {};
    std::string bytes(size, '\0');
    char* data = bytes.data();
    if (api_.clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof data, static_cast<void*>(&data), nullptr) !=
        CL_SUCCESS)
      return {};
    return bytes;
  }
  [[nodiscard]] std::string build_log(cl_program program) const {
    std::size_t size = 0;
    api_.clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
    std::string log(size, '\0');
    api_.clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
    // One line is what an error may be: the first that speaks of one.
    const std::size_t error = log.find("error");
    const std::size_t begin = error == std::string::npos ? 0 : log.rfind('\n', error) + 1;
    return log.substr(begin, log.find('\n', begin) - begin);
  }

  const OpenClApi& api_;
  OpenClDevice opened_;
  cl_device_id device_;
  DeviceProperties properties_;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr, first_queue_ = nullptr;  // in use, and the one that is timed
  std::vector<cl_command_queue> more_queues_;
  int forked_ = 0;  // of them, since fork()
  cl_command_queue entered_ = nullptr;
  bool out_of_order_ = false;  // the queue that was entered
  bool has_shuffles_ = false, has_double_ = false;
  cl_event first_ = nullptr, last_ = nullptr;
};
}  // namespace

std::vector<DeviceProperties> opencl_devices(std::string* why) {
  std::string missing;
  std::vector<DeviceProperties> found;
  if (const OpenClApi* api = opencl_api(&missing)) {
    for (const OpenClDevice& device : find_opencl_devices(*api))
      found.push_back(opencl_properties(*api, device, static_cast<int>(found.size())));
    missing = "no OpenCL device";
  }
  if (found.empty() && why != nullptr) *why = fmt::format("{}; {}", missing, get_opencl);
  return found;
}

std::unique_ptr<GpuRuntime> open_opencl(int number) {
  std::string missing;
  const OpenClApi* api = opencl_api(&missing);
  if (api == nullptr)
    throw Error(ErrorCode::unavailable, fmt::format("opencl:{} is not present: {}", number, missing), {}, get_opencl);
  const std::vector<OpenClDevice> devices = find_opencl_devices(*api);
  if (number < 0 || number >= static_cast<int>(devices.size()))
    throw Error(ErrorCode::unavailable,
                fmt::format("opencl:{} is not present: {} OpenCL {} found", number, devices.size(),
                            devices.size() == 1 ? "device was" : "devices were"),
                {}, devices.empty() ? wording::Text(get_opencl) : wording::ask("devices") + " lists them");
  const OpenClDevice& device = devices[static_cast<std::size_t>(number)];
  return std::make_unique<OpenClRuntime>(*api, device, opencl_properties(*api, device, number));
}
}  // namespace sparsecast::hardware
