// SPDX-License-Identifier: Apache-2.0
// Result<T> is a T or an Error: the part of std::expected<T, Error> that this project uses, spelled
// the same, so that it becomes an alias of it when the project moves to C++23.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace storage_probe {

// What a caller may decide on. Everything else belongs in the message.
enum class Errc { invalid, not_found, denied, busy, exhausted, timed_out, io };

struct Error {
  Errc code = Errc::io;
  std::string message;

  // Adds context in front: Error{io, "Permission denied"}.in("open /data/p").in("probe db").
  Error in(const std::string& context) const { return {code, context + ": " + message}; }
};

// The Error for an errno value; the message is the system's own words for it.
Error system_error(int errno_value);

// Marks a returned Error, as std::unexpected does.
struct Unexpected {
  explicit Unexpected(Error e) : error(std::move(e)) {}
  Error error;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Unexpected u) : state_(std::in_place_index<1>, std::move(u.error)) {}

  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() & { return std::get<0>(state_); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  const T& operator*() const& { return std::get<0>(state_); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Unexpected u) : state_(std::move(u.error)) {}

  explicit operator bool() const { return state_.index() == 0; }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<std::monostate, Error> state_;
};

}  // namespace storage_probe
