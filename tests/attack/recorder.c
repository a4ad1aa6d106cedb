/* Writes a line to $RECORD for each address that is connected to or looked up, and for each path
 * that is opened for writing, made, renamed or linked.
 *
 *     connect 192.0.2.1:443 | resolve example.org | write /absolute/path
 *
 * Local (AF_UNIX) sockets do not count.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REAL(name) static __typeof__(&name) real; if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static void note(const char *what, const char *text) {
    const char *file = getenv("RECORD");
    char line[2 * PATH_MAX];
    if (!file || !text) return;
    int n = snprintf(line, sizeof line, "%s %s\n", what, text);
    if (n >= (int)sizeof line) n = sizeof line - 1;
    int fd = syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) return;
    syscall(SYS_write, fd, line, (size_t)n);
    syscall(SYS_close, fd);
}

static void address(const struct sockaddr *a) {
    char host[INET6_ADDRSTRLEN] = "?", text[INET6_ADDRSTRLEN + 16];
    int port;
    if (!a) return;
    if (a->sa_family == AF_INET) {
        const struct sockaddr_in *v4 = (const void *)a;
        inet_ntop(AF_INET, &v4->sin_addr, host, sizeof host);
        port = ntohs(v4->sin_port);
    } else if (a->sa_family == AF_INET6) {
        const struct sockaddr_in6 *v6 = (const void *)a;
        inet_ntop(AF_INET6, &v6->sin6_addr, host, sizeof host);
        port = ntohs(v6->sin6_port);
    } else return;
    snprintf(text, sizeof text, "%s:%d", host, port);
    note("connect", text);
}

static void path_at(int dir, const char *path) {
    char base[PATH_MAX], link[64], full[2 * PATH_MAX];
    if (!path) return;
    if (path[0] == '/') { note("write", path); return; }
    snprintf(link, sizeof link, dir == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", dir);
    ssize_t n = readlink(link, base, sizeof base - 1);
    base[n > 0 ? n : 0] = 0;
    snprintf(full, sizeof full, "%s/%s", base, path);
    note("write", full);
}

int connect(int s, const struct sockaddr *a, socklen_t n) { REAL(connect); address(a); return real(s, a, n); }
ssize_t sendto(int s, const void *b, size_t n, int f, const struct sockaddr *a, socklen_t l) {
    REAL(sendto); address(a); return real(s, b, n, f, a, l);
}
ssize_t sendmsg(int s, const struct msghdr *m, int f) {
    REAL(sendmsg); if (m) address(m->msg_name); return real(s, m, f);
}
int sendmmsg(int s, struct mmsghdr *m, unsigned n, int f) {
    REAL(sendmmsg);
    for (unsigned i = 0; m && i < n; i++) address(m[i].msg_hdr.msg_name);
    return real(s, m, n, f);
}
int getaddrinfo(const char *h, const char *p, const struct addrinfo *i, struct addrinfo **r) {
    REAL(getaddrinfo); note("resolve", h); return real(h, p, i, r);
}
struct hostent *gethostbyname(const char *h) { REAL(gethostbyname); note("resolve", h); return real(h); }
struct hostent *gethostbyname2(const char *h, int f) { REAL(gethostbyname2); note("resolve", h); return real(h, f); }
int gethostbyname_r(const char *h, struct hostent *e, char *b, size_t n, struct hostent **r, int *x) {
    REAL(gethostbyname_r); note("resolve", h); return real(h, e, b, n, r, x);
}
int gethostbyname2_r(const char *h, int f, struct hostent *e, char *b, size_t n, struct hostent **r, int *x) {
    REAL(gethostbyname2_r); note("resolve", h); return real(h, f, e, b, n, r, x);
}

static int writes(int flags) { return (flags & O_ACCMODE) != O_RDONLY || flags & O_CREAT; }
#define MODE(flags) mode_t mode = 0; if ((flags) & (O_CREAT | __O_TMPFILE)) { va_list v; va_start(v, flags); mode = va_arg(v, mode_t); va_end(v); }
int open(const char *p, int f, ...) { REAL(open); MODE(f) if (writes(f)) path_at(AT_FDCWD, p); return real(p, f, mode); }
int open64(const char *p, int f, ...) { REAL(open64); MODE(f) if (writes(f)) path_at(AT_FDCWD, p); return real(p, f, mode); }
int openat(int d, const char *p, int f, ...) { REAL(openat); MODE(f) if (writes(f)) path_at(d, p); return real(d, p, f, mode); }
int openat64(int d, const char *p, int f, ...) { REAL(openat64); MODE(f) if (writes(f)) path_at(d, p); return real(d, p, f, mode); }
int creat(const char *p, mode_t m) { REAL(creat); path_at(AT_FDCWD, p); return real(p, m); }
int creat64(const char *p, mode_t m) { REAL(creat64); path_at(AT_FDCWD, p); return real(p, m); }
FILE *fopen(const char *p, const char *m) { REAL(fopen); if (strpbrk(m, "wa+")) path_at(AT_FDCWD, p); return real(p, m); }
FILE *fopen64(const char *p, const char *m) { REAL(fopen64); if (strpbrk(m, "wa+")) path_at(AT_FDCWD, p); return real(p, m); }
int mkdir(const char *p, mode_t m) { REAL(mkdir); path_at(AT_FDCWD, p); return real(p, m); }
int mkdirat(int d, const char *p, mode_t m) { REAL(mkdirat); path_at(d, p); return real(d, p, m); }
int rename(const char *a, const char *b) { REAL(rename); path_at(AT_FDCWD, b); return real(a, b); }
int renameat(int c, const char *a, int d, const char *b) { REAL(renameat); path_at(d, b); return real(c, a, d, b); }
int renameat2(int c, const char *a, int d, const char *b, unsigned f) { REAL(renameat2); path_at(d, b); return real(c, a, d, b, f); }
int link(const char *a, const char *b) { REAL(link); path_at(AT_FDCWD, b); return real(a, b); }
int linkat(int c, const char *a, int d, const char *b, int f) { REAL(linkat); path_at(d, b); return real(c, a, d, b, f); }
int symlink(const char *a, const char *b) { REAL(symlink); path_at(AT_FDCWD, b); return real(a, b); }
int symlinkat(const char *a, int d, const char *b) { REAL(symlinkat); path_at(d, b); return real(a, d, b); }
