// Preloaded into User Mode Linux: ptrace(2) that sets all extended registers of a process from the part that it is given.
//
// User Mode Linux keeps 2 to 4 KiB of them; where the processor has AMX they take 11 KiB, and the kernel refuses to set
// them from less ("ptrace set fp regs failed"). What is not given stays as it is.
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static char whole[65536];

long ptrace(enum __ptrace_request request, ...) {
  va_list list;
  va_start(list, request);
  pid_t pid = va_arg(list, pid_t);
  void* address = va_arg(list, void*);
  void* data = va_arg(list, void*);
  va_end(list);
  if (request == PTRACE_SETREGSET && (long)address == NT_X86_XSTATE) {
    struct iovec all = {whole, sizeof whole};
    struct iovec* part = data;
    if (syscall(SYS_ptrace, PTRACE_GETREGSET, pid, address, &all) == 0 && all.iov_len > part->iov_len) {
      memcpy(whole, part->iov_base, part->iov_len);
      return syscall(SYS_ptrace, request, pid, address, &all);
    }
  }
  long value = 0;  // these return what they read; the system call stores it
  if (request == PTRACE_PEEKTEXT || request == PTRACE_PEEKDATA || request == PTRACE_PEEKUSER) {
    if (syscall(SYS_ptrace, request, pid, address, &value) != 0) return -1;
    errno = 0;
    return value;
  }
  return syscall(SYS_ptrace, request, pid, address, data);
}
