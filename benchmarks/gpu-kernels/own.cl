// OpenCL text of the kernels in own.cu that OpenCL devices measure, too; compiled for PTX by clang.

__kernel void vector_add(__global const float *a, __global const float *b, __global float *c, int n) {
  int i = get_global_id(0);
  if (i < n) c[i] = a[i] + b[i];
}

__kernel void saxpy(float alpha, __global const float *x, __global float *y, int n) {
  int i = get_global_id(0);
  if (i < n) y[i] = alpha * x[i] + y[i];
}

__kernel void block_reduce(__global const float *x, __global float *partial) {
  __local float sums[256];
  int t = get_local_id(0);
  sums[t] = x[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int half_size = 128; half_size > 0; half_size /= 2) {
    if (t < half_size) sums[t] += sums[t + half_size];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0) partial[get_group_id(0)] = sums[0];
}

__kernel void transpose_padded(__global const float *in, __global float *out, int n) {
  __local float tile[32][33];
  int tx = get_local_id(0), ty = get_local_id(1);
  int x = get_group_id(0) * 32 + tx, y = get_group_id(1) * 32 + ty;
  for (int j = 0; j < 32; j += 8) tile[ty + j][tx] = in[(y + j) * n + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  x = get_group_id(1) * 32 + tx;
  y = get_group_id(0) * 32 + ty;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[tx][ty + j];
}

__kernel void stencil5(__global const float *in, __global float *out, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
    out[y * n + x] = 0.2f * (in[y * n + x] + in[y * n + x - 1] + in[y * n + x + 1] + in[(y - 1) * n + x] + in[(y + 1) * n + x]);
}

__kernel void matmul_naive(__global const float *a, __global const float *b, __global float *c, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}

__kernel void fir(__global const float *in, __global const float *taps, __global float *out, int n) {
  int i = get_global_id(0);
  float sum = 0;
  for (int t = 0; t < 64; ++t) sum += taps[t] * in[i + t];
  if (i < n) out[i] = sum;
}

__kernel void mandelbrot(__global float *out, int width, int iterations) {
  int x = get_global_id(0), y = get_global_id(1);
  float cr = -2.0f + 3.0f * x / width, ci = -1.5f + 3.0f * y / width, zr = 0, zi = 0;
  for (int k = 0; k < iterations; ++k) {
    float next = zr * zr - zi * zi + cr;
    zi = 2.0f * zr * zi + ci;
    zr = min(max(next, -4.0f), 4.0f);
  }
  out[y * width + x] = zr + zi;
}

__kernel void pointer_chase(__global const int *next, __global int *out, int steps) {
  int at = get_local_id(0);
  for (int k = 0; k < steps; ++k) at = next[at];
  out[get_local_id(0)] = at;
}
