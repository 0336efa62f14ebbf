/* The same as a task of FreeRTOS: `vTaskStartNetwork` makes it, `xQueueSend` to `images` gives it work.
 *
 * With preemption (configUSE_PREEMPTION 1) a task of higher priority comes whenever it is due, steps or not; steps are
 * for what preemption does not give: an abort within a step, tasks of the same priority, and configUSE_PREEMPTION 0. */
#include "FreeRTOS.h"
#include "task.h"

#include "digits.h"
#include "queue.h"

#define STACK_WORDS (configMINIMAL_STACK_SIZE + DIGITS_STACK_SIZE / sizeof(StackType_t))

QueueHandle_t images;  /* of const float *, an image each */
QueueHandle_t results; /* of s2s_status */
float probabilities[DIGITS_PROBABILITIES_SIZE];
static S2S_ALIGNED(DIGITS_ARENA_ALIGN) unsigned char arena[DIGITS_ARENA_SIZE];

static void network(void *unused)
{
    static digits_steps steps;
    const float *image;

    (void)unused;
    for (;;) {
        if (xQueueReceive(images, &image, portMAX_DELAY) != pdTRUE) {
            continue;
        }
        s2s_status status = digits_begin(&steps, arena, image, probabilities);

        if (status == S2S_OK) {
            do {
                status = digits_step(&steps); /* at most DIGITS_MAX_STEP_CYCLES */
                taskYIELD();
            } while (status == S2S_MORE);
        }
        (void)xQueueSend(results, &status, portMAX_DELAY);
    }
}

BaseType_t vTaskStartNetwork(void)
{
    images = xQueueCreate(1, sizeof(const float *));
    results = xQueueCreate(1, sizeof(s2s_status));
    return xTaskCreate(network, "network", STACK_WORDS, NULL, tskIDLE_PRIORITY, NULL);
}
