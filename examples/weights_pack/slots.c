#include "slots.h"

enum { TRIED = 2, CONFIRMED = 1, ERASED = 0xff, SET = 0 };

static bool is_set(const slots_flash *flash, int slot, size_t mark)
{
    return flash->slots[slot][flash->size - mark] != ERASED;
}

static bool set(const slots_flash *flash, int slot, size_t mark)
{
    const uint8_t value = SET;

    return flash->write(flash->context, slot, flash->size - mark, &value, 1u);
}

static bool is_candidate(const slots_flash *flash, int slot)
{
    return is_set(flash, slot, CONFIRMED) || !is_set(flash, slot, TRIED);
}

int slots_start(const slots_flash *flash, slots_bind *bind, void *weights)
{
    uint32_t newest = 0u;
    int found = SLOTS_NONE;

    for (int slot = 0; slot < SLOTS; ++slot) {
        uint32_t version = 0u;

        if (is_candidate(flash, slot) && bind(weights, flash->slots[slot], flash->size - TRIED, &version) == S2S_OK &&
            (found == SLOTS_NONE || version > newest)) {
            found = slot;
            newest = version;
        }
    }
    if (found != SLOTS_NONE && !is_set(flash, found, CONFIRMED) && !set(flash, found, TRIED)) {
        return SLOTS_NONE;
    }
    if (found != SLOTS_NONE && bind(weights, flash->slots[found], flash->size - TRIED, &newest) != S2S_OK) {
        return SLOTS_NONE;
    }
    return found;
}

bool slots_confirm(const slots_flash *flash, int slot)
{
    return slot >= 0 && slot < SLOTS && set(flash, slot, CONFIRMED);
}

bool slots_update(const slots_flash *flash, int used, const uint8_t *pack, size_t size)
{
    const int other = used == 0 ? 1 : 0;

    return size <= flash->size - TRIED && flash->erase(flash->context, other) &&
           flash->write(flash->context, other, 0u, pack, size);
}
