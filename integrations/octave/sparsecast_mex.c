/* Plans for Octave: what sparsecast_plan.m calls. A handle travels as a uint64.
 *
 *   handle = sparsecast_mex ("plan", A, name, value, …)      y = sparsecast_mex ("times", handle, x, op)
 *   info = sparsecast_mex ("info", handle)                   sparsecast_mex ("free", handle) */
#include <math.h>
#include <mex.h>
#include <sparsecast.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void need(int status) {
  if (status != SPARSECAST_OK) mexErrMsgIdAndTxt("sparsecast:error", "sparsecast: %s", sparsecast_error_text());
}

static sparsecast_plan *plan_of(const mxArray *handle) {
  if (!mxIsUint64(handle) || mxGetNumberOfElements(handle) != 1) mexErrMsgTxt("sparsecast: that is not a plan");
  return (sparsecast_plan *)(uintptr_t)*(const uint64_t *)mxGetData(handle);
}

/* A file's, or Octave's, whose columns are the rows of the transpose. Nothing of it is read after the call. */
static sparsecast_matrix *matrix_of(const mxArray *a) {
  sparsecast_matrix *transposed, *matrix;
  if (mxIsChar(a)) {
    need(sparsecast_matrix_read(mxArrayToString(a), &matrix));
    sparsecast_csr arrays = {.struct_size = sizeof arrays};
    const int status = sparsecast_matrix_csr(matrix, &arrays);
    const bool real = status == SPARSECAST_OK && arrays.value_type == SPARSECAST_DOUBLE;
    if (!real) sparsecast_matrix_free(matrix);
    need(status);
    if (!real) mexErrMsgTxt("sparsecast: the values of the file are complex, and plans in Octave are of real ones");
    return matrix;
  }
  if (!mxIsSparse(a) || !mxIsDouble(a) || mxIsComplex(a))
    mexErrMsgTxt("sparsecast: the matrix must be sparse, of real numbers in double precision");
  const int32_t index = sizeof(mwIndex) == 8 ? SPARSECAST_INT64 : SPARSECAST_INT32;
  const mwIndex *starts = mxGetJc(a);
  const sparsecast_csr columns = {.struct_size = sizeof columns, .rows = (int64_t)mxGetN(a), .cols = (int64_t)mxGetM(a),
                                  .nonzeros = (int64_t)starts[mxGetN(a)], .row_pointers = starts,
                                  .column_indices = mxGetIr(a), .values = mxGetPr(a), .row_pointer_type = index,
                                  .column_index_type = index, .value_type = SPARSECAST_DOUBLE};
  need(sparsecast_matrix_borrow(&columns, &transposed));
  const int status = sparsecast_matrix_transpose(transposed, &matrix);
  sparsecast_matrix_free(transposed);
  need(status);
  return matrix;
}

static int find(const char *name, const char *const *names, int count) {
  int at = 0;
  while (at < count && strcmp(name, names[at]) != 0) ++at;
  return at;
}

static int64_t whole_number(const char *name, const mxArray *value) {
  const bool one = (mxIsNumeric(value) || mxIsLogical(value)) && !mxIsComplex(value) && mxGetNumberOfElements(value) == 1;
  const double number = one ? mxGetScalar(value) : -1;
  if (!(number >= 0 && number <= 2147483647 && floor(number) == number))
    mexErrMsgIdAndTxt("sparsecast:error", "sparsecast: %s must be a whole number from 0 to 2147483647", name);
  return (int64_t)number;
}

static void set_option(sparsecast_plan_options *options, const char *name, const mxArray *value) {
  static const char *const text_names[] = {"device", "profile", "kernel", "trials", "model", "kernels", "products"};
  const char **const texts[] = {&options->device, &options->profile, &options->kernel,  &options->trials,
                                &options->model,  &options->kernels, &options->products};
  static const char *const number_names[] = {"threads", "iterations", "vectors", "transposed", "no_store"};
  const int count = sizeof text_names / sizeof *text_names, numbers = sizeof number_names / sizeof *number_names;
  const int text = find(name, text_names, count), number = find(name, number_names, numbers);
  if (text < count) {
    if (!mxIsChar(value)) mexErrMsgIdAndTxt("sparsecast:error", "sparsecast: %s must be a text", name);
    *texts[text] = mxArrayToString(value); /* Octave frees it after the call */
    return;
  }
  if (number == numbers)
    mexErrMsgIdAndTxt("sparsecast:error",
                      "sparsecast: no option is called '%s': device, profile, kernel, trials, model, kernels, "
                      "products, threads, iterations, vectors, transposed, no_store",
                      name);
  const int64_t given = whole_number(name, value);
  switch (number) {
    case 0: options->threads = (int32_t)given; break;
    case 1: options->iterations = given; break;
    case 2: options->vectors = given; break;
    case 3: options->transposed = given != 0; break;
    default: options->no_store = given != 0;
  }
}

static mxArray *new_plan(int count, const mxArray **arguments) {
  sparsecast_plan_options options = {.struct_size = sizeof options};
  if (!mexIsLocked()) mexLock(); /* "clear all" must not take the library away from under plans */
  if (count % 2 == 0) mexErrMsgTxt("sparsecast: options are given by name and value");
  for (int i = 1; i < count; i += 2) {
    char name[32] = "";
    if (!mxIsChar(arguments[i])) mexErrMsgTxt("sparsecast: options are given by name and value");
    mxGetString(arguments[i], name, sizeof name);
    set_option(&options, name, arguments[i + 1]);
  }
  sparsecast_matrix *matrix = matrix_of(arguments[0]);
  sparsecast_plan *plan;
  const int status = sparsecast_plan_create(matrix, &options, &plan);
  sparsecast_matrix_free(matrix);
  need(status);
  mxArray *handle = mxCreateNumericMatrix(1, 1, mxUINT64_CLASS, mxREAL);
  *(uint64_t *)mxGetData(handle) = (uintptr_t)plan;
  return handle;
}

static sparsecast_strategy info_of(const sparsecast_plan *plan) {
  sparsecast_strategy info = {.struct_size = sizeof info};
  need(sparsecast_plan_info(plan, &info));
  return info;
}

static mxArray *product(const sparsecast_plan *plan, const mxArray *x, int op) {
  const sparsecast_strategy info = info_of(plan);
  const int64_t in = op == SPARSECAST_NORMAL ? info.cols : info.rows, out = op == SPARSECAST_NORMAL ? info.rows : info.cols;
  const int64_t entries = (int64_t)mxGetM(x), vectors = (int64_t)mxGetN(x);
  if (mxIsSparse(x) || !mxIsDouble(x) || mxIsComplex(x) || mxGetNumberOfDimensions(x) != 2)
    mexErrMsgTxt("sparsecast: a plan multiplies full vectors of real numbers in double precision");
  if (entries != in)
    mexErrMsgIdAndTxt("Octave:nonconformant-args", "sparsecast: a plan of %lld columns times a matrix of %lld rows",
                      (long long)in, (long long)entries);
  mxArray *y = mxCreateDoubleMatrix((mwSize)out, (mwSize)vectors, mxREAL);
  if (vectors == 1)
    need(sparsecast_apply(plan, op, 1, mxGetPr(x), entries, 0, mxGetPr(y), out));
  else if (vectors > 1)
    need(sparsecast_apply_block(plan, op, SPARSECAST_COLUMN_MAJOR, vectors, 1, mxGetPr(x), in * vectors, 0, 0,
                                mxGetPr(y), out * vectors, 0));
  return y;
}

static mxArray *told(const sparsecast_plan *plan) {
  const sparsecast_strategy info = info_of(plan);
  static const char *const names[] = {"rows",  "cols",    "nonzeros", "kernels", "predicted_s",
                                      "bytes", "threads", "device",   "reason"};
  const int count = sizeof names / sizeof *names;
  mxArray *all = mxCreateStructMatrix(1, 1, count, (const char **)names), *kernels = mxCreateCellMatrix(1, (mwSize)info.blocks);
  for (int64_t b = 0; b < info.blocks; ++b) {
    sparsecast_planned_block block = {.struct_size = sizeof block};
    need(sparsecast_plan_block(plan, b, &block));
    mxSetCell(kernels, (mwIndex)b, mxCreateString(block.kernel));
  }
  mxArray *const values[] = {mxCreateDoubleScalar((double)info.rows), mxCreateDoubleScalar((double)info.cols),
                             mxCreateDoubleScalar((double)info.nonzeros), kernels,
                             mxCreateDoubleScalar(info.predicted_s), mxCreateDoubleScalar((double)info.bytes),
                             mxCreateDoubleScalar(info.threads), mxCreateString(info.device),
                             mxCreateString(info.reason)};
  for (int i = 0; i < count; ++i) mxSetFieldByNumber(all, 0, i, values[i]);
  return all;
}

void mexFunction(int results, mxArray **result, int count, const mxArray **arguments) {
  char what[8] = "";
  (void)results;
  if (count > 1) mxGetString(arguments[0], what, sizeof what);
  if (strcmp(what, "plan") == 0)
    result[0] = new_plan(count - 1, arguments + 1);
  else if (strcmp(what, "times") == 0 && count == 4)
    result[0] = product(plan_of(arguments[1]), arguments[2], (int)mxGetScalar(arguments[3]));
  else if (strcmp(what, "info") == 0)
    result[0] = told(plan_of(arguments[1]));
  else if (strcmp(what, "free") == 0)
    need(sparsecast_plan_free(plan_of(arguments[1])));
  else
    mexErrMsgTxt("sparsecast: call sparsecast_plan");
}
