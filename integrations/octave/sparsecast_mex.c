/* Plans for Octave: what sparsecast_plan.m calls. A handle travels as a uint64.
 *
 *   handle = sparsecast_mex ("plan", A, name, value, …)      y = sparsecast_mex ("times", handle, x, op)
 *   info = sparsecast_mex ("info", handle)                   sparsecast_mex ("free", handle) */
#include <mex.h>
#include <sparsecast.h>
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

static void set_option(sparsecast_plan_options *options, const char *name, const mxArray *value) {
  const char **const texts[] = {&options->device, &options->profile, &options->kernel, &options->trials,
                               &options->model, &options->kernels};
  static const char *const text_names[] = {"device", "profile", "kernel", "trials", "model", "kernels"};
  for (size_t i = 0; i < sizeof text_names / sizeof *text_names; ++i)
    if (strcmp(name, text_names[i]) == 0 && mxIsChar(value)) {
      *texts[i] = mxArrayToString(value); /* Octave frees it after the call */
      return;
    }
  if (mxIsChar(value) || mxGetNumberOfElements(value) != 1) mexErrMsgTxt("sparsecast: an option's value must be a number");
  const double number = mxGetScalar(value);
  if (strcmp(name, "threads") == 0)
    options->threads = (int32_t)number;
  else if (strcmp(name, "iterations") == 0)
    options->iterations = (int64_t)number;
  else if (strcmp(name, "vectors") == 0)
    options->vectors = (int64_t)number;
  else if (strcmp(name, "transposed") == 0)
    options->transposed = number != 0;
  else
    mexErrMsgIdAndTxt("sparsecast:error",
                      "sparsecast: no option is called %s: device, profile, kernel, trials, model, kernels, threads, iterations, vectors, transposed",
                      name);
}

static mxArray *new_plan(int count, const mxArray **arguments) {
  sparsecast_plan_options options = {.struct_size = sizeof options};
  if (!mexIsLocked()) mexLock(); /* "clear all" must not take the library away from under plans */
  for (int i = 1; i + 1 < count; i += 2) {
    char name[32] = "";
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
