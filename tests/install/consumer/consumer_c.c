/* A program of C that knows the installed header and library alone. */
#include <sparsecast.h>
#include <stdio.h>

int main(void) {
  sparsecast_matrix *matrix;
  if (sparsecast_version() != SPARSECAST_VERSION || sparsecast_matrix_generate("poisson2d", "{\"size\": 4}", 0, &matrix)) {
    printf("consumer-c: version %d, %s\n", sparsecast_version(), sparsecast_error_text());
    return 1;
  }
  return sparsecast_matrix_free(matrix);
}
