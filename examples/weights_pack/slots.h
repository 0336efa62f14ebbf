/* slots.h: two slots of flash for packs of weights. An update goes to the slot that is not in use; until its last byte is
 * there, and it has proven itself, the other slot stays good.
 *
 *   slot:  pack …, then two bytes at its end: TRIED and CONFIRMED, 0xff until they are written */
#ifndef SLOTS_H
#define SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "s2s.h"

enum { SLOTS = 2, SLOTS_NONE = -1 };

/* Flash that the processor reads in place. `erase` makes all bytes of a slot 0xff; `write` makes bits 0, and is done with
 * a byte or not when the power goes. Both return false if it fails. */
typedef struct {
    const uint8_t *slots[SLOTS];
    size_t size; /* bytes of a slot */
    bool (*erase)(void *context, int slot);
    bool (*write)(void *context, int slot, size_t offset, const uint8_t *bytes, size_t size);
    void *context;
} slots_flash;

/* Checks a pack and binds it: NET_bind_weights, with its first argument as a void pointer. It also tells the version. */
typedef s2s_status slots_bind(void *weights, const void *address, size_t size, uint32_t *version);

/* Binds the newest good pack that has been confirmed, or that has not been tried yet: that one is marked as tried, and
 * unless slots_confirm follows before the next start, it is not taken again. Returns the slot, or SLOTS_NONE. */
int slots_start(const slots_flash *flash, slots_bind *bind, void *weights);

/* The network works with the slot's pack: later starts take it. */
bool slots_confirm(const slots_flash *flash, int slot);

/* Writes a pack to the slot that is not `used`. Returns false if it does not fit, or flash fails. */
bool slots_update(const slots_flash *flash, int used, const uint8_t *pack, size_t size);

#endif
