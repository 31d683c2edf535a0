// SPDX-License-Identifier: Apache-2.0
#include "cli/fio_line.h"

#include <gtest/gtest.h>

#include <chrono>

namespace storage_probe::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Bytes kFileSize{64 * kMiB.value};

ProbeSpec preset(const char* name, unsigned depth) {
  ProbeSpec spec = *find_preset(name);
  if (spec.kind == Kind::capacity) spec.queue_depth = depth;
  return spec;
}

const FioFile kTemporary{"/data/f.tmp", FioFile::Life::temporary, {}, kFileSize};
const FioFile kExisting{"/data/f.dat", FioFile::Life::existing, Bytes{4096}, {}};

std::string line(const ProbeSpec& spec, const FioFile& file = kTemporary,
                 Engine engine = Engine::automatic) {
  const auto made = fio_line(spec, engine, file);
  return made ? *made : made.error().message;
}

void expect_parts(const std::string& text, std::vector<const char*> parts) {
  for (const char* part : parts) {
    EXPECT_NE((text + " ").find(std::string(part) + " "), std::string::npos)
        << part << " is not in\n"
        << text;
  }
}

TEST(FioLine, IsWholeForAReadOfANewFile) {
  EXPECT_EQ(line(preset("randread", 32)),
            "fio --name=randread --filename=/data/f.tmp --size=67108864 --unlink=1 --rw=randread "
            "--bs=4096 --randrepeat=0 --norandommap=1 --direct=1 --ioengine=io_uring "
            "--registerfiles=1 --fixedbufs=1 --iodepth=32 --runtime=2s --io_size=204800000");
}

TEST(FioLine, AnExistingFileIsReadOnlyAndItsHeaderLeftOut) {
  const std::string text = line(preset("seqread", 4), kExisting);
  expect_parts(text, {"--readonly", "--offset=262144", "--rw=read", "--bs=262144"});
  EXPECT_EQ(text.find("unlink"), std::string::npos) << text;
}

TEST(FioLine, AWriteOfAnExistingFileIsRefused) {
  for (const char* name : {"randwrite", "randrw", "seqwrite", "latency-write"}) {
    const auto made = fio_line(preset(name, 4), Engine::automatic, kExisting);
    ASSERT_FALSE(made) << *made;
    EXPECT_NE(made.error().message.find("/data/f.dat"), std::string::npos) << made.error().message;
  }
}

TEST(FioLine, MixesAndSyncsAreSpelledOut) {
  ProbeSpec spec = preset("randrw", 64);
  spec.fsync_every = 32;
  expect_parts(line(spec), {"--rw=randrw", "--rwmixread=75", "--iodepth=64", "--fdatasync=32",
                            "--end_fsync=1", "--overwrite=1"});
  spec.pattern = Pattern::sequential;
  expect_parts(line(spec), {"--rw=rw", "--rwmixread=75"});
  expect_parts(line(preset("seqwrite", 4)), {"--rw=write", "--end_fsync=1"});
  EXPECT_EQ(line(preset("seqwrite", 4)).find("fdatasync"), std::string::npos);
}

TEST(FioLine, VerifyingKeepsTheMapOfBlocks) {
  ProbeSpec spec = preset("randwrite", 32);
  spec.verify = true;
  expect_parts(line(spec), {"--verify=crc32c", "--verify_state_save=0"});
  EXPECT_EQ(line(spec).find("norandommap"), std::string::npos);
}

TEST(FioLine, ALatencyProbeIsARate) {
  const std::string text = line(preset("latency", 1));
  expect_parts(text, {"--iodepth=1", "--rate_iops=20", "--rate_process=linear", "--runtime=10s",
                      "--time_based"});
  ProbeSpec mixed = preset("latency", 1);
  mixed.read_percent = 75;
  expect_parts(line(mixed), {"--rate_iops=15,5"});
  expect_parts(line(preset("latency-write", 1)), {"--rate_iops=20"});
}

TEST(FioLine, ARateThatFioHasNoWordForIsAPause) {
  ProbeSpec spec = preset("latency", 1);
  spec.rate = 0.5;
  expect_parts(line(spec), {"--thinktime=2000000us"});
  EXPECT_EQ(line(spec).find("rate_iops"), std::string::npos);
}

TEST(FioLine, RingsAreJobsThatShareTheDepthAndTheLimits) {
  ProbeSpec spec = preset("randread", 64);
  spec.rings = 4;
  spec.limits.ops = Ops{1000};
  expect_parts(line(spec), {"--numjobs=4", "--iodepth=16", "--group_reporting=1", "--thread=1",
                            "--io_size=1024000"});
}

TEST(FioLine, ThreadsAreAJobForEachIoInFlight) {
  const std::string text = line(preset("seqread", 4), kTemporary, Engine::threads);
  expect_parts(text,
               {"--ioengine=psync", "--numjobs=4", "--iodepth=1", "--offset_increment=16777216"});
  EXPECT_EQ(text.find("fixedbufs"), std::string::npos) << text;
}

TEST(FioLine, TheNearerLimitCounts) {
  ProbeSpec spec = preset("randread", 1);
  spec.limits = {milliseconds(1500), Bytes{8192}, Ops{100}};
  expect_parts(line(spec), {"--runtime=1500ms", "--io_size=8192"});
  spec.limits = {seconds(3), {}, {}};
  expect_parts(line(spec), {"--runtime=3s", "--time_based"});
}

TEST(FioLine, IsQuotedForAShellAndColonsForFio) {
  FioFile file = kTemporary;
  file.path = "/data/a b:c'd/f.tmp";
  expect_parts(line(preset("randread", 1), file), {R"(--filename='/data/a b\:c'\''d/f.tmp')"});
  file.path = "/data/$(id)/f";
  expect_parts(line(preset("randread", 1), file), {"--filename='/data/$(id)/f'"});
}

TEST(FioLine, APathThatFitsOnNoLineIsRefused) {
  FioFile file = kTemporary;
  file.path = "/data/a\nb";
  EXPECT_FALSE(fio_line(preset("randread", 1), Engine::automatic, file));
}

}  // namespace
}  // namespace storage_probe::cli
