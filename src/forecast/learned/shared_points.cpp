#include "forecast/learned/shared_points.hpp"

#include <bit>
#include <cstdint>
#include <numbers>

#include "formats/simd/simd.hpp"

namespace sparsecast::forecast {
namespace {
constexpr Eigen::Index block_points = 32;  // whose sums stay in registers
constexpr int most_together = 5;           // covariances in one pass over the points: as many as processes

// exp(−x) for x ≥ 0 in operations that every lane of a vector can do: 2ⁿ times e^r, |r| ≤ ln 2 / 2, whose series is
// exact to the last place of a float after the seventh power.
SPARSECAST_INLINE float exp_of_minus(float x) {
  constexpr float to_integer = 1.5F * (1 << 23);  // what is added to it loses its fraction
  constexpr float high = 355.F / 512;             // ln 2 in two parts (Cody & Waite): products with n are exact
  constexpr float low = static_cast<float>(std::numbers::ln2 - 355. / 512);
  constexpr float inverse_factorials[] = {1.F / 720, 1.F / 120, 1.F / 24, 1.F / 6, 1.F / 2, 1, 1};
  x = -(x < 80 ? x : 80);
  const float n = (x * std::numbers::log2e_v<float> + to_integer) - to_integer;
  const float r = x - n * high - n * low;
  float p = 1.F / 5040;
  for (const float c : inverse_factorials) p = p * r + c;
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
      case formats::Simd::avx512: return pass_avx512<covariances>;
      case formats::Simd::avx2: return pass_avx2<covariances>;
      case formats::Simd::portable: break;
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
