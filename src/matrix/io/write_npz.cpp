#include <fmt/format.h>
#include <zlib.h>
#include <algorithm>
#include <array>
#include <sparsecast/error.hpp>
#include <sparsecast/write.hpp>
#include <string>
#include <type_traits>

#include "base/files.hpp"
#include "base/interrupt.hpp"

// NumPy's arrays (its format description, version 1.0), stored in a zip archive with 64-bit sizes (APPNOTE 6.3.10,
// section 4.5.3), as scipy.sparse.save_npz names them.

namespace sparsecast {
namespace {
constexpr std::size_t step = std::size_t{1} << 26;  // bytes between two looks at an interruption

template <class T>
void put(std::string& out, std::uint64_t value) {
  const auto narrow = static_cast<T>(value);
  out.append(reinterpret_cast<const char*>(&narrow), sizeof narrow);
}

class NpzWriter {
 public:
  explicit NpzWriter(const std::filesystem::path& file) : file_(file, {.what = "matrix"}) {}

  void array(std::string_view name, std::string_view type, std::string_view shape, std::string_view bytes) {
    // The header and what stands before it fill lines of 64 bytes.
    std::string head = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", type, shape);
    head.resize((head.size() + 11 + 63) / 64 * 64 - 11, ' ');
    std::string text("\x93NUMPY\x01\0", 8);
    put<std::uint16_t>(text, head.size() + 1);
    text += head + '\n';
    member(fmt::format("{}.npy", name), text, bytes);
  }

  void finish() {
    const std::uint64_t at = written_;
    write(directory_);
    std::string end;
    put<std::uint32_t>(end, 0x06064b50);
    put<std::uint64_t>(end, 44);
    put<std::uint32_t>(end, version << 16 | version);
    put<std::uint64_t>(end, 0);  // one disk
    for (const std::uint64_t number : {members_, members_, std::uint64_t{directory_.size()}, at})
      put<std::uint64_t>(end, number);
    put<std::uint32_t>(end, 0x07064b50);
    put<std::uint32_t>(end, 0);
    put<std::uint64_t>(end, at + directory_.size());
    put<std::uint32_t>(end, 1);
    put<std::uint32_t>(end, 0x06054b50);
    put<std::uint32_t>(end, 0);
    end.append(12, '\xff');  // see the 64-bit end
    put<std::uint16_t>(end, 0);
    write(end);
    file_.finish();
  }

 private:
  static constexpr std::uint32_t version = 45;  // that knows 64-bit sizes
  base::AtomicFile file_;
  std::string directory_;
  std::uint64_t written_ = 0, members_ = 0;

  void write(std::string_view bytes) {
    written_ += bytes.size();
    for (; !bytes.empty(); bytes.remove_prefix(std::min(step, bytes.size()))) {
      base::throw_if_interrupted();
      file_.write(bytes.substr(0, step));
    }
  }

  void member(const std::string& name, std::string_view head, std::string_view bytes) {
    uLong checksum = crc32_z(0, reinterpret_cast<const Bytef*>(head.data()), head.size());
    if (!bytes.empty()) checksum = crc32_z(checksum, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
    const std::uint64_t size = head.size() + bytes.size();
    std::string local;
    for (const bool central : {false, true}) {
      std::string& to = central ? directory_ : local;
      put<std::uint32_t>(to, central ? 0x02014b50 : 0x04034b50);
      if (central) put<std::uint16_t>(to, version);
      put<std::uint16_t>(to, version);
      put<std::uint64_t>(to, std::uint64_t{0x00210000} << 16);  // as it is, on the first of 1980
      put<std::uint32_t>(to, checksum);
      to.append(8, '\xff');  // sizes: see the 64-bit ones
      put<std::uint16_t>(to, name.size());
      put<std::uint16_t>(to, central ? 28 : 20);
      if (central) to.append(10, '\0').append(4, '\xff');
      to += name;
      put<std::uint16_t>(to, 1);
      put<std::uint16_t>(to, central ? 24 : 16);
      put<std::uint64_t>(to, size);
      put<std::uint64_t>(to, size);
      if (central) put<std::uint64_t>(to, written_);
    }
    ++members_;
    write(local);
    write(head);
    write(bytes);
  }
};

template <class T>
std::string_view bytes_of(std::span<const T> numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()};
}
template <class T>
std::string type_of() {
  return fmt::format("<{}{}", std::is_integral_v<T> ? 'i' : 'f', sizeof(T));
}
}  // namespace

void write_npz(const Matrix& matrix, const std::filesystem::path& file) {
  if (matrix.is_complex())
    throw Error(ErrorCode::usage, matrix.name() + " has complex values, which are not written", {file.string()});
  matrix.visit([&]<class Value, class Offset, class Index>(const CsrSpans<Value, Offset, Index>& csr) {
    NpzWriter out(file);
    const std::array<std::int64_t, 2> shape{matrix.rows(), matrix.cols()};
    out.array("indices", type_of<Index>(), fmt::format("({},)", csr.column_indices.size()),
              bytes_of<Index>(csr.column_indices));
    out.array("indptr", type_of<Offset>(), fmt::format("({},)", csr.row_pointers.size()),
              bytes_of<Offset>(csr.row_pointers));
    out.array("format", "|S3", "()", "csr");
    out.array("shape", "<i8", "(2,)", bytes_of<std::int64_t>(shape));
    out.array("data", type_of<Value>(), fmt::format("({},)", csr.values.size()), bytes_of<Value>(csr.values));
    out.finish();
  });
}
}  // namespace sparsecast
