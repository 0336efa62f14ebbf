/* A device with two slots, on the host: an update of its weights, with the power cut at each place in turn.
 *
 *     update OLD.weights NEW.weights KEY */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "digits.h"
#include "slots.h"
#include "vectors.h"
#include "verify.h"

#define SLOT_SIZE 65536u

static S2S_ALIGNED(64) uint8_t memory[SLOTS][SLOT_SIZE];
static S2S_ALIGNED(DIGITS_ARENA_ALIGN) unsigned char arena[DIGITS_ARENA_SIZE];
static uint8_t old_pack[SLOT_SIZE], new_pack[SLOT_SIZE], key[128];
static size_t power; /* bytes that may still be written */

static bool erase(void *context, int slot)
{
    (void)context;
    memset(memory[slot], 0xff, SLOT_SIZE);
    return true;
}

static bool write_flash(void *context, int slot, size_t offset, const uint8_t *bytes, size_t size)
{
    (void)context;
    for (size_t i = 0u; i < size; ++i) {
        if (power == 0u) {
            return false;
        }
        --power;
        memory[slot][offset + i] &= bytes[i];
    }
    return true;
}

static const slots_flash flash = {{memory[0], memory[1]}, SLOT_SIZE, erase, write_flash, NULL};

static s2s_status bind(void *weights, const void *address, size_t size, uint32_t *version)
{
    digits_weights *const mine = weights;
    const s2s_status status = digits_bind_weights(mine, address, size);

    *version = mine->pack.version;
    return status;
}

/* Starts the device, and runs the network. Returns the version of its model; 0 if it does not start. */
static uint32_t start(int *slot, float probabilities[DIGITS_PROBABILITIES_SIZE])
{
    digits_weights weights = {{.verify = verify_signature, .context = key}};

    power = SIZE_MAX;
    *slot = slots_start(&flash, bind, &weights);
    if (*slot == SLOTS_NONE || digits_run(&weights, arena, image, probabilities) != S2S_OK) {
        return 0u;
    }
    return weights.pack.version;
}

static size_t load(const char *path, uint8_t *to, size_t most)
{
    FILE *const file = fopen(path, "rb");
    const size_t size = file == NULL ? 0u : fread(to, 1u, most, file);

    if (file != NULL) {
        (void)fclose(file);
    }
    return size;
}

/* A device whose slot 0 has the old pack, and is confirmed. */
static void factory(size_t size)
{
    power = SIZE_MAX;
    (void)erase(NULL, 0);
    (void)erase(NULL, 1);
    (void)slots_update(&flash, 1, old_pack, size);
    (void)slots_confirm(&flash, 0);
}

static void expect(bool is_right, const char *what, size_t at)
{
    if (!is_right) {
        printf("%s: wrong after %lu bytes\n", what, (unsigned long)at);
        exit(EXIT_FAILURE);
    }
}

/* The power goes after `cut` bytes of the update; the device starts again, and is confirmed or not. */
static void update(size_t old_size, size_t new_size, size_t cut)
{
    float before[DIGITS_PROBABILITIES_SIZE], after[DIGITS_PROBABILITIES_SIZE];
    int slot;

    factory(old_size);
    expect(start(&slot, before) == 1u && slot == 0, "first start", cut);
    power = cut;
    expect(slots_update(&flash, slot, new_pack, new_size) == (cut >= new_size), "update", cut);
    const uint32_t version = start(&slot, after);

    expect(version == (cut >= new_size ? 2u : 1u), "start", cut);
    if (cut < new_size) {
        expect(memcmp(before, after, sizeof before) == 0, "outputs", cut);
        return;
    }
    expect(start(&slot, after) == 1u, "start of a pack that was not confirmed", cut);
    factory(old_size);
    (void)start(&slot, before);
    power = SIZE_MAX;
    expect(slots_update(&flash, slot, new_pack, new_size) && start(&slot, after) == 2u, "second update", cut);
    expect(slots_confirm(&flash, slot) && start(&slot, after) == 2u, "start of a pack that was confirmed", cut);
}

int main(int count, char **arguments)
{
    if (count != 4) {
        return EXIT_FAILURE;
    }
    const size_t old_size = load(arguments[1], old_pack, sizeof old_pack);
    const size_t new_size = load(arguments[2], new_pack, sizeof new_pack);
    size_t cuts = 0u;

    (void)load(arguments[3], key, sizeof key);
    expect(old_size == DIGITS_PACK_SIZE && new_size == DIGITS_PACK_SIZE, "packs", 0u);
    for (size_t cut = 0u; cut < new_size; cut += cut < S2S_PACK_HEADER ? 1u : 64u) {
        update(old_size, new_size, cut);
        ++cuts;
    }
    update(old_size, new_size, new_size - 1u);
    update(old_size, new_size, new_size);
    printf("%lu power cuts: each start found good weights\n", (unsigned long)cuts + 1u);
    return EXIT_SUCCESS;
}
