// The second half of vector_loops_set.hpp, which includes it: passes of several updates and of whole bases. No #pragma
// once.

struct StepTwice {
  double a, w;
  const double *p, *s, *t, *g;
  double *x, *r;
  Sum rr, gr;
  template <class T>
  SPARSECAST_SET void at(std::int64_t i) {
    SPARSECAST_TAKE(of_p, p);
    SPARSECAST_TAKE(of_s, s);
    SPARSECAST_TAKE(of_t, t);
    SPARSECAST_TAKE(of_g, g);
    SPARSECAST_TAKE(of_x, x);
    SPARSECAST_TAKE(of_r, r);
    of_x += a * of_p + w * of_s;
    of_r -= w * of_t;
    put(of_x, x + i);
    put(of_r, r + i);
    rr.add(of_r * of_r);
    gr.add(of_g * of_r);
  }
};
SPARSECAST_SET_ENTRY TwoSums step_twice(std::int64_t count, double a, double w, const double* p, const double* s,
                                        const double* t, const double* g, double* x, double* r) {
  StepTwice body{a, w, p, s, t, g, x, r, {}, {}};
  each(count, body);
  return {body.rr.total(), body.gr.total()};
}

template <Stores stores>
struct Relax {
  const double *b, *q, *m;
  double* x;
  Sum rr;
  template <class T>
  SPARSECAST_SET void at(std::int64_t i) {
    SPARSECAST_TAKE(of_b, b);
    SPARSECAST_TAKE(of_q, q);
    SPARSECAST_TAKE(of_m, m);
    SPARSECAST_TAKE(of_x, x);
    of_b -= of_q;
    rr.add(of_b * of_b);
    of_x += of_m * of_b;
    hand_over<stores>(of_x, x + i);
  }
};
template <Stores stores>
SPARSECAST_SET_ENTRY double relax(std::int64_t count, const double* b, const double* q, const double* m, double* x) {
  Relax<stores> body{b, q, m, x, {}};
  each_handed<stores>(count, body);
  return body.rr.total();
}

template <Stores stores>
struct Accelerate {
  double a, c;
  const double* z;
  double *d, *x;
  template <class T>
  SPARSECAST_SET void at(std::int64_t i) {
    SPARSECAST_TAKE(of_z, z);
    SPARSECAST_TAKE(of_d, d);
    SPARSECAST_TAKE(of_x, x);
    of_d = a * of_d + c * of_z;
    of_x += of_d;
    hand_over<stores>(of_d, d + i);
    put(of_x, x + i);
  }
};
template <Stores stores>
SPARSECAST_SET_ENTRY void accelerate(std::int64_t count, double a, double c, const double* z, double* d, double* x) {
  Accelerate<stores> body{a, c, z, d, x};
  each_handed<stores>(count, body);
}

template <Stores stores>
struct AccelerateScaled {
  double a, c;
  const double *m, *r;
  double *d, *x;
  template <class T>
  SPARSECAST_SET void at(std::int64_t i) {
    SPARSECAST_TAKE(of_m, m);
    SPARSECAST_TAKE(of_r, r);
    SPARSECAST_TAKE(of_d, d);
    SPARSECAST_TAKE(of_x, x);
    of_d = a * of_d + c * (of_m * of_r);
    of_x += of_d;
    hand_over<stores>(of_d, d + i);
    put(of_x, x + i);
  }
};
template <Stores stores>
SPARSECAST_SET_ENTRY void accelerate_scaled(std::int64_t count, double a, double c, const double* m, const double* r,
                                            double* d, double* x) {
  AccelerateScaled<stores> body{a, c, m, r, d, x};
  each_handed<stores>(count, body);
}

template <Stores stores>
struct Normalise {
  double a, l;
  const double* y;
  double* x;
  Sum rest;
  template <class T>
  SPARSECAST_SET void at(std::int64_t i) {
    SPARSECAST_TAKE(of_y, y);
    SPARSECAST_TAKE(of_x, x);
    of_x = of_y - l * of_x;
    rest.add(of_x * of_x);
    of_y *= a;
    hand_over<stores>(of_y, x + i);
  }
};
template <Stores stores>
SPARSECAST_SET_ENTRY double normalise(std::int64_t count, double a, double l, const double* y, double* x) {
  Normalise<stores> body{a, l, y, x, {}};
  each_handed<stores>(count, body);
  return body.rest.total();
}

// Absolute values and a comparison: left to the compiler's own ways.
SPARSECAST_SET_ENTRY TwoSums teleport(std::int64_t count, double c, double k, const double* y, const double* m,
                                      double* x, double* s) {
  double change = 0, dangling = 0;
#pragma omp simd reduction(+ : change, dangling)
  for (std::int64_t i = 0; i < count; ++i) {
    const double z = c * y[i] + k, difference = z - x[i];
    change += difference < 0 ? -difference : difference;
    dangling += m[i] == 0 ? z : 0;
    x[i] = z;
    s[i] = m[i] * z;
  }
  return {change, dangling};
}

template <int vectors>
struct Project {
  const double* v[vectors];
  const double* w;
  Sum sums[vectors];
  template <class T>
  SPARSECAST_SET void at(std::int64_t i) {
    SPARSECAST_TAKE(of_w, w);
    for (int j = 0; j < vectors; ++j) {
      SPARSECAST_TAKE(of_v, v[j]);
      sums[j].add(of_v * of_w);
    }
  }
};
template <int vectors>
SPARSECAST_SET void project_on(std::int64_t count, const double* const* v, const double* w, double* h) {
  Project<vectors> body{{}, w, {}};
  for (int j = 0; j < vectors; ++j) body.v[j] = v[j];
  each(count, body);
  for (int j = 0; j < vectors; ++j) h[j] = body.sums[j].total();
}
SPARSECAST_SET_ENTRY void project(std::int64_t count, int vectors, const double* const* v, const double* w, double* h) {
  switch (vectors) {
    case 1: return project_on<1>(count, v, w, h);
    case 2: return project_on<2>(count, v, w, h);
    case 3: return project_on<3>(count, v, w, h);
    default: return project_on<4>(count, v, w, h);
  }
}

template <int vectors>
struct Combine {
  const double* v[vectors];
  double h[vectors];
  double* w;
  Sum ww;
  template <class T>
  SPARSECAST_SET void at(std::int64_t i) {
    SPARSECAST_TAKE(of_w, w);
    for (int j = 0; j < vectors; ++j) {
      SPARSECAST_TAKE(of_v, v[j]);
      of_w += h[j] * of_v;
    }
    ww.add(of_w * of_w);
    put(of_w, w + i);
  }
};
template <int vectors>
SPARSECAST_SET double combine_with(std::int64_t count, const double* const* v, const double* h, double* w) {
  Combine<vectors> body{{}, {}, w, {}};
  for (int j = 0; j < vectors; ++j) {
    body.v[j] = v[j];
    body.h[j] = h[j];
  }
  each(count, body);
  return body.ww.total();
}
SPARSECAST_SET_ENTRY double combine(std::int64_t count, int vectors, const double* const* v, const double* h,
                                    double* w) {
  switch (vectors) {
    case 1: return combine_with<1>(count, v, h, w);
    case 2: return combine_with<2>(count, v, h, w);
    case 3: return combine_with<3>(count, v, h, w);
    default: return combine_with<4>(count, v, h, w);
  }
}

// A vector as an operand that other threads read next: y of update, scale and times, s, p, d, x of relax and normalise.
template <Stores stores>
constexpr VectorLoops all_loops{dot,
                                dot_and_square,
                                update<stores>,
                                scale<stores>,
                                times<stores>,
                                update_and_square,
                                update_and_weigh,
                                update_and_times<stores>,
                                step_and_turn<stores>,
                                step_and_turn_scaled<stores>,
                                turn<stores>,
                                turn_scaled<stores>,
                                step_twice,
                                relax<stores>,
                                accelerate<stores>,
                                accelerate_scaled<stores>,
                                normalise<stores>,
                                teleport,
                                project,
                                combine};
