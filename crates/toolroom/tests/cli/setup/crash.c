/* Kills the process it is loaded into just before its N-th change to the file system, as a
 * power cut at that very moment would. It takes itself out of the environment, so that no
 * child has it. Built and loaded by the tests of this folder; the product knows nothing of it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static long left = -1;

__attribute__((constructor)) static void begin(void) {
  const char *at = getenv("CRASH_AT");
  left = at ? atol(at) : -1;
  unsetenv("CRASH_AT");
  unsetenv("LD_PRELOAD");
}

static void change(void) {
  if (left > 0 && __sync_sub_and_fetch(&left, 1) == 0) kill(getpid(), SIGKILL);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define MAKES(flags) ((flags) & (O_CREAT | O_TRUNC))

ssize_t write(int fd, const void *bytes, size_t count) {
  struct stat found;
  if (fstat(fd, &found) == 0 && S_ISREG(found.st_mode)) change();
  return NEXT(write)(fd, bytes, count);
}

int mkdir(const char *path, mode_t mode) { change(); return NEXT(mkdir)(path, mode); }
int rmdir(const char *path) { change(); return NEXT(rmdir)(path); }
int unlink(const char *path) { change(); return NEXT(unlink)(path); }
int unlinkat(int folder, const char *path, int flags) { change(); return NEXT(unlinkat)(folder, path, flags); }
int rename(const char *from, const char *to) { change(); return NEXT(rename)(from, to); }
int fsync(int fd) { change(); return NEXT(fsync)(fd); }

#define OPEN(name)                                    \
  int name(const char *path, int flags, ...) {        \
    va_list rest;                                     \
    va_start(rest, flags);                            \
    mode_t mode = va_arg(rest, mode_t);               \
    va_end(rest);                                     \
    if (MAKES(flags)) change();                       \
    return NEXT(name)(path, flags, mode);             \
  }
OPEN(open)
OPEN(open64)
