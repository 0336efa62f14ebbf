/* A stand-in for the header of mlcommons/tiny of this name: the functions and macros that submissions use. */
#ifndef STAND_IN_INTERNALLY_IMPLEMENTED_H
#define STAND_IN_INTERNALLY_IMPLEMENTED_H

#include <stddef.h>
#include <stdint.h>

#define EE_MODEL_VERSION_KWS01 "kws01"
#define EE_MODEL_VERSION_VWW01 "vww01"
#define EE_MODEL_VERSION_AD01 "ad01"
#define EE_MODEL_VERSION_IC01 "ic01"

void ee_serial_callback(char);
void ee_serial_command_parser_callback(char *);
void ee_benchmark_initialize(void);
size_t ee_get_buffer(uint8_t *buffer, size_t max_len);

#endif
