#include "forecast/learned/shared_points.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

#include "formats/simd/simd.hpp"

namespace sparsecast::forecast {
namespace {

constexpr Eigen::Index block_points = 32;  // whose sums stay in registers
constexpr int most_together = 5;           // covariances in one pass over the points: as many as processes

// exp(−x) for x ≥ 0 in operations that every lane of a vector can do: 2ⁿ times a polynomial (Moshier's Cephes, expf).
SPARSECAST_INLINE float exp_of_minus(float x) {
  constexpr float to_integer = 12582912.0F;  // 1.5·2²³: what is added to it loses its fraction
  x = -(x < 80.0F ? x : 80.0F);
  const float n = (x * 1.44269504F + to_integer) - to_integer;
  const float r = x - n * 0.693359375F + n * 2.12194440e-4F;
  float p = 1.9875691500e-4F;
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = p * r * r + r + 1.0F;
  return p * std::bit_cast<float>((static_cast<std::int32_t>(n) + 127) << 23);
}

struct Pass {
  const float* x;  // points × features
  Eigen::Index stride, features;
  const float* point;
  const float* weights;  // features × covariances
  float* out;            // points × covariances
};

template <int covariances>
SPARSECAST_INLINE void pass_over(const Pass& pass) {
  for (Eigen::Index first = 0; first < pass.stride; first += block_points) {
    float sums[covariances][block_points] = {};
    for (Eigen::Index j = 0; j < pass.features; ++j) {
      const float* x = pass.x + j * pass.stride + first;
      const float at = pass.point[j];
      float squares[block_points];
#pragma omp simd
      for (Eigen::Index i = 0; i < block_points; ++i) squares[i] = (x[i] - at) * (x[i] - at);
      for (int c = 0; c < covariances; ++c) {
        const float weight = pass.weights[c * pass.features + j];
#pragma omp simd
        for (Eigen::Index i = 0; i < block_points; ++i) sums[c][i] += weight * squares[i];
      }
    }
    for (int c = 0; c < covariances; ++c) {
      float* out = pass.out + c * pass.stride + first;
#pragma omp simd
      for (Eigen::Index i = 0; i < block_points; ++i) {
        const float d = __builtin_sqrtf(sums[c][i]);
        out[i] = (1 + d) * exp_of_minus(d);
      }
    }
  }
}

template <int covariances>
void pass_portable(const Pass& pass) {
  pass_over<covariances>(pass);
}
#if SPARSECAST_X86
template <int covariances>
SPARSECAST_AVX2 void pass_avx2(const Pass& pass) {
  pass_over<covariances>(pass);
}
template <int covariances>
SPARSECAST_AVX512 void pass_avx512(const Pass& pass) {
  pass_over<covariances>(pass);
}
#endif

template <int covariances>
void run(const Pass& pass) {
#if SPARSECAST_X86
  static const auto best = [] {
    switch (formats::best_simd()) {
      case formats::Simd::avx512:
        return pass_avx512<covariances>;
      case formats::Simd::avx2:
        return pass_avx2<covariances>;
      case formats::Simd::portable:
        break;
    }
    return pass_portable<covariances>;
  }();
  best(pass);
#else
  pass_portable<covariances>(pass);
#endif
}

}  // namespace

SharedPoints::SharedPoints(const Eigen::MatrixXd& x, const std::vector<Eigen::VectorXd>& lengths)
    : points_(x.rows()),
      x_(Eigen::MatrixXf::Zero((x.rows() + block_points - 1) / block_points * block_points, x.cols())),
      weights_(x.cols(), static_cast<Eigen::Index>(lengths.size())) {
  x_.topRows(points_) = x.cast<float>();
  for (std::size_t c = 0; c < lengths.size(); ++c)
    weights_.col(static_cast<Eigen::Index>(c)) = (3 / lengths[c].array().square()).cast<float>();
  if (points_ == 0) return;
  low_ = x.colwise().minCoeff();
  high_ = x.colwise().maxCoeff();
}

Eigen::ArrayXXd SharedPoints::correlations(const Eigen::RowVectorXd& point) const {
  const Eigen::RowVectorXf at = point.cast<float>();
  Eigen::MatrixXf all(x_.rows(), weights_.cols());
  Eigen::Index c = 0;
  const auto pass = [&] {
    return Pass{x_.data(), x_.rows(), x_.cols(), at.data(), weights_.col(c).data(), all.col(c).data()};
  };
  for (; c + most_together <= weights_.cols(); c += most_together) run<most_together>(pass());
  for (; c < weights_.cols(); ++c) run<1>(pass());
  return all.topRows(points_).array().cast<double>();
}

}  // namespace sparsecast::forecast
