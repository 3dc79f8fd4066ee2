// Preloaded into a guardian: within a request with the id 1000000 + n the n-th call of a kind fails. FAILING_CALLS
// names the kind: send, receive, new. FAILED_CALLS is a file that gets a byte for each.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

constexpr std::uint32_t kFirstToFail = 1'000'000;
constexpr std::size_t kIdAt_B = 8;  // of a request

const char* const kind = std::getenv("FAILING_CALLS");
const char* const path = std::getenv("FAILED_CALLS");
std::uint32_t to_fail = 0;  // 0: none in this request
std::uint32_t calls = 0;

// The guardian clears its environment, and closes what it inherits.
bool fails(const char* what) {
    if (to_fail == 0 || kind == nullptr || std::strcmp(kind, what) != 0 || ++calls != to_fail) return false;
    const int log = open(path, O_WRONLY | O_APPEND);
    if (write(log, ".", 1) != 1) std::abort();
    close(log);
    return true;
}

template <typename Function>
Function real(Function, const char* name) {
    return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" ssize_t recv(int socket, void* data, size_t size_B, int flags) {
    static const auto original = real(&recv, "recv");
    const ssize_t received_B = original(socket, data, size_B, flags);
    if (socket != 0) return received_B;
    std::uint32_t id = 0;
    if (received_B >= static_cast<ssize_t>(kIdAt_B + sizeof id))
        std::memcpy(&id, static_cast<const char*>(data) + kIdAt_B, sizeof id);
    to_fail = id > kFirstToFail ? id - kFirstToFail : 0;
    calls = 0;
    return received_B;
}

// The reply ends it.
extern "C" ssize_t send(int socket, const void* data, size_t size_B, int flags) {
    static const auto original = real(&send, "send");
    if (socket == 0) to_fail = 0;
    return original(socket, data, size_B, flags);
}

// Requests over netlink.
extern "C" ssize_t sendto(int socket, const void* data, size_t size_B, int flags, const sockaddr* to,
                          socklen_t length) {
    static const auto original = real(&sendto, "sendto");
    if (!fails("send")) return original(socket, data, size_B, flags, to, length);
    errno = ENOBUFS;
    return -1;
}

// The kernel did what it was asked for, and its answer is lost.
extern "C" ssize_t recvmsg(int socket, msghdr* message, int flags) {
    static const auto original = real(&recvmsg, "recvmsg");
    const ssize_t received_B = original(socket, message, flags);
    if (!fails("receive")) return received_B;
    errno = ENOBUFS;
    return -1;
}

void* operator new(std::size_t size_B) {
    if (void* const memory = fails("new") ? nullptr : std::malloc(size_B)) return memory;
    throw std::bad_alloc();
}

void operator delete(void* memory) noexcept {
    std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
