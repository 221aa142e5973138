/* Derivatives at single times, seen through the matrices of splines and summed up in the entries of
 * one sparse matrix. At each time z = base + matrix x[columns]; all matrices are rows of rows. */

/* Add (d rows / dz) matrix for chosen rows to their places; -1 is none.
 * slopes: (times * rows, size); chosen: numbers of rows among these; places: (chosen, columns). */
void cb_add_slopes(long count, long rows, long size, long columns, const long *chosen,
                   const double *slopes, const double *matrix, const long *places, double *sums)
{
    for (long i = 0; i < count; ++i, places += columns) {
        const double *slope = slopes + chosen[i] * size;
        const double *own = matrix + chosen[i] / rows * size * columns;
        double entries[columns];
        for (long j = 0; j < columns; ++j)
            entries[j] = 0.0;
        for (long k = 0; k < size; ++k, own += columns)
            for (long j = 0; j < columns; ++j)
                entries[j] += slope[k] * own[j];
        for (long j = 0; j < columns; ++j)
            if (places[j] >= 0)
                sums[places[j]] += entries[j];
    }
}

/* Add matrix^T (d2 / dz2) matrix to their places; -1 is none.
 * curved: (times, size, size); places: (times, columns, columns); work: (size, columns). */
void cb_add_curvature(long times, long size, long columns, const double *curved,
                      const double *matrix, const long *places, double *work, double *sums)
{
    for (long t = 0; t < times; ++t, curved += size * size, matrix += size * columns) {
        for (long k = 0; k < size; ++k) {
            double *half = work + k * columns;
            for (long j = 0; j < columns; ++j)
                half[j] = 0.0;
            for (long l = 0; l < size; ++l) {
                double factor = curved[k * size + l];
                if (factor != 0.0)
                    for (long j = 0; j < columns; ++j)
                        half[j] += factor * matrix[l * columns + j];
            }
        }
        for (long i = 0; i < columns; ++i, places += columns) {
            double entries[columns];
            for (long j = 0; j < columns; ++j)
                entries[j] = 0.0;
            for (long k = 0; k < size; ++k) {
                double factor = matrix[k * columns + i];
                if (factor != 0.0)
                    for (long j = 0; j < columns; ++j)
                        entries[j] += factor * work[k * columns + j];
            }
            for (long j = 0; j < columns; ++j)
                if (places[j] >= 0)
                    sums[places[j]] += entries[j];
        }
    }
}
