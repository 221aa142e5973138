#include "state.h"

#include <stdlib.h>
#include <string.h>

/* Serialized: this header, then the bytes of CbState. The bytes are for the same FMU on the same
   platform; the header makes anything else an error instead of nonsense. */
typedef struct {
    char magic[8];
    unsigned long long token, checksum;
} CbStateHeader;

static const char MAGIC[8] = {'C', 'B', 's', 't', 'a', 't', 'e', '1'};

static size_t state_bytes(const CbInstance *c)
{
    return sizeof(CbState) + c->n_saved * sizeof(double);
}

/* Fowler, Noll, Vo: FNV-1a, 64 bits. */
static unsigned long long hash(const void *data, size_t n)
{
    const unsigned char *bytes = data;
    unsigned long long h = 14695981039346656037ULL;
    size_t i;
    for (i = 0; i < n; ++i) h = (h ^ bytes[i]) * 1099511628211ULL;
    return h;
}

static CbState *allocate_state(CbInstance *c, const char *caller)
{
    CbState *state = calloc(1, state_bytes(c));
    if (!state) cb_error(c, "%s: out of memory.", caller);
    return state;
}

CB_LOCAL CbStatus cb_get_state(CbInstance *c, const char *caller, void **state)
{
    CbState *copy;

    if (cb_require_pointer(c, caller, (const void *)state, 1) != CB_OK) return CB_ERROR;
    /* A handle that is not null comes from an earlier call and is written again. */
    copy = *state ? *state : allocate_state(c, caller);
    if (!copy) return CB_ERROR;
    /* Bytes, not a struct assignment: padding is copied too and the checksum is defined. */
    memcpy(&copy->s, &c->s, sizeof copy->s);
    memcpy(copy->saved, c->saved, c->n_saved * sizeof(double));
    *state = copy;
    return CB_OK;
}

CB_LOCAL CbStatus cb_set_state(CbInstance *c, const char *caller, const void *state)
{
    const CbState *copy = state;

    if (cb_require_pointer(c, caller, state, 1) != CB_OK) return CB_ERROR;
    if (copy->s.type != c->s.type) {
        return cb_error(c, "%s: the state is from the other interface type.", caller);
    }
    memcpy(&c->s, &copy->s, sizeof c->s);
    memcpy(c->saved, copy->saved, c->n_saved * sizeof(double));
    cb_values_changed(c);
    return CB_OK;
}

CB_LOCAL CbStatus cb_free_state(CbInstance *c, const char *caller, void **state)
{
    (void)c;
    (void)caller;
    if (!state) return CB_OK;
    free(*state);
    *state = NULL;
    return CB_OK;
}

CB_LOCAL CbStatus cb_state_size(CbInstance *c, const char *caller, const void *state, size_t *size)
{
    if (cb_require_pointer(c, caller, state, 1) != CB_OK ||
        cb_require_pointer(c, caller, size, 1) != CB_OK) {
        return CB_ERROR;
    }
    *size = sizeof(CbStateHeader) + state_bytes(c);
    return CB_OK;
}

CB_LOCAL CbStatus cb_serialize(CbInstance *c, const char *caller, const void *state,
                               unsigned char bytes[], size_t size)
{
    CbStateHeader header;

    if (cb_require_pointer(c, caller, state, 1) != CB_OK ||
        cb_require_pointer(c, caller, bytes, 1) != CB_OK) {
        return CB_ERROR;
    }
    if (size < sizeof header + state_bytes(c)) {
        return cb_error(c, "%s: %lu bytes are needed, not %lu.", caller,
                        (unsigned long)(sizeof header + state_bytes(c)), (unsigned long)size);
    }
    memcpy(header.magic, MAGIC, sizeof MAGIC);
    header.token = hash(c->model->token, strlen(c->model->token));
    header.checksum = hash(state, state_bytes(c));
    memcpy(bytes, &header, sizeof header);
    memcpy(bytes + sizeof header, state, state_bytes(c));
    return CB_OK;
}

static int state_is_sound(const CbState *state)
{
    const int mode = state->s.mode, method = state->s.method;
    return mode > 0 && mode <= CB_TERMINATED && (mode & (mode - 1)) == 0 &&
           (method == CB_DOPRI5 || method == CB_RODAS4);
}

CB_LOCAL CbStatus cb_deserialize(CbInstance *c, const char *caller, const unsigned char bytes[],
                                 size_t size, void **state)
{
    CbStateHeader header;
    CbState *copy;

    if (cb_require_pointer(c, caller, bytes, 1) != CB_OK ||
        cb_require_pointer(c, caller, (const void *)state, 1) != CB_OK) {
        return CB_ERROR;
    }
    if (size < sizeof header + state_bytes(c)) {
        return cb_error(c, "%s: %lu bytes are needed, not %lu.", caller,
                        (unsigned long)(sizeof header + state_bytes(c)), (unsigned long)size);
    }
    memcpy(&header, bytes, sizeof header);
    if (memcmp(header.magic, MAGIC, sizeof MAGIC) != 0 ||
        header.token != hash(c->model->token, strlen(c->model->token))) {
        return cb_error(c, "%s: the bytes are not a state of this FMU.", caller);
    }
    if (header.checksum != hash(bytes + sizeof header, state_bytes(c))) {
        return cb_error(c, "%s: the bytes are damaged.", caller);
    }
    copy = allocate_state(c, caller);
    if (!copy) return CB_ERROR;
    memcpy(copy, bytes + sizeof header, state_bytes(c));
    if (!state_is_sound(copy)) {
        free(copy);
        return cb_error(c, "%s: the bytes are damaged.", caller);
    }
    *state = copy;
    return CB_OK;
}
