// SPDX-License-Identifier: Apache-2.0
#include "worker/confine.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <span>
#include <string>

#include "base/unique_fd.h"

namespace storage_probe::worker {
namespace {

// A sanitizer's runtime starts a symbolizer, and its leak check traces the process.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

// What a filter must see as `arch`; 0: no filter is written for this machine.
#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kArchitecture = 0;
#endif
// x86_64 only: calls of its 32-bit variant have this bit, and numbers of their own. No other
// machine has numbers that high.
constexpr std::uint32_t kX32 = 0x40000000;

constexpr rlim_t kMaxDescriptors = 256;

constexpr std::array kPrograms{SYS_execve, SYS_execveat, SYS_ptrace, SYS_process_vm_readv,
                               SYS_process_vm_writev};
constexpr std::array kRefused{SYS_socket,        SYS_socketpair,
                              SYS_connect,       SYS_bind,
                              SYS_listen,        SYS_accept,
                              SYS_accept4,       SYS_sendto,
                              SYS_sendmsg,       SYS_sendmmsg,
                              SYS_mount,         SYS_umount2,
                              SYS_pivot_root,    SYS_chroot,
                              SYS_move_mount,    SYS_open_tree,
                              SYS_fsopen,        SYS_fsconfig,
                              SYS_fsmount,       SYS_fspick,
                              SYS_unshare,       SYS_setns,
                              SYS_bpf,           SYS_perf_event_open,
                              SYS_userfaultfd,   SYS_keyctl,
                              SYS_add_key,       SYS_request_key,
                              SYS_init_module,   SYS_finit_module,
                              SYS_delete_module, SYS_kexec_load,
                              SYS_pidfd_getfd,   SYS_open_by_handle_at,
                              SYS_swapon,        SYS_reboot};

constexpr std::array kRings{long{SYS_io_uring_setup}};

constexpr std::uint64_t kReadFile = LANDLOCK_ACCESS_FS_READ_FILE;
constexpr std::uint64_t kReadDirectory = kReadFile | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kWriteDirectory =
    kReadDirectory | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
    LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG;
// truncate(2) by name, which Landlock knows since Linux 6.2, its version 3; the headers may be
// older.
constexpr std::uint64_t kTruncate = 1ULL << 14U;
constexpr int kTruncateVersion = 3;
// All that the first version of Landlock can refuse.
constexpr std::uint64_t kHandled = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;

Result<void> set_limit(__rlimit_resource resource, rlim_t limit) {
  rlimit current{};
  ::getrlimit(resource, &current);
  const rlim_t most = std::min(limit, current.rlim_max);
  const rlimit wanted{most, most};
  if (::setrlimit(resource, &wanted) != 0) return Unexpected(system_error(errno).in("setrlimit"));
  return {};
}

Result<void> allow_beneath(int ruleset, int directory, std::uint64_t access) {
  landlock_path_beneath_attr rule{};
  rule.allowed_access = access;
  rule.parent_fd = directory;
  if (::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0) {
    return Unexpected(system_error(errno).in("landlock_add_rule"));
  }
  return {};
}

// What does not exist needs no rule.
Result<void> allow_reading(int ruleset, const std::filesystem::path& path) {
  const UniqueFd fd(::open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0) return {};
  return allow_beneath(ruleset, fd.get(), S_ISDIR(status.st_mode) ? kReadDirectory : kReadFile);
}

// kTruncate where this kernel's Landlock knows it, else 0.
Result<std::uint64_t> truncate_right() {
  const long version =
      ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version >= kTruncateVersion) return kTruncate;
  if (version >= 0) return std::uint64_t{0};
  const Errc code = errno == ENOSYS || errno == EOPNOTSUPP ? Errc::not_found : Errc::denied;
  return Unexpected(Error{code, system_error(errno).in("Landlock").message});
}

sock_filter statement(int code, std::uint32_t operand) {
  return {static_cast<std::uint16_t>(code), 0, 0, operand};
}
sock_filter branch(int condition, std::uint32_t operand, std::uint8_t if_true,
                   std::uint8_t if_false) {
  return {static_cast<std::uint16_t>(BPF_JMP | BPF_K | condition), if_true, if_false, operand};
}

// Refuses `calls` and whatever speaks another ABI than ours, allows the rest.
std::vector<sock_filter> make_filter(std::span<const long> calls) {
  const sock_filter refuse = statement(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  std::vector<sock_filter> filter{statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
                                  branch(BPF_JEQ, kArchitecture, 1, 0),
                                  refuse,
                                  statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                                  branch(BPF_JGE, kX32, 0, 1),
                                  refuse};
  for (const long call : calls) {
    filter.push_back(branch(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 1));
    filter.push_back(refuse);
  }
  filter.push_back(statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  return filter;
}

enum class Scope { thread, process };

Result<void> refuse_calls(std::span<const long> calls, Scope scope) {
  if (kArchitecture == 0) {
    return Unexpected(Error{Errc::not_found, "seccomp: no filter for this machine"});
  }
  std::vector<sock_filter> filter = make_filter(calls);
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  const unsigned flags = scope == Scope::process ? SECCOMP_FILTER_FLAG_TSYNC : 0;
  if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program) != 0) {
    return Unexpected(system_error(errno).in("seccomp"));
  }
  return {};
}

}  // namespace

Result<void> limit_process(const ProcessLimits& limits) {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return Unexpected(system_error(errno).in("no_new_privs"));
  }
  ::signal(SIGXFSZ, SIG_IGN);
  const auto cpu_seconds = std::chrono::ceil<std::chrono::seconds>(limits.cpu_time).count();
  if (auto set = set_limit(RLIMIT_CORE, 0); !set) return set;
  if (auto set = set_limit(RLIMIT_NOFILE, kMaxDescriptors); !set) return set;
  if (auto set = set_limit(RLIMIT_CPU, static_cast<rlim_t>(cpu_seconds)); !set) return set;
  return set_limit(RLIMIT_FSIZE, limits.file_size.value);
}

Result<void> restrict_files(int writable, const std::vector<std::filesystem::path>& readable) {
  const auto truncate = truncate_right();
  if (!truncate) return Unexpected(truncate.error());
  landlock_ruleset_attr attributes{};
  attributes.handled_access_fs = kHandled | *truncate;
  const UniqueFd ruleset(
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0)));
  if (!ruleset) return Unexpected(system_error(errno).in("landlock_create_ruleset"));
  if (writable >= 0) {
    auto allowed = allow_beneath(ruleset.get(), writable, kWriteDirectory | *truncate);
    if (!allowed) return allowed;
  }
  for (const auto& path : readable) {
    if (auto allowed = allow_reading(ruleset.get(), path); !allowed) return allowed;
  }
  if (::syscall(SYS_landlock_restrict_self, ruleset.get(), 0) != 0) {
    return Unexpected(system_error(errno).in("landlock_restrict_self"));
  }
  return {};
}

Result<void> restrict_system_calls() {
  std::vector<long> calls(kRefused.begin(), kRefused.end());
  if (!kSanitized) calls.insert(calls.end(), kPrograms.begin(), kPrograms.end());
  return refuse_calls(calls, Scope::process);
}

Result<void> refuse_further_rings() { return refuse_calls(kRings, Scope::thread); }

}  // namespace storage_probe::worker
