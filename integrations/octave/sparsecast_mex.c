/* Plans for Octave: what sparsecast_plan.m calls. A handle travels as a uint64.
 *
 *   handle = sparsecast_mex ("plan", A, name, value, …)      y = sparsecast_mex ("times", handle, x, op)
 *   info = sparsecast_mex ("info", handle)                   sparsecast_mex ("free", handle) */
#include <math.h>
#include <mex.h>
#include <sparsecast.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every error has this name and one line, with what to do. */
static void refuse(const char *reason, const char *remedy) {
  mexErrMsgIdAndTxt("sparsecast:error", "sparsecast: %s; %s", reason, remedy);
}

static void need(int status) {
  if (status != SPARSECAST_OK) mexErrMsgIdAndTxt("sparsecast:error", "sparsecast: %s", sparsecast_error_text());
}

/* What the last call said beside its answer, one line a warning. */
static void warn_of_remarks(void) {
  for (const char *line = sparsecast_remarks(); *line != 0;) {
    const size_t length = strcspn(line, "\n");
    mexWarnMsgIdAndTxt("sparsecast:remark", "sparsecast: %.*s", (int)length, line);
    line += length + (line[length] == '\n');
  }
}

static sparsecast_plan *plan_of(const mxArray *handle) {
  if (!mxIsUint64(handle) || mxGetNumberOfElements(handle) != 1) refuse("that is not a plan", "call sparsecast_plan");
  return (sparsecast_plan *)(uintptr_t)*(const uint64_t *)mxGetData(handle);
}

/* One line of characters, which Octave frees after the call. An empty one would mean what is not given. */
static char *text_of(const char *what, const mxArray *value) {
  if (!mxIsChar(value) || mxGetM(value) != 1 || mxGetN(value) == 0)
    mexErrMsgIdAndTxt("sparsecast:error", "sparsecast: %s must be a text of one line that is not empty", what);
  return mxArrayToString(value);
}

/* A file's, or Octave's, whose columns are the rows of the transpose. Nothing of it is read after the call. */
static sparsecast_matrix *matrix_of(const mxArray *a) {
  sparsecast_matrix *transposed, *matrix;
  if (mxIsChar(a)) {
    need(sparsecast_matrix_read(text_of("the name of a file", a), &matrix));
    warn_of_remarks();
    sparsecast_csr arrays = {.struct_size = sizeof arrays};
    const int status = sparsecast_matrix_csr(matrix, &arrays);
    const bool real = status == SPARSECAST_OK && arrays.value_type == SPARSECAST_DOUBLE;
    if (!real) sparsecast_matrix_free(matrix);
    need(status);
    if (!real) refuse("the values of the file are complex", "plan their real and their imaginary parts");
    return matrix;
  }
  if (mxIsComplex(a)) refuse("the matrix is complex", "plan real (A) and imag (A)");
  if (!mxIsSparse(a) || !mxIsDouble(a))
    mexErrMsgIdAndTxt("sparsecast:error", "sparsecast: the matrix must be sparse, not %s %s; sparse (double (A)) is",
                      mxIsSparse(a) ? "sparse" : "full", mxGetClassName(a));
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

/* "trials" may be a number. */
static char *trials_of(const mxArray *value) {
  if (mxIsChar(value)) return text_of("trials", value);
  char *digits = mxMalloc(24);
  snprintf(digits, 24, "%lld", (long long)whole_number("trials", value));
  return digits;
}

/* `given` has a bit for each option that was. */
static void set_option(sparsecast_plan_options *options, unsigned *given, const char *name, const mxArray *value) {
  static const char *const text_names[] = {"device", "profile", "kernel", "trials", "model", "kernels", "products"};
  const char **const texts[] = {&options->device, &options->profile, &options->kernel,  &options->trials,
                                &options->model,  &options->kernels, &options->products};
  static const char *const number_names[] = {"threads", "iterations", "vectors", "transposed", "no_store"};
  const int count = sizeof text_names / sizeof *text_names, numbers = sizeof number_names / sizeof *number_names;
  const int text = find(name, text_names, count), number = find(name, number_names, numbers);
  if (text == count && number == numbers)
    mexErrMsgIdAndTxt("sparsecast:error",
                      "sparsecast: no option is called '%s': device, profile, kernel, trials, model, kernels, "
                      "products, threads, iterations, vectors, transposed, no_store",
                      name);
  const unsigned bit = 1U << (text < count ? text : count + number);
  if (*given & bit) mexErrMsgIdAndTxt("sparsecast:error", "sparsecast: %s is given twice; give it once", name);
  *given |= bit;
  if (text < count) {
    *texts[text] = strcmp(name, "trials") == 0 ? trials_of(value) : text_of(name, value);
    return;
  }
  const int64_t told = whole_number(name, value);
  switch (number) {
    case 0: options->threads = (int32_t)told; break;
    case 1: options->iterations = told; break;
    case 2: options->vectors = told; break;
    case 3: options->transposed = told != 0; break;
    default: options->no_store = told != 0;
  }
}

static mxArray *new_plan(int count, const mxArray **arguments) {
  sparsecast_plan_options options = {.struct_size = sizeof options};
  if (!mexIsLocked()) mexLock(); /* "clear all" must not take the library away from under plans */
  if (count % 2 == 0) refuse("an option has no value", "give options by name and value");
  unsigned given = 0;
  for (int i = 1; i < count; i += 2) {
    if (!mxIsChar(arguments[i])) refuse("the name of an option is no text", "give options by name and value");
    set_option(&options, &given, text_of("the name of an option", arguments[i]), arguments[i + 1]);
  }
  sparsecast_matrix *matrix = matrix_of(arguments[0]);
  sparsecast_plan *plan;
  const int status = sparsecast_plan_create(matrix, &options, &plan);
  sparsecast_matrix_free(matrix);
  need(status);
  warn_of_remarks();
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
  const bool flat = mxGetNumberOfDimensions(x) == 2;
  if (mxIsComplex(x)) refuse("a plan multiplies real vectors", "multiply real (x) and imag (x)");
  if (mxIsSparse(x) || !mxIsDouble(x) || !flat)
    mexErrMsgIdAndTxt("sparsecast:error", "sparsecast: a plan multiplies full vectors of doubles, not %s %s; give %s",
                      mxIsSparse(x) ? "sparse" : flat ? "full" : "arrays of more dimensions of", mxGetClassName(x),
                      mxIsSparse(x) ? "full (double (x))" : "a matrix: double (x)");
  if (entries != in)
    mexErrMsgIdAndTxt("Octave:nonconformant-args",
                      "sparsecast: a plan of %lld columns times a matrix of %lld rows; give vectors as columns of %lld",
                      (long long)in, (long long)entries, (long long)in);
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
  const double predicted_s = info.predicted_s > 0 ? info.predicted_s : mxGetNaN(); /* of a kernel that was named */
  mxArray *all = mxCreateStructMatrix(1, 1, count, (const char **)names), *kernels = mxCreateCellMatrix(1, (mwSize)info.blocks);
  for (int64_t b = 0; b < info.blocks; ++b) {
    sparsecast_planned_block block = {.struct_size = sizeof block};
    need(sparsecast_plan_block(plan, b, &block));
    mxSetCell(kernels, (mwIndex)b, mxCreateString(block.kernel));
  }
  mxArray *const values[] = {mxCreateDoubleScalar((double)info.rows), mxCreateDoubleScalar((double)info.cols),
                             mxCreateDoubleScalar((double)info.nonzeros), kernels,
                             mxCreateDoubleScalar(predicted_s), mxCreateDoubleScalar((double)info.bytes),
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
    refuse("this is what sparsecast_plan calls", "call sparsecast_plan");
}
