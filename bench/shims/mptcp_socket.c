// Loaded by LD_PRELOAD: every TCP socket that the program makes is one of multipath TCP.
#define _GNU_SOURCE
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif

int socket(int domain, int type, int protocol) {
    const int kind = type & ~(SOCK_CLOEXEC | SOCK_NONBLOCK);
    const int internet = domain == AF_INET || domain == AF_INET6;
    if (internet && kind == SOCK_STREAM && (protocol == 0 || protocol == IPPROTO_TCP)) {
        protocol = IPPROTO_MPTCP;
    }
    return (int)syscall(SYS_socket, domain, type, protocol);
}
