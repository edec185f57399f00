// 'lockstep simulate' as a user types it.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "config/run_id.h"
#include "report/made_runs.h"
#include "report/results/results_store.h"
#include "support/command_runs.h"
#include "support/temporary_directory.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class Simulate : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return (directory_.path() / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }

  TemporaryDirectory directory_;
};

std::vector<std::string> headline(const std::vector<std::string>& more) {
  std::vector<std::string> words = {"simulate", "--cluster",    "horovod-512", "--model",
                                    "vgg16",    "--batch-size", "64",          "--variable-update",
                                    "horovod"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST_F(Simulate, PrintsTheCurveOfACluster) {
  const Outcome outcome = run(headline({}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("efficiency %"), HasSubstr("512 devices: limited by")));
}

TEST_F(Simulate, NeighboursWithTheSameLimitShareALine) {
  const Outcome outcome =
      run({"simulate", "--cluster=horovod-512", "--model=inception3", "--devices=1,2,4,8"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("\n1 to 4 devices: limited by compute; only"));
  EXPECT_EQ(outcome.out.find("devices: limited by compute"),
            outcome.out.rfind("devices: limited by compute"));
}

TEST_F(Simulate, ItsResultsAreReportedBesideMeasuredOnes) {
  ASSERT_EQ(run(headline({"--output", path("out"), "--devices=1,4,16"})).code, 0);
  ASSERT_EQ(run(headline({"--output", path("out"), "--devices=4,16,64"})).code, 0);
  EXPECT_EQ(read_store(path("out")).runs.size(), 4u) << "the same run replaces itself";
  const Outcome report = run({"report", path("out")});
  ASSERT_EQ(report.code, 0) << report.err;
  EXPECT_THAT(report.out, HasSubstr("horovod-512, simulated"));
  EXPECT_TRUE(fs::exists(path("out/scaling_efficiency.svg")));
}

TEST_F(Simulate, KeepsWhatElseTheDirectoryHolds) {
  std::vector<StoredRun> measured;
  add(measured, {.model = "vgg16"});
  {
    ResultsStore store(path("out"));
    store.append(measured[0]);
  }
  std::ofstream(path("out/results.jsonl"), std::ios::app) << "{\"of\": \"another version\"}\n";
  ASSERT_EQ(run(headline({"--output", path("out"), "--devices=4"})).code, 0);
  ASSERT_EQ(run(headline({"--output", path("out"), "--devices=4"})).code, 0);
  const StoreContents contents = read_store(path("out"));
  EXPECT_EQ(contents.runs.size(), 3u) << "with one device, which efficiency is relative to";
  EXPECT_EQ(contents.skipped.size(), 1u) << "a line that cannot be read is not lost";
}

TEST_F(Simulate, RefusesADirectoryThatASweepIsWriting) {
  const ResultsStore sweep(path("out"));
  const Outcome outcome = run(headline({"--output", path("out"), "--devices=4"}));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
}

TEST_F(Simulate, RefusesADirectoryThatCannotBeWritten) {
  const Outcome outcome = run(headline({"--output=/proc/none", "--devices=4"}));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
}

TEST_F(Simulate, StartsFromTheRateOfAProfile) {
  std::vector<StoredRun> made;
  add(made, {.model = "alexnet", .rates = {123}});
  write_result(path("one.json"), made[0].result);
  const Outcome outcome = run({"simulate", "--cluster=horovod-512", "--profile", path("one.json"),
                               "--devices=1", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["model"], "alexnet");
  EXPECT_NEAR(json["points"][0]["images_per_second"].get<double>(), 123, 1e-9);
}

TEST_F(Simulate, AProfileWithRealDataHasDecodedItsImages) {
  std::vector<StoredRun> made;
  add(made, {.model = "alexnet", .rates = {200}});
  const std::string cluster = write("fed.toml", "nodes = 1\n[node]\ncores = 1\n");
  const auto outcome_at = [&](double rate) {
    RunResult profile = made[0].result;
    profile.config.data_dir = "/data/imagenet";
    profile.throughput.total_images_per_second = rate;
    write_result(path("real.json"), profile);
    return run({"simulate", "--cluster", cluster, "--profile", path("real.json"), "--real-data",
                "--devices=1", "--json"});
  };
  for (const double rate : {200.0, 400.0}) {
    const Outcome outcome = outcome_at(rate);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const auto json = nlohmann::json::parse(outcome.out);
    EXPECT_NEAR(json["points"][0]["images_per_second"].get<double>(), rate, 1e-6);
  }
  EXPECT_THAT(outcome_at(200).err, Not(HasSubstr("--real-data is ignored")));
  EXPECT_THAT(outcome_at(400).err, HasSubstr("--real-data is ignored")) << "a core decodes 300";
}

TEST_F(Simulate, RatesOfOtherPrecisionsAreNotTaken) {
  const std::string both =
      write("both.toml",
            "nodes = 1\n[images_per_second]\n\"resnet50:64\" = 200\n\"resnet50:64:fp16\" = "
            "400\n");
  const Outcome outcome =
      run({"simulate", "--cluster", both, "--model=resnet50", "--devices=1", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_NEAR(json["one_device_images_per_second"].get<double>(), 200, 1e-9);
}

TEST_F(Simulate, AWhatIfWithoutEffectSaysSo) {
  const auto words = headline({"--devices=16", "--what-if", "servers=4", "bandwidth=2x"});
  const Outcome text = run(words);
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("note: servers=4 has no effect on this run"),
                              Not(HasSubstr("note: bandwidth=2x"))));
  const auto json = nlohmann::json::parse(
      run(headline({"--devices=16", "--json", "--what-if", "servers=4", "bandwidth=2x"})).out);
  EXPECT_EQ(json["what_if"][0]["has_effect"], false);
  EXPECT_EQ(json["what_if"][1]["has_effect"], true);
}

TEST_F(Simulate, PrintsTheSameTwice) {
  for (const char* fidelity : {"schedule", "message"}) {
    const auto words = headline({"--devices=1,16", "--json", "--fidelity", fidelity});
    const Outcome first = run(words);
    if (first.code != 0) continue;  // a build without SimGrid
    EXPECT_EQ(first.out, run(words).out) << fidelity;
  }
}

TEST_F(Simulate, ListsAndShowsClusters) {
  const Outcome list = run({"simulate", "--list-clusters"});
  ASSERT_EQ(list.code, 0) << list.err;
  for (const char* name : {"horovod-512", "piz-daint", "ec2-p2-8xlarge", "dgx-1", "cori-haswell"}) {
    EXPECT_THAT(list.out, HasSubstr(name));
  }
  const Outcome entries = run({"simulate", "--cluster=horovod-512", "--show-cluster"});
  EXPECT_THAT(entries.out,
              AllOf(HasSubstr("network.line_gbit"), HasSubstr("stated"), HasSubstr("assumed")));
  EXPECT_THAT(entries.out, ContainsRegex("servers.count +one per node +default"));
  EXPECT_THAT(entries.out, ContainsRegex("transport.rdma.latency_us +15 +default +headers"));
  EXPECT_THAT(entries.out, ContainsRegex("vgg16:64 +130.9 +stated"));
  const Json json =
      Json::parse(run({"simulate", "--cluster=horovod-512", "--show-cluster", "--json"}).out);
  EXPECT_TRUE(std::ranges::any_of(json, [](const Json& each) {
    return each.at("entry") == "servers.count" && each.at("value") == "one per node" &&
           each.at("origin") == "default";
  }));
}

TEST_F(Simulate, WarnsFarBeyondWhatWasCalibrated) {
  const std::string file =
      write("mine.toml", "nodes = 64\ncalibrated_devices = 2\n[network]\nline_gbit = 10\n");
  const Outcome outcome = run({"simulate", "--cluster", file, "--model=resnet50",
                               "--images-per-second=100", "--devices=64", "--output", path("out")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("64 devices are more than 8 times the 2"));
  EXPECT_THAT(read_store(path("out")).runs.back().result.origin, HasSubstr("more than 8 times"));
  const Outcome plan = run({"simulate", "--cluster", file, "--model=resnet50",
                            "--images-per-second=100", "--devices=2", "--target=3000"});
  ASSERT_EQ(plan.code, 0) << plan.err;
  EXPECT_THAT(plan.err, HasSubstr("devices are more than 8 times the 2"));
}

TEST_F(Simulate, AnswersWhatIfsAndTargets) {
  const Outcome outcome = run(
      headline({"--target=10000", "--what-if", "bandwidth=2x", "compression=fp16", "no-overlap"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("bandwidth=2x"), HasSubstr("no-overlap"),
                                 HasSubstr("fewest nodes for 10000 images/sec")));
}

TEST_F(Simulate, WritesATraceAndJson) {
  const Outcome outcome = run(headline({"--json", "--devices=16", "--trace-file", path("t.json")}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["points"][0]["devices"], 16);
  std::ifstream in(path("t.json"));
  EXPECT_GT(nlohmann::json::parse(in)["traceEvents"].size(), 10u);
}

TEST_F(Simulate, JsonSaysHowItWasPredictedAndHowBusyLinksAre) {
  const auto json = nlohmann::json::parse(run(headline({"--json", "--devices=16"})).out);
  EXPECT_EQ(json["fidelity"], "schedule");
  EXPECT_EQ(json["warning"], "");
  const double use = json["points"][0]["link_use"]["node"];
  EXPECT_GT(use, 0.1);
  EXPECT_LT(use, 1);
}

TEST_F(Simulate, BucketMbIsHorovodsFusionBuffer) {
  EXPECT_NE(run(headline({"--devices=64"})).out,
            run(headline({"--devices=64", "--bucket-mb=1"})).out);
}

TEST_F(Simulate, ACurveEndsWhereTheNodesEnd) {
  const Outcome half = run(headline({"--devices-per-node=2"}));
  ASSERT_EQ(half.code, 0) << half.err;
  EXPECT_THAT(half.out, HasSubstr("256 devices: limited by"));
  const std::string file = write("own.toml",
                                 "nodes = 8\n[network]\nline_gbit = 10\n[servers]\n"
                                 "on_workers = false\ncount = 3\n");
  const std::vector<std::string> words = {"simulate",
                                          "--cluster",
                                          file,
                                          "--model=resnet50",
                                          "--images-per-second=100",
                                          "--variable-update=parameter_server"};
  const Outcome served = run(words);
  ASSERT_EQ(served.code, 0) << served.err;
  EXPECT_THAT(served.out, HasSubstr("\n5 devices: limited by"));
  std::vector<std::string> more = words;
  more.emplace_back("--devices=8");
  const Outcome refused = run(more);
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("parameter servers have 3 of the 8 nodes"));
}

TEST_F(Simulate, BandsStandWhereJitterWasMeasured) {
  const std::string assumed = "nodes = 4\n[network]\nline_gbit = 10\n[jitter]\nrank = 0.02\n";
  const std::string measured =
      "nodes = 4\n[network]\nline_gbit = 10\n[jitter]\nrank = { value = "
      "0.02, measured = \"own\" }\n";
  const auto out = [&](const std::string& text) {
    return run({"simulate", "--cluster", write("c.toml", text), "--model=resnet50",
                "--images-per-second=100", "--devices=4"})
        .out;
  };
  EXPECT_THAT(out(measured), HasSubstr("95 %"));
  EXPECT_THAT(out(assumed), Not(HasSubstr("95 %")));
}

TEST_F(Simulate, ValidatesItsOwnRowsAndThoseOfAFile) {
  EXPECT_THAT(run({"simulate", "--validate", "own"}).out, HasSubstr("mean error"));
  const std::string cluster = write("mine.toml", "nodes = 4\n[network]\nline_gbit = 10\n");
  const std::string rows =
      write("rows.csv",
            "source,model,batch_per_gpu,gpus_per_node,nodes,gpus,update,images_per_sec,cluster\n"
            "me,resnet50,32,1,1,1,horovod,100,mine\nme,resnet50,32,1,4,4,horovod,350,mine\n");
  const Outcome outcome =
      run({"simulate", "--validate", rows, "--clusters", directory_.path().string()});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("me: mine"));
}

TEST_F(Simulate, ChecksASweep) {
  std::vector<StoredRun> runs;
  add(runs, {.devices = 1, .rates = {100}});
  add(runs, {.devices = 2, .rates = {190}});
  add(runs, {.devices = 4, .rates = {360}});
  ResultsStore store(path("sweep"));
  for (const StoredRun& each : runs) store.append(each);
  const Outcome outcome = run({"simulate", "--check", path("sweep")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("as smallest run"), HasSubstr("mean error")));
  const Json json = Json::parse(run({"simulate", "--check", path("sweep"), "--json"}).out);
  const Json& last = json.at("runs").back();
  EXPECT_DOUBLE_EQ(
      last.at("error"),
      last.at("predicted").get<double>() / last.at("images_per_second").get<double>() - 1);
}

TEST_F(Simulate, AFileThatCannotBeUsedDoesNotHideTheOthers) {
  write("bad.toml", "nodes = 0\n");
  write("good.toml", "description = \"a good one\"\nnodes = 3\n[network]\nline_gbit = 1\n");
  const Outcome list = run({"simulate", "--list-clusters", "--clusters", path("")});
  ASSERT_EQ(list.code, 0) << list.err;
  EXPECT_THAT(list.out, AllOf(HasSubstr("a good one"), HasSubstr("nodes must be at least 1")));
  const Json json =
      Json::parse(run({"simulate", "--list-clusters", "--json", "--clusters", path("")}).out);
  std::map<std::string, Json> by_name;
  for (const Json& each : json) by_name[each.at("cluster")] = each;
  EXPECT_TRUE(by_name.at(path("bad.toml")).at("nodes").is_null());
  EXPECT_THAT(by_name.at(path("bad.toml")).at("problem").get<std::string>(),
              HasSubstr("nodes must be at least 1"));
  EXPECT_EQ(by_name.at(path("good.toml")).at("nodes"), 3);
}

TEST_F(Simulate, ACurveWithServersBeginsWithFewerNodes) {
  const Outcome outcome =
      run(headline({"--variable-update=parameter_server", "--num-ps=4", "--devices=1,4,16"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("\n16 devices: limited by"));
}

TEST_F(Simulate, WhatIfIsOfTheLargestRun) {
  const auto json = [](const std::string& devices) {
    return nlohmann::json::parse(
        run(headline({"--devices", devices, "--json", "--what-if", "bandwidth=2x"})).out);
  };
  EXPECT_EQ(json("512,1")["what_if"], json("1,512")["what_if"]);
  EXPECT_EQ(json("512,1")["what_if"][0]["devices"], 512);
}

TEST_F(Simulate, RunsOverOtherTransportsAreKeptSideBySide) {
  for (const char* transport : {"tcp", "rdma", "tcp"}) {
    ASSERT_EQ(
        run(headline({"--output", path("out"), "--devices=16", "--transport", transport})).code, 0);
  }
  EXPECT_EQ(read_store(path("out")).runs.size(), 4u) << "on 1 and on 16 devices";
}

struct Refused {
  std::vector<std::string> words;
  std::string why;
};

TEST_F(Simulate, BadInputIsOneLineAndExitCodeTwo) {
  const std::string zero = write("zero.toml", "nodes = 2\n[network]\nline_gbit = 0\n");
  const std::string unknown = write("unknown.toml", "nodes = 1\ncolour = \"red\"\n");
  std::vector<StoredRun> made;
  add(made, {.model = "alexnet"});
  write_result(path("alexnet.json"), made[0].result);
  add(made, {.model = "alexnet", .devices = 2});
  write_result(path("two.json"), made[1].result);
  const std::string own = write("servers.toml",
                                "nodes = 4\n[network]\nline_gbit = 1\n[servers]\n"
                                "on_workers = false\n");
  const std::string one =
      write("one.toml", "nodes = 1\ndevices_per_node = 8\n[servers]\non_workers = false\n");
  const Refused all[] = {
      {{"simulate"}, "simulate needs --cluster"},
      {{"simulate", "--cluster", "horovod-512"}, "simulate needs --model"},
      {{"simulate", "--cluster", "nowhere", "--model", "vgg16"}, "unknown cluster 'nowhere'"},
      {{"simulate", "--cluster", zero, "--model", "vgg16"},
       ":3: network.line_gbit must be above 0"},
      {{"simulate", "--cluster", unknown, "--model", "vgg16"}, ":2: unknown key colour"},
      {{"simulate", "--cluster", "dgx-1", "--model", "lenet"}, "no one-device rate of lenet"},
      {headline({"--devices=1024"}), "has 128 nodes with 4 devices each"},
      {headline({"--what-if", "colour=red"}), "unknown change"},
      {headline({"--variable-update", "magic"}), "--variable-update must be one of"},
      {headline({"--variable-update=parameter_server", "--num-ps=9", "--devices=16"}),
       "only 4 nodes"},
      {{"simulate", "--cluster", "horovod-512", "--model", "vgg16", "--profile",
        path("alexnet.json")},
       "is a run of alexnet, not of vgg16"},
      {{"simulate", "--cluster", "horovod-512", "--model", "alexnet", "--batch-size", "9",
        "--profile", path("alexnet.json")},
       "--profile ran with 8"},
      {headline({"--variable-update=parameter_server", "--num-ps=500"}), "has 128 nodes"},
      {headline({"--trace-file", path("no/such/directory")}), "cannot write --trace-file"},
      {headline({"--what-if", "slow-nodes=999@0.8"}), "at most 128 nodes"},
      {{"simulate", "--validate", path("missing.csv")}, "cannot read"},
      {{"simulate", "--validate", "own", "--output", path("o")},
       "--validate does not use --output"},
      {{"simulate", "--validate", "own", "--check", path("")}, "--validate does not use --check"},
      {{"simulate", "--list-clusters", "--clusters", path("none")}, "none: not a directory"},
      {headline({"--known=device"}), "--known is for --validate"},
      {{"simulate", "--cluster=horovod-512", "--profile", path("two.json")},
       "is a run on 2 devices; profile one device"},
      {{"simulate", "--cluster", own, "--model=vgg16", "--images-per-second=9", "--devices=2",
        "--variable-update=parameter_server", "--what-if", "servers=3"},
       "2 nodes compute and 3 are parameter servers"},
      {{"simulate", "--cluster", one, "--model=vgg16", "--images-per-second=9",
        "--variable-update=parameter_server"},
       "parameter servers leave no worker: cluster one has 1 node ("},
      {{"simulate", "--cluster", own, "--model=vgg16", "--images-per-second=9", "--num-ps=4",
        "--variable-update=parameter_server"},
       "parameter servers leave no worker: cluster servers has 4 nodes ("},
      {headline({"--devices-per-node=2000000"}), "have 4 devices; use at most 4"},
      {headline({"--variable-update=parameter_server", "--fp16-gradients"}),
       "--fp16-gradients: parameter_server does not compress gradients"},
      {headline({"--variable-update=parameter_server", "--what-if", "compression=fp16"}),
       "--what-if 'compression=fp16': parameter_server does not compress gradients"},
      {{"calibrate", "--model", "nothing"}, "nothing"},
  };
  for (const Refused& each : all) {
    const Outcome outcome = run(each.words);
    EXPECT_EQ(outcome.code, 2) << each.why;
    EXPECT_THAT(outcome.err, HasSubstr(each.why));
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  }
}

}  // namespace
}  // namespace lockstep
