/* Tables of numbers with a row for each item, and blocks of LANES rows taken from them. */

typedef struct {
    double *x;
    long row, column; /* x[i * row + j * column]; row 0: the same for all items */
} Rows;

#define SIZE(n) ((n) > 0 ? (n) : 1)

/* Load a block of rows from `i` on; behind the last row it is repeated. */
static __attribute__((noinline)) void load(Rows from, long i, long end, int columns, V *to)
{
    if (from.row == 1 && i + LANES <= end) {
        for (int j = 0; j < columns; ++j)
            memcpy(&to[j], from.x + i + j * from.column, sizeof(V));
        return;
    }
    for (int j = 0; j < columns; ++j) {
        V r = {0};
        EACH_LANE
        {
            long k = i + lane < end ? i + lane : end - 1;
            r[lane] = from.x[k * from.row + j * from.column];
        }
        to[j] = r;
    }
}

static __attribute__((noinline)) void store(Rows to, long i, long end, int columns, const V *from)
{
    if (to.row == 1 && i + LANES <= end) {
        for (int j = 0; j < columns; ++j)
            memcpy(to.x + i + j * to.column, &from[j], sizeof(V));
        return;
    }
    for (int j = 0; j < columns; ++j) {
        for (int lane = 0; lane < LANES && i + lane < end; ++lane)
            to.x[(i + lane) * to.row + j * to.column] = from[j][lane];
    }
}
