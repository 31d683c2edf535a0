// SPDX-License-Identifier: Apache-2.0
// Checked<T> is a T, or the Failure that a target's state is set from: what preflight, layout and
// opening return. A Result<T> would lose the state.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "model/probe_report.h"
#include "model/target.h"

namespace storage_probe::engine {

template <typename T>
class [[nodiscard]] Checked {
 public:
  Checked(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Checked(Failure failure) : state_(std::in_place_index<1>, std::move(failure)) {}

  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() & { return std::get<0>(state_); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  const T& operator*() const& { return std::get<0>(state_); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  const Failure& failure() const { return std::get<1>(state_); }

 private:
  std::variant<T, Failure> state_;
};

// A Failure whose code is the state's text.
Failure fail(TargetState state, std::string message);

// The Failure for an errno value that is a finding about the target: no_space, read_only,
// permission_denied (with our uid), else io_error. `what` says what was tried, with the path.
Failure fail_with_errno(int errno_value, std::string_view what);

}  // namespace storage_probe::engine
