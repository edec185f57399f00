// Lines of tfperftest, the CSCS launchers for EC2, AWS's deeplearning-benchmark and Horovod.
#include "seeds/seed_line.h"

namespace lockstep {
namespace {

constexpr const char* kTotal = "\ntotal images/sec: [0-9.]+\n";

const SeedLine kLines[] = {
    {.name = "tfperftest",
     .typed = "bash runtest.sh -m inceptionv3 -h nodes -r /tmp/ -n 2 -g 2 -b 32",
     .run = "lockstep train -m inceptionv3 -h nodes -r $DISK -n 2 -g 2 -b 1 $FEW --log-dir log",
     .appears = {"Model: +inception3", kTotal,
                 "Nodes: 2; Devices per node: 2; Images/sec: [0-9.]+ \\([0-9.]+ per device\\)"},
     .files = {"log/rank-0-host1.log", "log/rank-3-host2.log"}},
    {.name = "tfperftest_without_a_model",
     .typed = "bash runtest.sh -h nodes -r /tmp/ -n 2 -g 2 -b 32",
     .run = "lockstep train -h nodes -r $DISK -n 2 -g 1 -b 1 $FEW",
     .appears = {"note: .*inception3", "Model: +inception3",
                 "Nodes: 2; Devices per node: 1; Images/sec: "}},
    {.name = "tfperftest_alexnet_with_lines_of_every_worker",
     .typed = "bash runtest.sh -m alexnet -h nodes -r /tmp/ -n 2 -g 2 -b 32",
     .run = "lockstep train -m alexnet -h nodes -r $DISK -n 2 -g 1 -b 2 $FEW -v",
     .appears = {"Worker 1: [0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8}\\.[0-9]{6}: step [0-9]+, "
                 "loss = [0-9.e+]+\\([0-9.]+ examples/sec; [0-9.]+  sec/batch\\)",
                 "Nodes: 2; Devices per node: 1; Images/sec: "}},
    {.name = "cscs_parameter_servers_and_workers_on_ec2",
     .typed = "python tf_cnn_benchmarks.py --job_name=ps --task_index=0 --ps_hosts=... "
              "--worker_hosts=...",
     .run = "h='--ps_hosts=host1:5000 --worker_hosts=host1:5001,host2:5001'\n"
            "on() { ssh -n $1 $(command -v lockstep) train --model=lenet --batch_size=4 $FEW "
            "--variable_update=parameter_server --job_name=$2 --task_index=$3 $h > $2-$3.log 2>&1; "
            "}\n"
            "on node1 ps 0 & on node2 worker 1 & on node1 worker 0\n"
            "wait; cat ps-0.log worker-0.log worker-1.log",
     .appears = {"Running parameter server 0",
                 "total images/sec: [0-9.]+\n(.*\n)*total images/sec: [0-9.]+\n"}},
    {.name = "cscs_launcher_for_ec2",
     .typed = "distributed_tensorflow_launchers/: a launcher for EC2 instances",
     .run = "lockstep train --hosts nodes --model lenet -b 4 $FEW -r $DISK "
            "--variable_update parameter_server --num_ps 1",
     .appears = {kTotal, "Nodes: 2; Devices per node: 1; Images/sec: "}},
    {.name = "deeplearning_benchmark_on_a_cluster",
     .typed = "bash runscalabilitytest.sh",
     .run = "ssh -A node0 \"cd $PWD && DEEPLEARNING_WORKERS_PATH=$PWD/nodes $(command -v lockstep) "
            "sweep --batch-size 1 --num-batches 1 --num-warmup-batches 0 --conv-algo direct "
            "--repeats 1 "
            "--max-devices 2 -r $DISK -o out\"",
     .appears = {"inception3", "alexnet", "parameter_server"},
     .files = {"out/comparison_graph.svg", "out/report.html", "out/results.jsonl"}},
    {.name = "horovod_synthetic_data",
     .typed = "mpirun -np 16 -H server1:4,server2:4,server3:4,server4:4 -bind-to none -map-by slot "
              "-x NCCL_DEBUG=INFO -x LD_LIBRARY_PATH -x PATH -mca pml ob1 -mca btl ^openib "
              "python scripts/tf_cnn_benchmarks/tf_cnn_benchmarks.py --model resnet101 "
              "--batch_size 64 --variable_update horovod",
     .run = "mpirun -np 4 -H host1:2,host2:2 -bind-to none -map-by slot "
            "-x NCCL_DEBUG=INFO -x LD_LIBRARY_PATH -x PATH -mca pml ob1 -mca btl ^openib "
            "lockstep train --model resnet101 --batch_size 1 --variable_update horovod $FEW",
     .appears = {"Model: +resnet101", kTotal, "Nodes: 2; Devices per node: 2; Images/sec: "}},
    {.name = "horovod_real_data",
     .typed = "... --data_dir /path/to/imagenet/tfrecords --data_name imagenet --num_batches=2000",
     .run = "lockstep data make records --images 32 --classes 10 --height 64 --width 64 && "
            "mpirun -np 2 -H host1:1,host2:1 -bind-to none -map-by slot "
            "-x NCCL_DEBUG=INFO -x LD_LIBRARY_PATH -x PATH -mca pml ob1 -mca btl ^openib "
            "lockstep train --model resnet101 --batch_size 1 --variable_update horovod "
            "--data_dir $PWD/records --data_name imagenet --num_batches=2 --num_warmup_batches=0 "
            "--conv-algo=direct",
     .appears = {"Dataset: +imagenet\n", kTotal}},
    {.name = "horovod_by_our_launcher",
     .typed = "the same, started by lockstep",
     .run = "lockstep train --launcher mpirun --hosts host1:2,host2:2 --model lenet -b 4 $FEW",
     .appears = {kTotal, "Nodes: 2; Devices per node: 2; Images/sec: "}},
};

}  // namespace

std::span<const SeedLine> lines_on_hosts() { return kLines; }

}  // namespace lockstep
