/* One second of sound, a .wav file in flash, and the word in it on the console. The network reads the samples where
 * they lie: mel bands, layers, softmax and the best classes are one function. */
#include "board.h"
#include "kws.h"
#include "sound.h" /* the file, and SAMPLES, CLASSES and WORDS of the network */
#include "wav.h"

enum { RATE = 16000 };

static S2S_ALIGNED(KWS_ARENA_ALIGN) unsigned char arena[KWS_ARENA_SIZE];
static const char *const words[] = WORDS;

int main(void)
{
    int32_t classes[CLASSES];
    float scores[CLASSES];
    struct wav wav;

    if (!wav_find(sound.bytes, sizeof sound.bytes, &wav) || wav.rate != RATE || wav.samples < SAMPLES) {
        board_print("sound: want one second of 16-bit PCM, one channel at 16 kHz\n");
        return 1;
    }
    const s2s_status status = kws_run(arena, &sound.words[wav.first / 2u], classes, scores);

    if (status != S2S_OK) {
        board_print(s2s_status_phrase(status));
        return 1;
    }
    for (int i = 0; i < CLASSES; ++i) {
        board_print(words[classes[i]]);
        board_print(" ");
        board_print_number((uint32_t)(100.0f * scores[i] + 0.5f));
        board_print(" %\n");
    }
    return 0;
}
