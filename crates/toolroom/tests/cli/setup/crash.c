/* Kills the process it is loaded into just before its N-th change that others can see, as a
 * power cut at that very moment would. It takes itself out of the environment, so that no
 * child has it. Built and loaded by the tests of this folder; the product knows nothing of it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
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
/* Caches are written when there is time, so they would make the count another each time. */
static int counts(const char *path) { return strstr(path, "/.cache/") == NULL; }

#define NEW(path) (counts(path) && faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) != 0)
#define MAKES(path, flags) ((((flags) & O_TRUNC) && counts(path)) || (((flags) & O_CREAT) && NEW(path)))

ssize_t write(int fd, const void *bytes, size_t count) {
  /* What goes to a file under another name is seen when that is renamed. */
  if (fcntl(fd, F_GETFL) & O_APPEND) change();
  return NEXT(write)(fd, bytes, count);
}

int mkdir(const char *path, mode_t mode) { if (NEW(path)) change(); return NEXT(mkdir)(path, mode); }
int rmdir(const char *path) { change(); return NEXT(rmdir)(path); }
int unlink(const char *path) { if (counts(path)) change(); return NEXT(unlink)(path); }
int unlinkat(int folder, const char *path, int flags) { change(); return NEXT(unlinkat)(folder, path, flags); }
int linkat(int a, const char *from, int b, const char *to, int flags) { if (counts(to)) change(); return NEXT(linkat)(a, from, b, to, flags); }
int rename(const char *from, const char *to) { if (counts(to)) change(); return NEXT(rename)(from, to); }

#define OPEN(name)                                    \
  int name(const char *path, int flags, ...) {        \
    va_list rest;                                     \
    va_start(rest, flags);                            \
    mode_t mode = va_arg(rest, mode_t);               \
    va_end(rest);                                     \
    if (MAKES(path, flags)) change();                    \
    return NEXT(name)(path, flags, mode);             \
  }
OPEN(open)
OPEN(open64)
