#include "result_memory.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <sparsecast/array.hpp>

namespace sparsecast::python {
namespace {

constexpr std::size_t most_kept = std::size_t{64} << 20, least_kept = std::size_t{64} << 10;
constexpr std::size_t huge_page = std::size_t{2} << 20, line = 64;

// Before the entries, so that the size does not hang on what NumPy believes it to be.
struct Header {
  std::size_t bytes;  // of the whole block
};

struct Block {
  void* memory = nullptr;
  std::size_t bytes = 0;
};

// Blocks that were let go, the oldest first. Whoever finds it busy does without: also a child of fork(), in which
// another thread's turn never ends.
class Pool {
 public:
  void* take(std::size_t bytes) noexcept {
    const std::unique_lock turn(mutex_, std::try_to_lock);
    if (!turn) return nullptr;
    for (std::size_t i = count_; i-- > 0;)
      if (blocks_[i].bytes == bytes) return remove(i);
    return nullptr;
  }
  bool keep(void* memory, std::size_t bytes) noexcept {
    const std::unique_lock turn(mutex_, std::try_to_lock);
    if (!turn || bytes > most_kept) return false;
    while (kept_ + bytes > most_kept || count_ == blocks_.size()) std::free(remove(0));
    blocks_[count_++] = {memory, bytes};
    kept_ += bytes;
    return true;
  }

 private:
  void* remove(std::size_t i) noexcept {
    const Block found = blocks_[i];
    std::move(blocks_.begin() + static_cast<std::ptrdiff_t>(i) + 1,
              blocks_.begin() + static_cast<std::ptrdiff_t>(count_), blocks_.begin() + static_cast<std::ptrdiff_t>(i));
    --count_;
    kept_ -= found.bytes;
    return found.memory;
  }

  std::mutex mutex_;
  std::array<Block, 64> blocks_;
  std::size_t count_ = 0, kept_ = 0;
};

Pool& pool() {
  static Pool* const one = new Pool;  // arrays may outlive everything that is destroyed at the end
  return *one;
}

void* entries_behind(void* block, std::size_t bytes) noexcept {
  if (block == nullptr) return nullptr;
  new (block) Header{bytes};
  return static_cast<char*>(block) + line;
}

void* block_of(void* entries) noexcept { return static_cast<char*>(entries) - line; }

void* allocate(void* /*context*/, std::size_t size) noexcept {
  if (size > static_cast<std::size_t>(PTRDIFF_MAX) - 2 * huge_page) return nullptr;
  // Half a huge page and more: in whole ones, which are touched with one fault each.
  const std::size_t unit = size >= huge_page / 2 ? huge_page : line, bytes = (size + line + unit - 1) / unit * unit;
  void* block = bytes >= least_kept ? pool().take(bytes) : nullptr;
  if (block == nullptr) {
    block = std::aligned_alloc(unit, bytes);
    if (block != nullptr && unit == huge_page) prefer_huge_pages(block, bytes);
  }
  return entries_behind(block, bytes);
}

void* allocate_zeros(void* context, std::size_t count, std::size_t size) noexcept {
  void* entries =
      size != 0 && count > static_cast<std::size_t>(PTRDIFF_MAX) / size ? nullptr : allocate(context, count * size);
  if (entries != nullptr) std::memset(entries, 0, count * size);
  return entries;
}

void release(void* /*context*/, void* entries, std::size_t /*size*/) noexcept {
  if (entries == nullptr) return;
  void* block = block_of(entries);
  const std::size_t bytes = static_cast<Header*>(block)->bytes;
  if (bytes < least_kept || !pool().keep(block, bytes)) std::free(block);
}

void* resize(void* context, void* entries, std::size_t size) noexcept {
  if (entries == nullptr) return allocate(context, size);
  if (size > static_cast<std::size_t>(PTRDIFF_MAX) - line) return nullptr;
  return entries_behind(std::realloc(block_of(entries), size + line), size + line);
}

PyDataMem_Handler handler = {"sparsecast", 1, {nullptr, allocate, allocate_zeros, resize, release}};

// Arrays that are made while it lives have their memory from here.
class UseHandler {
 public:
  UseHandler() {
    static PyObject* const ours = PyCapsule_New(&handler, "mem_handler", nullptr);
    before_ = ours == nullptr ? nullptr : PyDataMem_SetHandler(ours);
    if (before_ == nullptr) throw nb::python_error();
  }
  ~UseHandler() {
    Py_XDECREF(PyDataMem_SetHandler(before_));
    Py_DECREF(before_);
  }
  UseHandler& operator=(UseHandler&&) = delete;  // nor copied

 private:
  PyObject* before_;
};

nb::object make(int dimensions, npy_intp* shape, int type_number, bool by_columns) {
  nb::object made = nb::steal(PyArray_EMPTY(dimensions, shape, type_number, by_columns ? 1 : 0));
  if (!made.is_valid()) throw nb::python_error();
  return made;
}

}  // namespace

nb::object new_result(std::int64_t rows, std::int64_t vectors, int type_number, bool by_columns) {
  npy_intp shape[2] = {static_cast<npy_intp>(rows), static_cast<npy_intp>(vectors)};
  const int dimensions = vectors < 0 ? 1 : 2;
  const double entries = static_cast<double>(rows) * static_cast<double>(std::max<std::int64_t>(vectors, 1));
  if (entries * sizeof(float) < static_cast<double>(least_kept) / 2)
    return make(dimensions, shape, type_number, by_columns);
  const UseHandler memory;
  return make(dimensions, shape, type_number, by_columns);
}

}  // namespace sparsecast::python
