// The loops of vector_loops.cpp for one instruction set. Included once for each, with SPARSECAST_SET, its attribute for
// functions that are inlined, and SPARSECAST_SET_ENTRY for those that are called. No #pragma once.
//
// Eight doubles are taken at a time, in as many registers as that needs: sums have several additions under way even
// where a register holds two. Bodies are templates over what one step takes, eight doubles or, at the end, one.

SPARSECAST_SET void take(Eight& to, const double* from) { __builtin_memcpy(&to, from, sizeof to); }
SPARSECAST_SET void take(double& to, const double* from) { to = *from; }
SPARSECAST_SET void put(const Eight& from, double* to) { __builtin_memcpy(to, &from, sizeof from); }
SPARSECAST_SET void put(const double& from, double* to) { *to = from; }

// What other threads read next, past the caches where the stores say so; rows left over as ever.
template <Stores stores>
SPARSECAST_SET void hand_over(const Eight& from, double* to) {
  if constexpr (stores == Stores::around)
    put_around(from, to);
  else
    put(from, to);
}
template <Stores stores>
SPARSECAST_SET void hand_over(const double& from, double* to) {
  put(from, to);
}

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

template <class Body>
SPARSECAST_SET void each(std::int64_t count, Body& body) {
  std::int64_t i = 0;
  for (; i + 8 <= count; i += 8) body.template at<Eight>(i);
  for (; i < count; ++i) body.template at<double>(i);
}
// The same with stores that are seen by other threads once it returns.
template <Stores stores, class Body>
SPARSECAST_SET void each_handed(std::int64_t count, Body& body) {
  each(count, body);
  if constexpr (stores == Stores::around) fence();
}

// A value of the vector at `from + i`, in the type of the step.
#define SPARSECAST_TAKE(name, from) \
  T name;                           \
  take(name, (from) + i)

struct Dot {
  const double *x, *y;
  Sum xy;
  template <class T>
  SPARSECAST_SET void at(std::int64_t i) {
    SPARSECAST_TAKE(a, x);
    SPARSECAST_TAKE(b, y);
    xy.add(a * b);
  }
};
SPARSECAST_SET_ENTRY double dot(std::int64_t count, const double* x, const double* y) {
  Dot body{x, y, {}};
  each(count, body);
  return body.xy.total();
}

struct DotAndSquare {
  const double *x, *y;
  Sum xy, yy;
  template <class T>
  SPARSECAST_SET void at(std::int64_t i) {
    SPARSECAST_TAKE(a, x);
    SPARSECAST_TAKE(b, y);
    xy.add(a * b);
    yy.add(b * b);
  }
};
SPARSECAST_SET_ENTRY TwoSums dot_and_square(std::int64_t count, const double* x, const double* y) {
  DotAndSquare body{x, y, {}, {}};
  each(count, body);
  return {body.xy.total(), body.yy.total()};
}

template <Stores stores>
struct Update {
  double a;
  const double* x;
  double* y;
  template <class T>
  SPARSECAST_SET void at(std::int64_t i) {
    SPARSECAST_TAKE(of_x, x);
    SPARSECAST_TAKE(of_y, y);
    of_y += a * of_x;
    hand_over<stores>(of_y, y + i);
  }
};
template <Stores stores>
SPARSECAST_SET_ENTRY void update(std::int64_t count, double a, const double* x, double* y) {
  Update<stores> body{a, x, y};
  each_handed<stores>(count, body);
}

template <Stores stores>
struct Scale {
  double a;
  const double* x;
  double* y;
  template <class T>
  SPARSECAST_SET void at(std::int64_t i) {
    SPARSECAST_TAKE(of_x, x);
    of_x *= a;
    hand_over<stores>(of_x, y + i);
  }
};
template <Stores stores>
SPARSECAST_SET_ENTRY void scale(std::int64_t count, double a, const double* x, double* y) {
  Scale<stores> body{a, x, y};
  each_handed<stores>(count, body);
}

template <Stores stores>
struct Times {
  const double *m, *x;
  double* y;
  template <class T>
  SPARSECAST_SET void at(std::int64_t i) {
    SPARSECAST_TAKE(of_m, m);
    SPARSECAST_TAKE(of_x, x);
    of_x *= of_m;
    hand_over<stores>(of_x, y + i);
  }
};
template <Stores stores>
SPARSECAST_SET_ENTRY void times(std::int64_t count, const double* m, const double* x, double* y) {
  Times<stores> body{m, x, y};
  each_handed<stores>(count, body);
}

struct UpdateAndSquare {
  double a;
  const double* q;
  double* r;
  Sum rr;
  template <class T>
  SPARSECAST_SET void at(std::int64_t i) {
    SPARSECAST_TAKE(of_q, q);
    SPARSECAST_TAKE(of_r, r);
    of_r += a * of_q;
    rr.add(of_r * of_r);
    put(of_r, r + i);
  }
};
SPARSECAST_SET_ENTRY double update_and_square(std::int64_t count, double a, const double* q, double* r) {
  UpdateAndSquare body{a, q, r, {}};
  each(count, body);
  return body.rr.total();
}

struct UpdateAndWeigh {
  double a;
  const double *q, *m;
  double* r;
  Sum rr, weighed;
  template <class T>
  SPARSECAST_SET void at(std::int64_t i) {
    SPARSECAST_TAKE(of_q, q);
    SPARSECAST_TAKE(of_m, m);
    SPARSECAST_TAKE(of_r, r);
    of_r += a * of_q;
    put(of_r, r + i);
    const T square = of_r * of_r;
    rr.add(square);
    weighed.add(of_m * square);
  }
};
SPARSECAST_SET_ENTRY TwoSums update_and_weigh(std::int64_t count, double a, const double* q, const double* m,
                                              double* r) {
  UpdateAndWeigh body{a, q, m, r, {}, {}};
  each(count, body);
  return {body.rr.total(), body.weighed.total()};
}

template <Stores stores>
struct UpdateAndTimes {
  double a;
  const double *q, *m;
  double *r, *s;
  template <class T>
  SPARSECAST_SET void at(std::int64_t i) {
    SPARSECAST_TAKE(of_q, q);
    SPARSECAST_TAKE(of_m, m);
    SPARSECAST_TAKE(of_r, r);
    of_r += a * of_q;
    put(of_r, r + i);
    of_r *= of_m;
    hand_over<stores>(of_r, s + i);
  }
};
template <Stores stores>
SPARSECAST_SET_ENTRY void update_and_times(std::int64_t count, double a, const double* q, const double* m, double* r,
                                           double* s) {
  UpdateAndTimes<stores> body{a, q, m, r, s};
  each_handed<stores>(count, body);
}

template <Stores stores>
struct StepAndTurn {
  double a, b;
  const double* z;
  double *x, *p;
  template <class T>
  SPARSECAST_SET void at(std::int64_t i) {
    SPARSECAST_TAKE(of_z, z);
    SPARSECAST_TAKE(of_x, x);
    SPARSECAST_TAKE(of_p, p);
    of_x += a * of_p;
    put(of_x, x + i);
    of_p = of_z + b * of_p;
    hand_over<stores>(of_p, p + i);
  }
};
template <Stores stores>
SPARSECAST_SET_ENTRY void step_and_turn(std::int64_t count, double a, double b, const double* z, double* x, double* p) {
  StepAndTurn<stores> body{a, b, z, x, p};
  each_handed<stores>(count, body);
}

template <Stores stores>
struct StepAndTurnScaled {
  double a, b;
  const double *m, *r;
  double *x, *p;
  template <class T>
  SPARSECAST_SET void at(std::int64_t i) {
    SPARSECAST_TAKE(of_m, m);
    SPARSECAST_TAKE(of_r, r);
    SPARSECAST_TAKE(of_x, x);
    SPARSECAST_TAKE(of_p, p);
    of_x += a * of_p;
    put(of_x, x + i);
    of_p = of_m * of_r + b * of_p;
    hand_over<stores>(of_p, p + i);
  }
};
template <Stores stores>
SPARSECAST_SET_ENTRY void step_and_turn_scaled(std::int64_t count, double a, double b, const double* m, const double* r,
                                               double* x, double* p) {
  StepAndTurnScaled<stores> body{a, b, m, r, x, p};
  each_handed<stores>(count, body);
}

template <Stores stores>
struct Turn {
  double b, w;
  const double *r, *v;
  double* p;
  template <class T>
  SPARSECAST_SET void at(std::int64_t i) {
    SPARSECAST_TAKE(of_r, r);
    SPARSECAST_TAKE(of_v, v);
    SPARSECAST_TAKE(of_p, p);
    of_p = of_r + b * (of_p - w * of_v);
    hand_over<stores>(of_p, p + i);
  }
};
template <Stores stores>
SPARSECAST_SET_ENTRY void turn(std::int64_t count, double b, double w, const double* r, const double* v, double* p) {
  Turn<stores> body{b, w, r, v, p};
  each_handed<stores>(count, body);
}

template <Stores stores>
struct TurnScaled {
  double b, w;
  const double *r, *v, *m;
  double *p, *s;
  template <class T>
  SPARSECAST_SET void at(std::int64_t i) {
    SPARSECAST_TAKE(of_r, r);
    SPARSECAST_TAKE(of_v, v);
    SPARSECAST_TAKE(of_m, m);
    SPARSECAST_TAKE(of_p, p);
    of_p = of_r + b * (of_p - w * of_v);
    put(of_p, p + i);
    of_p *= of_m;
    hand_over<stores>(of_p, s + i);
  }
};
template <Stores stores>
SPARSECAST_SET_ENTRY void turn_scaled(std::int64_t count, double b, double w, const double* r, const double* v,
                                      const double* m, double* p, double* s) {
  TurnScaled<stores> body{b, w, r, v, m, p, s};
  each_handed<stores>(count, body);
}

#include "formats/simd/vector_loops_more.hpp"

#undef SPARSECAST_TAKE
