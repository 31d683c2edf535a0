// SPDX-License-Identifier: Apache-2.0
#include "wire/promises.h"

#include <gtest/gtest.h>

namespace storage_probe::wire {
namespace {

std::string flaw(std::string_view json) {
  const auto book = parse_promises(json);
  return book ? "none" : book.error().message;
}

TEST(ParsePromises, ReadsVolumesByTheirIds) {
  const auto book = parse_promises(R"({
    "vol-0abc": {"type": "aws.gp3", "size": "500GiB", "iops": 3000, "throughput": "125MiB/s"},
    "ocid1.volume.oc1..x": {"type": "oci.block", "size": "50GiB", "vpu": 20}})");
  ASSERT_TRUE(book) << book.error().message;
  ASSERT_EQ(book->size(), 2U);
  const VolumeSpec& gp3 = book->at("vol-0abc");
  EXPECT_EQ(gp3.type, "aws.gp3");
  EXPECT_EQ(gp3.size, Bytes{500 * kGiB.value});
  EXPECT_EQ(gp3.promise.iops, 3000);
  EXPECT_EQ(gp3.promise.throughput, 125.0 * 1024 * 1024);
  EXPECT_EQ(gp3.promise.from, "file");
  EXPECT_EQ(book->at("ocid1.volume.oc1..x").vpu, 20U);
  EXPECT_EQ(book->at("ocid1.volume.oc1..x").promise, Promise{});
}

TEST(ParsePromises, ReadsFiguresOfOneOperation) {
  const auto book = parse_promises(
      R"({"d": {"read_iops": "3k", "write_iops": 1500, "read_throughput": "1GB/s",
                "write_throughput": "8Mbit/s"}})");
  ASSERT_TRUE(book) << book.error().message;
  const Promise& promise = book->at("d").promise;
  EXPECT_EQ(promise.read_iops, 3000);
  EXPECT_EQ(promise.write_iops, 1500);
  EXPECT_EQ(promise.read_throughput, 1e9);
  EXPECT_EQ(promise.write_throughput, 1e6);
}

TEST(ParsePromises, TakesNullForWhatATypeDoesNotHave) {
  const auto book = parse_promises(R"({"v": {"type": "aws.st1", "iops": null, "vpu": null}})");
  ASSERT_TRUE(book) << book.error().message;
  EXPECT_FALSE(book->at("v").promise.known());
}

TEST(ParsePromises, MayBeEmpty) { EXPECT_EQ(flaw("{}"), "none"); }

TEST(ParsePromises, NamesTheEntryThatIsWrong) {
  EXPECT_EQ(flaw(R"({"vol-1": {"throughput": 125}})"),
            "volume \"vol-1\": throughput: must be a text with its unit, as in \"125MiB/s\"");
  EXPECT_EQ(flaw(R"({"vol-1": {"throughtput": "1MB/s"}})"),
            "volume \"vol-1\": \"throughtput\" is no key of a volume: there are type, size, vpu, "
            "iops, throughput, read_iops, write_iops, read_throughput, write_throughput");
  EXPECT_EQ(flaw(R"({"vol-1": 5})"), "volume \"vol-1\": must be an object, as in {\"iops\": 3000}");
  EXPECT_EQ(flaw(R"({"vol-1": {"size": 500}})"),
            "volume \"vol-1\": size: must be a text with its unit, as in \"500GiB\"");
  EXPECT_TRUE(flaw(R"({"vol-1": {"size": "500"}})").starts_with("volume \"vol-1\": size: "));
  EXPECT_EQ(flaw(R"({"": {}})"), "a volume id must have 1 to 256 characters");
}

TEST(ParsePromises, RefusesFiguresThatNoVolumeHas) {
  for (const char* const entry :
       {R"("iops": 0)", R"("iops": -5)", R"("iops": 1e300)", R"("iops": "many")", R"("iops": [])",
        R"("throughput": "0B/s")", R"("size": "1B")", R"("vpu": -1)", R"("vpu": 1.5)",
        R"("vpu": 99999)", R"("type": "")", R"("type": "a b")", R"("type": 3)"})
    EXPECT_TRUE(flaw(std::string(R"({"v": {)") + entry + "}}").starts_with("volume \"v\": "))
        << entry;
}

TEST(ParsePromises, SaysWhereATextIsNoJson) {
  EXPECT_EQ(flaw(""), "no JSON: wrong at line 1, column 1");
  EXPECT_EQ(flaw("{\n  \"vol-1\": {\"iops\": 3000,}\n}"), "no JSON: wrong at line 2, column 26");
  EXPECT_EQ(flaw("[]"), "must be an object of volume ids, as in {\"vol-1\": {\"iops\": 3000}}");
  EXPECT_EQ(flaw("{\"\xff\": {}}").find("no JSON"), 0U);
}

TEST(ParsePromises, SurvivesHostileTexts) {
  EXPECT_EQ(flaw(std::string(200'000, '[')).find("no JSON"), 0U);
  EXPECT_NE(flaw(std::string(100'000, '[') + std::string(100'000, ']')), "none");
  EXPECT_NE(flaw(std::string(R"({"v": {"iops": 1)") + std::string(400, '0') + "}}"), "none");
  const std::string message = flaw(R"({"v": {"\n\u0007)" + std::string(5000, 'x') + R"(": 1}})");
  EXPECT_LT(message.size(), 300U);
  EXPECT_EQ(message.find('\n'), std::string::npos);
  EXPECT_EQ(flaw(std::string(kLargestPromises.value + 1, ' ')),
            "longer than 16MiB: split it into several files");
}

}  // namespace
}  // namespace storage_probe::wire
