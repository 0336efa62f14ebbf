/* A small coverage-guided fuzzer for compilers without libFuzzer: `driver EXECUTIONS SEED FILE...`.
 *
 * The target is compiled with -fsanitize-coverage=trace-pc, which calls the function below at every edge. Inputs that
 * reach new edges are kept and mutated further. A sanitizer ends the program at the first error; the input that was
 * running is then in the file `crash`. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
void __sanitizer_cov_trace_pc(void);
void __asan_on_error(void);

#define EDGES 65536u
#define LONGEST 700u
#define INPUTS 4096u

static unsigned char seen[EDGES], now[EDGES];
static uint16_t touched[EDGES];
static uint32_t num_touched;
static unsigned char *inputs[INPUTS];
static size_t sizes[INPUTS];
static uint32_t num_inputs;
static uint64_t state;
static unsigned char current[2u * LONGEST];
static size_t current_size;

void __sanitizer_cov_trace_pc(void)
{
    const uint32_t edge = (uint32_t)((uintptr_t)__builtin_return_address(0) * 2654435761u >> 8) % EDGES;

    if (now[edge] == 0u) {
        touched[num_touched++] = (uint16_t)edge;
    }
    now[edge] = (unsigned char)(now[edge] == 255u ? 255u : now[edge] + 1u);
}

/* A class of how often an edge was passed: 1, 2, 3, 4 to 7, ... */
static unsigned char class_of(unsigned char count)
{
    unsigned char bit = 0u;

    while (count > 3u && bit < 5u) {
        count = (unsigned char)(count >> 1);
        ++bit;
    }
    return (unsigned char)(1u << (count - 1u + bit > 7u ? 7u : count - 1u + bit));
}

static uint32_t random_below(uint32_t limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 11) % (limit == 0u ? 1u : limit);
}

static void save_crash(void)
{
    FILE *const file = fopen("crash", "wb");

    if (file != NULL) {
        (void)fwrite(current, 1u, current_size, file);
        (void)fclose(file);
    }
}

void __asan_on_error(void)
{
    save_crash();
}

/* Runs the current input; whether it reached something new. */
static int run(void)
{
    unsigned char *const copy = malloc(current_size == 0u ? 1u : current_size); /* the sanitizer watches its ends */
    int is_new = 0;

    (void)memcpy(copy, current, current_size);
    num_touched = 0u;
    (void)LLVMFuzzerTestOneInput(copy, current_size);
    free(copy);
    for (uint32_t i = 0u; i < num_touched; ++i) {
        const unsigned char class = class_of(now[touched[i]]);

        is_new |= (seen[touched[i]] & class) == 0u;
        seen[touched[i]] |= class;
        now[touched[i]] = 0u;
    }
    return is_new;
}

static void keep(void)
{
    const uint32_t place = num_inputs < INPUTS ? num_inputs++ : random_below(INPUTS);

    free(inputs[place]);
    inputs[place] = malloc(current_size == 0u ? 1u : current_size);
    (void)memcpy(inputs[place], current, current_size);
    sizes[place] = current_size;
}

/* Replaces `removed` bytes at `at` by others. */
static void splice(size_t at, size_t removed, const unsigned char *bytes, size_t count)
{
    if (current_size - removed + count <= LONGEST) {
        unsigned char kept[LONGEST];

        (void)memcpy(kept, bytes, count);
        (void)memmove(&current[at + count], &current[at + removed], current_size - at - removed);
        (void)memcpy(&current[at], kept, count);
        current_size = current_size - removed + count;
    }
}

static void mutate(void)
{
    static const char *const words[] = {
        "0", "1", "2", "-1", "9999999999", "4294967295", "18446744073709551616", "[", "]", "{", "}", ",", ":", "\"", "\\u00e9",
        "\\ud83d\\ude00", "[]", "{}", "[0, 0, 0]", "null", "\"null\"", "\"tvm_op\"", "\"__nop\"", "\"__copy\"",
        "\"s2s.concat\"", "\"s2s.split\"", "\"add\"", "\"bool\"", "\"int64\"", "\"float32\"", "\"1\"", "\"0\"", "\"op\": ",
        "\"name\": ", "\"inputs\": ", "\"attrs\": ", "\"heads\": ", "\"num_outputs\": ", "\xff\xff\xff\xff\xff\xff\xff\x7f",
    };
    const size_t at = random_below((uint32_t)current_size), left = current_size - at;
    const size_t length = left == 0u ? 0u : random_below((uint32_t)(left < 40u ? left : 40u));
    const uint32_t word = random_below((uint32_t)(sizeof words / sizeof words[0]));
    const uint32_t other = random_below(num_inputs);
    unsigned char byte = (unsigned char)random_below(256u);

    switch (left == 0u ? 4u : random_below(9u)) {
    case 0u: current[at] ^= (unsigned char)(1u << random_below(8u)); break;
    case 1u: current[at] = byte; break;
    case 2u: splice(at, 1u, NULL, 0u); break;
    case 3u: splice(at, length, NULL, 0u); break;
    case 4u: splice(at, 0u, (const unsigned char *)words[word], strlen(words[word])); break;
    case 5u: splice(at, length, (const unsigned char *)words[word], strlen(words[word])); break;
    case 6u: splice(random_below((uint32_t)current_size), 0u, &current[at], length); break;
    case 7u: byte = (unsigned char)('0' + random_below(10u)); splice(at, 1u, &byte, 1u); break;
    default:
        if (sizes[other] > 0u) {
            const size_t from = random_below((uint32_t)sizes[other]);
            const size_t most = sizes[other] - from < 60u ? sizes[other] - from : 60u;

            splice(at, length, &inputs[other][from], random_below((uint32_t)most + 1u));
        }
        break;
    }
}

int main(int argc, char **argv)
{
    const uint64_t executions = argc > 2 ? strtoull(argv[1], NULL, 10) : 0u;
    uint32_t edges = 0u;

    state = argc > 2 ? strtoull(argv[2], NULL, 10) * 2u + 88172645463325252u : 1u;
    for (int i = 3; i < argc; ++i) {
        FILE *const file = fopen(argv[i], "rb");

        if (file == NULL) {
            return 1;
        }
        current_size = fread(current, 1u, LONGEST, file);
        (void)fclose(file);
        (void)run();
        keep();
    }
    if (num_inputs == 0u) {
        (void)fprintf(stderr, "driver EXECUTIONS SEED FILE...\n");
        return 1;
    }
    for (uint64_t i = 0u; i < executions; ++i) {
        const uint32_t chosen = random_below(num_inputs);
        uint32_t turns = 1u + random_below(4u);

        (void)memcpy(current, inputs[chosen], sizes[chosen]);
        current_size = sizes[chosen];
        while (turns-- > 0u) {
            mutate();
        }
        if (run() != 0) {
            keep();
        }
    }
    for (uint32_t i = 0u; i < EDGES; ++i) {
        edges += seen[i] != 0u;
    }
    (void)printf("%llu executions, %u edges, %u inputs kept, no error\n", (unsigned long long)executions, edges, num_inputs);
    return 0;
}
