// The loops of vector_loops.cpp for one instruction set. Included once for each, with SPARSECAST_SET, its attribute for
// functions that are inlined, SPARSECAST_SET_STEP for steps, which are too, and SPARSECAST_SET_ENTRY for functions that
// are called. No #pragma once.
//
// Eight doubles are taken at a time, in as many registers as that needs: sums have several additions under way even
// where a register holds two. What is done to them is a generic function of the step, which takes eight or, at the end,
// one.

// A sum, eight at a time and those left over.
struct Sum {
  Eight eight{};
  double one = 0;

  SPARSECAST_SET void add(const Eight& value) { eight += value; }
  SPARSECAST_SET void add(const double& value) { one += value; }
  SPARSECAST_SET double total() const {
    double lanes[8];
    __builtin_memcpy(lanes, &eight, sizeof lanes);
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7])) + one;
  }
};

// Entries i of the vectors, or eight from i on.
template <class T>
struct Step {
  std::int64_t i;

  SPARSECAST_SET T operator()(const double* from) const {
    T value;
    __builtin_memcpy(&value, from + i, sizeof value);
    return value;
  }
  SPARSECAST_SET void put(const T& value, double* to) const { __builtin_memcpy(to + i, &value, sizeof value); }
  // What other threads read next, past the caches where the stores say so; rows left over as ever.
  template <Stores stores>
  SPARSECAST_SET void hand_over(const T& value, double* to) const {
    if constexpr (stores == Stores::around && sizeof(T) > sizeof(double))
      put_around(value, to + i);
    else
      put(value, to);
  }
};

template <class Body>
SPARSECAST_SET void each(std::int64_t count, const Body& body) {
  std::int64_t i = 0;
  for (; i + 8 <= count; i += 8) body(Step<Eight>{i});
  for (; i < count; ++i) body(Step<double>{i});
}
// The same with stores that are seen by other threads once it returns.
template <Stores stores, class Body>
SPARSECAST_SET void each_handed(std::int64_t count, const Body& body) {
  each(count, body);
  if constexpr (stores == Stores::around) fence();
}

SPARSECAST_SET_ENTRY double dot(std::int64_t count, const double* x, const double* y) {
  Sum xy;
  each(count, [&](auto at) SPARSECAST_SET_STEP { xy.add(at(x) * at(y)); });
  return xy.total();
}

SPARSECAST_SET_ENTRY TwoSums dot_and_square(std::int64_t count, const double* x, const double* y) {
  Sum xy, yy;
  each(count, [&](auto at) SPARSECAST_SET_STEP {
    const auto of_y = at(y);
    xy.add(at(x) * of_y);
    yy.add(of_y * of_y);
  });
  return {xy.total(), yy.total()};
}

template <Stores stores>
SPARSECAST_SET_ENTRY void update(std::int64_t count, double a, const double* x, double* y) {
  each_handed<stores>(count, [&](auto at) SPARSECAST_SET_STEP { at.template hand_over<stores>(at(y) + a * at(x), y); });
}

template <Stores stores>
SPARSECAST_SET_ENTRY void scale(std::int64_t count, double a, const double* x, double* y) {
  each_handed<stores>(count, [&](auto at) SPARSECAST_SET_STEP { at.template hand_over<stores>(a * at(x), y); });
}

template <Stores stores>
SPARSECAST_SET_ENTRY void times(std::int64_t count, const double* m, const double* x, double* y) {
  each_handed<stores>(count, [&](auto at) SPARSECAST_SET_STEP { at.template hand_over<stores>(at(m) * at(x), y); });
}

SPARSECAST_SET_ENTRY double update_and_square(std::int64_t count, double a, const double* q, double* r) {
  Sum rr;
  each(count, [&](auto at) SPARSECAST_SET_STEP {
    const auto of_r = at(r) + a * at(q);
    rr.add(of_r * of_r);
    at.put(of_r, r);
  });
  return rr.total();
}

SPARSECAST_SET_ENTRY TwoSums update_and_weigh(std::int64_t count, double a, const double* q, const double* m,
                                              double* r) {
  Sum rr, weighed;
  each(count, [&](auto at) SPARSECAST_SET_STEP {
    const auto of_r = at(r) + a * at(q), square = of_r * of_r;
    at.put(of_r, r);
    rr.add(square);
    weighed.add(at(m) * square);
  });
  return {rr.total(), weighed.total()};
}

template <Stores stores>
SPARSECAST_SET_ENTRY void update_and_times(std::int64_t count, double a, const double* q, const double* m, double* r,
                                           double* s) {
  each_handed<stores>(count, [&](auto at) SPARSECAST_SET_STEP {
    const auto of_r = at(r) + a * at(q);
    at.put(of_r, r);
    at.template hand_over<stores>(of_r * at(m), s);
  });
}

template <Stores stores>
SPARSECAST_SET_ENTRY void step_and_turn(std::int64_t count, double a, double b, const double* z, double* x, double* p) {
  each_handed<stores>(count, [&](auto at) SPARSECAST_SET_STEP {
    const auto of_z = at(z), of_p = at(p);
    at.put(at(x) + a * of_p, x);
    at.template hand_over<stores>(of_z + b * of_p, p);
  });
}

template <Stores stores>
SPARSECAST_SET_ENTRY void step_and_turn_scaled(std::int64_t count, double a, double b, const double* m, const double* r,
                                               double* x, double* p) {
  each_handed<stores>(count, [&](auto at) SPARSECAST_SET_STEP {
    const auto of_m = at(m), of_r = at(r), of_p = at(p);
    at.put(at(x) + a * of_p, x);
    at.template hand_over<stores>(of_m * of_r + b * of_p, p);
  });
}

template <Stores stores>
SPARSECAST_SET_ENTRY void turn(std::int64_t count, double b, double w, const double* r, const double* v, double* p) {
  each_handed<stores>(
      count, [&](auto at) SPARSECAST_SET_STEP { at.template hand_over<stores>(at(r) + b * (at(p) - w * at(v)), p); });
}

template <Stores stores>
SPARSECAST_SET_ENTRY void turn_scaled(std::int64_t count, double b, double w, const double* r, const double* v,
                                      const double* m, double* p, double* s) {
  each_handed<stores>(count, [&](auto at) SPARSECAST_SET_STEP {
    const auto of_p = at(r) + b * (at(p) - w * at(v));
    at.put(of_p, p);
    at.template hand_over<stores>(of_p * at(m), s);
  });
}

SPARSECAST_SET_ENTRY TwoSums step_twice(std::int64_t count, double a, double w, const double* p, const double* s,
                                        const double* t, const double* g, double* x, double* r) {
  Sum rr, gr;
  each(count, [&](auto at) SPARSECAST_SET_STEP {
    const auto of_g = at(g), of_r = at(r) - w * at(t);
    at.put(at(x) + (a * at(p) + w * at(s)), x);
    at.put(of_r, r);
    rr.add(of_r * of_r);
    gr.add(of_g * of_r);
  });
  return {rr.total(), gr.total()};
}

template <Stores stores>
SPARSECAST_SET_ENTRY double relax(std::int64_t count, const double* b, const double* q, const double* m, double* x) {
  Sum rr;
  each_handed<stores>(count, [&](auto at) SPARSECAST_SET_STEP {
    const auto residual = at(b) - at(q);
    rr.add(residual * residual);
    at.template hand_over<stores>(at(x) + at(m) * residual, x);
  });
  return rr.total();
}

template <Stores stores>
SPARSECAST_SET_ENTRY void accelerate(std::int64_t count, double a, double c, const double* z, double* d, double* x) {
  each_handed<stores>(count, [&](auto at) SPARSECAST_SET_STEP {
    const auto of_d = a * at(d) + c * at(z);
    at.template hand_over<stores>(of_d, d);
    at.put(at(x) + of_d, x);
  });
}

template <Stores stores>
SPARSECAST_SET_ENTRY void accelerate_scaled(std::int64_t count, double a, double c, const double* m, const double* r,
                                            double* d, double* x) {
  each_handed<stores>(count, [&](auto at) SPARSECAST_SET_STEP {
    const auto of_d = a * at(d) + c * (at(m) * at(r));
    at.template hand_over<stores>(of_d, d);
    at.put(at(x) + of_d, x);
  });
}

template <Stores stores>
SPARSECAST_SET_ENTRY double normalise(std::int64_t count, double a, double l, const double* y, double* x) {
  Sum rest;
  each_handed<stores>(count, [&](auto at) SPARSECAST_SET_STEP {
    const auto of_y = at(y), left = of_y - l * at(x);
    rest.add(left * left);
    at.template hand_over<stores>(a * of_y, x);
  });
  return rest.total();
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
SPARSECAST_SET void project_on(std::int64_t count, const double* const* v, const double* w, double* h) {
  Sum sums[vectors];
  each(count, [&](auto at) SPARSECAST_SET_STEP {
    const auto of_w = at(w);
    for (int j = 0; j < vectors; ++j) sums[j].add(at(v[j]) * of_w);
  });
  for (int j = 0; j < vectors; ++j) h[j] = sums[j].total();
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
SPARSECAST_SET double combine_with(std::int64_t count, const double* const* v, const double* h, double* w) {
  Sum ww;
  // Copies: w is written, and could be one of what these point to for all that the compiler knows.
  const double* of[vectors];
  double by[vectors];
  for (int j = 0; j < vectors; ++j) {
    of[j] = v[j];
    by[j] = h[j];
  }
  each(count, [&](auto at) SPARSECAST_SET_STEP {
    auto of_w = at(w);
    for (int j = 0; j < vectors; ++j) of_w += by[j] * at(of[j]);
    ww.add(of_w * of_w);
    at.put(of_w, w);
  });
  return ww.total();
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
