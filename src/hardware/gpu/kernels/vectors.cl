// What conjugate gradients do with vectors beside the product. Factors stay on the device: `factors` holds a, b, r·r
// and d·A·d. Sums are the same every time: each group leaves its part, and one group adds the parts in order.

KERNEL(dot_parts)
(WIDE count, GLOBAL const VALUE* RESTRICT u, GLOBAL const VALUE* RESTRICT v, GLOBAL VALUE* RESTRICT parts) {
  LOCAL_ARRAY(VALUE, sums, GROUP);
  VALUE own = 0;
  for (WIDE i = GROUP_ID() * GROUP + LOCAL_ID(); i < count; i += GROUP_COUNT() * GROUP) own += u[i] * v[i];
  const VALUE sum = sum_of_group(own, sums);
  if (LOCAL_ID() == 0) parts[GROUP_ID()] = sum;
}

// One group. Stage 0: r·r of the first residual; 1: d·A·d and a = r·r / d·A·d; 2: r·r and b = its share of the one before.
KERNEL(cg_factors)
(WIDE stage, WIDE count, GLOBAL const VALUE* RESTRICT parts, GLOBAL VALUE* RESTRICT factors) {
  LOCAL_ARRAY(VALUE, sums, GROUP);
  VALUE own = 0;
  for (WIDE i = LOCAL_ID(); i < count; i += GROUP) own += parts[i];
  const VALUE sum = sum_of_group(own, sums);
  if (LOCAL_ID() != 0) return;
  const VALUE rr = factors[2];
  if (stage == 0) {
    factors[2] = factors[3] = sum;
  } else if (stage == 1) {
    // A negative d·A·d stays to be seen.
    if (factors[3] >= 0) factors[3] = sum;
    factors[0] = sum > 0 ? rr / sum : 0;
  } else {
    factors[1] = rr > 0 ? sum / rr : 0;
    factors[2] = sum;
  }
}

// r −= a·q, and the parts of r·r.
KERNEL(cg_residual)
(WIDE count, GLOBAL const VALUE* RESTRICT factors, GLOBAL const VALUE* RESTRICT q, GLOBAL VALUE* RESTRICT r,
 GLOBAL VALUE* RESTRICT parts) {
  LOCAL_ARRAY(VALUE, sums, GROUP);
  const VALUE a = factors[0];
  VALUE own = 0;
  for (WIDE i = GROUP_ID() * GROUP + LOCAL_ID(); i < count; i += GROUP_COUNT() * GROUP) {
    const VALUE next = r[i] - a * q[i];
    r[i] = next;
    own += next * next;
  }
  const VALUE sum = sum_of_group(own, sums);
  if (LOCAL_ID() == 0) parts[GROUP_ID()] = sum;
}

// x += a·d, d = r + b·d
KERNEL(cg_step)
(WIDE count, GLOBAL const VALUE* RESTRICT factors, GLOBAL const VALUE* RESTRICT r, GLOBAL VALUE* RESTRICT x,
 GLOBAL VALUE* RESTRICT d) {
  const VALUE a = factors[0], b = factors[1];
  for (WIDE i = GROUP_ID() * GROUP + LOCAL_ID(); i < count; i += GROUP_COUNT() * GROUP) {
    const VALUE before = d[i];
    x[i] += a * before;
    d[i] = r[i] + b * before;
  }
}
