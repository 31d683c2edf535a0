// SPDX-License-Identifier: Apache-2.0
#include "base/published.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

namespace storage_probe {
namespace {

TEST(Published, IsEmptyBeforeTheFirstValue) { EXPECT_EQ(Published<int>().get(), nullptr); }

TEST(Published, KeepsAReadersValueAlive) {
  Published<int> published;
  published.set(std::make_shared<int>(1));
  const auto old = published.get();
  published.set(std::make_shared<int>(2));
  EXPECT_EQ(*old, 1);
  EXPECT_EQ(*published.get(), 2);
}

TEST(Published, HandsWholeValuesToAnotherThread) {
  Published<int> published;
  published.set(std::make_shared<int>(0));
  std::thread writer([&] {
    for (int i = 1; i <= 1000; ++i) published.set(std::make_shared<int>(i));
  });
  int last = 0;
  while (last < 1000) {
    const int now = *published.get();
    EXPECT_GE(now, last);
    last = now;
  }
  writer.join();
}

}  // namespace
}  // namespace storage_probe
