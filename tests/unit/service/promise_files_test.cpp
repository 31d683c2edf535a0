// SPDX-License-Identifier: Apache-2.0
#include "service/promise_files.h"

#include <gtest/gtest.h>

#include "support/files.h"
#include "support/temp_dir.h"

namespace storage_probe::service {
namespace {

class PromiseFilesTest : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& text) {
    return test::write_file(directory_ / name, text);
  }
  test::TempDir directory_;
};

TEST_F(PromiseFilesTest, AreOneBook) {
  const auto book = read_promise_files({write("a", R"({"vol-1": {"iops": 3000}})"),
                                        write("b", R"({"vol-2": {"type": "aws.gp2"}})")});
  ASSERT_TRUE(book) << book.error().message;
  EXPECT_EQ(book->at("vol-1").promise.iops, 3000);
  EXPECT_EQ(book->at("vol-2").type, "aws.gp2");
  EXPECT_TRUE(read_promise_files({})->empty());
}

TEST_F(PromiseFilesTest, AFlawNamesItsFileAndRefusesAll) {
  const auto good = write("good", R"({"vol-1": {"iops": 3000}})");
  const auto bad = write("bad", R"({"vol-2": {"iops": -1}})");
  for (const auto& file : {bad, directory_ / "absent"}) {
    const auto book = read_promise_files({good, file});
    ASSERT_FALSE(book);
    EXPECT_NE(book.error().message.find(file.string()), std::string::npos) << book.error().message;
  }
}

TEST_F(PromiseFilesTest, TwoWordsAboutOneVolumeAreOneTooMany) {
  const auto book = read_promise_files(
      {write("a", R"({"vol-1": {"iops": 3000}})"), write("b", R"({"vol-1": {"iops": 6000}})")});
  ASSERT_FALSE(book);
  EXPECT_NE(book.error().message.find("vol-1"), std::string::npos);
}

}  // namespace
}  // namespace storage_probe::service
