#pragma once
// What the rows of the table of kernels (*_kernels.cpp) refer to: one builder per kernel, in its format's *_host.cpp.
// `threads` ≥ 1 is the number of parts that the work is cut into; it may exceed the rows.

#include <memory>

#include "formats/host_product.hpp"
#include "formats/sell.hpp"

namespace sparsecast::formats {

template <class Value>
std::unique_ptr<HostProduct<Value>> build_csr(const Matrix& matrix, int threads);
template <class Value>
std::unique_ptr<HostProduct<Value>> build_csr_scalar(const Matrix& matrix, int threads);
template <class Value>
std::unique_ptr<HostProduct<Value>> build_csr_merge(const Matrix& matrix, int threads);
template <class Value>
std::unique_ptr<HostProduct<Value>> build_ell(const Matrix& matrix, int threads);
template <class Value>
std::unique_ptr<HostProduct<Value>> build_coo(const Matrix& matrix, int threads);
template <class Value>
std::unique_ptr<HostProduct<Value>> build_hyb(const Matrix& matrix, int threads);
template <class Value>
std::unique_ptr<HostProduct<Value>> build_jad(const Matrix& matrix, int threads);
template <class Value, SellShape shape>  // one of those in sell.hpp
std::unique_ptr<HostProduct<Value>> build_sell(const Matrix& matrix, int threads);
template <class Value>
std::unique_ptr<HostProduct<Value>> build_dia(const Matrix& matrix, int threads);
template <class Value>
std::unique_ptr<HostProduct<Value>> build_bsr(const Matrix& matrix, int threads);
template <class Value>
std::unique_ptr<HostProduct<Value>> build_csr_sym(const Matrix& matrix, int threads);
template <class Value>
std::unique_ptr<HostProduct<Value>> build_sell_sym(const Matrix& matrix, int threads);
template <class Value>
std::unique_ptr<HostProduct<Value>> build_csr_delta(const Matrix& matrix, int threads);

}  // namespace sparsecast::formats
