/* The angles of a rotation with their derivatives, at increasing times. What is generated stands
 * before: `angles`, from the derivatives of progress, the entries of the matrix, angle and branch,
 * and values near which the angles are. */

#define ENTRIES 15
#define TURNING 2 /* the angles that may turn on and on: the first and the last */

typedef struct {
    Track progress;
    double entries[ENTRIES], angle, branch, second; /* second: where the second angle starts */
    const double *bounds[TURNING]; /* between two of them an angle stays in one quadrant, */
    const double *values[TURNING]; /* in which this is one of its values */
    long bound_count[TURNING];
    long outputs[3], output_count; /* which outputs the angles are, of how many */
} Rotation;

void cb_rotation(const Rotation *path, long *segment, const double *times, const int *left, V *gammas)
{
    V progress[ORDERS], entries[ENTRIES], near[3], found[3 * ORDERS];
    V angle = all(path->angle), branch = all(path->branch);
    follow_track(&path->progress, segment, times, left, progress);
    V theta = angle * progress[0];
    for (int i = 0; i < TURNING; ++i) {
        V value = all(path->values[i][0]);
        for (long k = 0; k < path->bound_count[i]; ++k)
            value = choose(theta > path->bounds[i][k], all(path->values[i][k + 1]), value);
        near[2 * i] = value;
    }
    near[1] = all(path->second);
    for (int i = 0; i < ENTRIES; ++i)
        entries[i] = all(path->entries[i]);
    angles(progress, entries, &angle, &branch, near, found);
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < ORDERS; ++k)
            gammas[k * path->output_count + path->outputs[i]] = found[i * ORDERS + k] + 0.0;
    }
}
