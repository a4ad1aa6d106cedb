/* Makes every thread but the main one late when it wants Python's lock, by $LATE_MS.
 *
 * A thread that wants the lock of a Python that is ending is ended by Python, and a C++ thread does
 * not survive that: it aborts the process. On an idle machine that is a rare race; with this it is
 * the rule.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int PyGILState_Ensure(void) {
    static int (*real)(void);
    if (!real) real = (int (*)(void))dlsym(RTLD_NEXT, "PyGILState_Ensure");
    const char *late = getenv("LATE_MS");
    if (late && syscall(SYS_gettid) != getpid()) {
        long ms = atol(late);
        struct timespec wait = {ms / 1000, ms % 1000 * 1000000L};
        nanosleep(&wait, NULL);
    }
    return real();
}
