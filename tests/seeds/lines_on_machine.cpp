// Lines for one machine: the CSCS launchers for a workstation, its deep MNIST, AWS's batch sizes,
// and tensorpack's comparison.
#include "seeds/seed_line.h"

namespace lockstep {
namespace {

constexpr const char* kTotal = "\ntotal images/sec: [0-9.]+\n";

const SeedLine kLines[] = {
    {.name = "cscs_parameter_servers_and_workers_on_a_workstation",
     .typed = "distributed_tensorflow_launchers/: a launcher for a local workstation",
     .run = "lockstep train --model lenet -b 4 $FEW -g 2 --variable_update parameter_server "
            "--num_ps 1",
     .appears = {kTotal, "Nodes: 1; Devices per node: 2; Images/sec: "}},
    {.name = "cscs_ten_warm_up_steps_then_one_hundred",
     .typed = "10 warmup steps are done and then the next 100 steps are averaged",
     .run = "lockstep train --model lenet -b 1 --threads 1 --conv-algo direct --result r.json",
     .appears = {"Num batches: +100\n", "\n100\timages/sec: ", kTotal},
     .files = {"r.json"}},
    {.name = "cscs_five_runs_and_their_mean",
     .typed = "Each test is run 5 times and the times are averaged together",
     .run = "lockstep sweep --model lenet -b 4 $FEW -g 1 --repeats 5 --best -o out",
     .appears = {"lenet:4 +1 +5 "},  // launches
     .files = {"out/results.jsonl", "out/report.html"}},
    {.name = "cscs_deep_mnist",
     .typed = "MNIST/: TensorFlow's deep MNIST tutorial",
     .run = "lockstep train --model mnist -b 10 $FEW --optimizer adam",
     .appears = {"Model: +mnist", kTotal}},
    {.name = "cscs_deep_mnist_by_data_format",
     .typed = "MNIST/: a GPU-enhanced version that allows to specify data formats (NCHW or NHWC)",
     .run = "lockstep train --model mnist -b 10 $FEW --data_format NCHW && "
            "lockstep train --model mnist -b 10 $FEW --data_format NHWC",
     .appears = {"Data format: NCHW", "Data format: NHWC",
                 "total images/sec: [0-9.]+\n(.*\n)*total images/sec: "}},
    {.name = "cscs_deep_mnist_distributed",
     .typed = "MNIST/: a distributed version of this one",
     .run = "lockstep train --model mnist -b 10 $FEW -g 2 --variable_update parameter_server",
     .appears = {"Model: +mnist", "Devices per node: 2", kTotal}},
    {.name = "deeplearning_benchmark_with_batch_sizes",
     .typed = "bash runscalabilitytest.sh --models \"Inceptionv3:16,Alexnet:256\"",
     .run = "lockstep sweep --models \"Inceptionv3:1,Alexnet:2\" $FEW --max-devices 2 --repeats 1 "
            "-o out",
     .appears = {"inception3:1 ", "alexnet:2 "},
     .files = {"out/comparison_graph.svg", "out/results.jsonl"}},
    {.name = "deeplearning_benchmark_batch_sizes_of_p2",
     .typed = "mini-batch sizes of P2: Inception v3 32, Alexnet 512",
     .run = "lockstep sweep --models \"Inceptionv3,Alexnet\" --batch-preset aws-p2 --dry-run",
     .appears = {"inception3:32", "alexnet:512"}},
    {.name = "deeplearning_benchmark_batch_sizes_of_g2",
     .typed = "mini-batch sizes of G2: Inception v3 8, Alexnet 128",
     .run = "lockstep sweep --models \"Inceptionv3,Alexnet\" --batch-preset aws-g2 --dry-run",
     .appears = {"inception3:8", "alexnet:128"}},
    {.name = "tensorflow_benchmarks_replicated",
     .typed = "python tf_cnn_benchmarks.py --num_gpus=8 --batch_size=64 --model=resnet50 "
              "--variable_update=replicated --local_parameter_device=cpu",
     .run = "lockstep train --num_gpus=2 --batch_size=1 --model=resnet50 "
            "--variable_update=replicated --local_parameter_device=cpu $FEW",
     .appears = {"Model: +resnet50", "Variables: +replicated", kTotal}},
    {.name = "tensorflow_benchmarks_parameter_server",
     .typed = "python tf_cnn_benchmarks.py --num_gpus=8 --batch_size=64 --model=resnet50 "
              "--variable_update=parameter_server --local_parameter_device=cpu",
     .run = "lockstep train --num_gpus=2 --batch_size=1 --model=resnet50 "
            "--variable_update=parameter_server --local_parameter_device=cpu $FEW",
     .appears = {"Variables: +parameter_server", kTotal}},
    {.name = "tensorpack_table",
     .typed = "python resnet-multigpu.py --fake-location gpu/cpu/python "
              "--variable_update=replicated/parameter_server",
     .run = "lockstep sweep --model lenet -b 2 $FEW --num-devices 1,2 --fake-location "
            "gpu/cpu/python --variable_update=replicated/parameter_server --repeats 1 -o out "
            "--pivot devices,synthetic-location",
     .appears = {"replicated", "parameter_server", "\ndevices +device +host +pipeline\n"},
     .files = {"out/results.jsonl"}},
    {.name = "tensorpack_one_line",
     .typed = "python resnet-multigpu.py --fake-location python",
     .run = "lockstep train --model lenet -b 2 $FEW --fake-location python --result r.json && "
            "grep -o '\"synthetic_location\": *\"[a-z]*\"' r.json",
     .appears = {kTotal, "\"synthetic_location\": *\"pipeline\""}},
};

}  // namespace

std::span<const SeedLine> lines_on_machine() { return kLines; }

}  // namespace lockstep
