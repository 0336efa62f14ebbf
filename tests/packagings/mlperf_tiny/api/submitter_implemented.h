/* A stand-in for the header of mlcommons/tiny of this name: the same functions and macros. */
#ifndef STAND_IN_SUBMITTER_IMPLEMENTED_H
#define STAND_IN_SUBMITTER_IMPLEMENTED_H

#include <stdarg.h>
#include <stddef.h>

#define EE_MSG_TIMESTAMP "m-lap-us-%lu\r\n"
#define EE_MSG_TIMESTAMP_MODE "m-timestamp-mode-performance\r\n"
#define MAX_DB_INPUT_SIZE (96 * 96 * 3)
#ifndef EE_CFG_ENERGY_MODE
#define EE_CFG_ENERGY_MODE 0
#endif

void th_load_tensor();
void th_results();
void th_infer();
void th_timestamp(void);
void th_printf(const char *fmt, ...);
char th_getchar();

void th_serialport_initialize(void);
void th_timestamp_initialize(void);
void th_final_initialize(void);
void th_pre();
void th_post();
void th_command_ready(char volatile *msg);

int th_strncmp(const char *str1, const char *str2, size_t n);
char *th_strncpy(char *dest, const char *src, size_t n);
size_t th_strnlen(const char *str, size_t maxlen);
char *th_strcat(char *dest, const char *src);
char *th_strtok(char *str1, const char *sep);
int th_atoi(const char *str);
void *th_memset(void *b, int c, size_t len);
void *th_memcpy(void *dst, const void *src, size_t n);
int th_vprintf(const char *format, va_list ap);

#endif
