// Lines of the CSCS launchers for Piz Daint, which start servers and workers on Slurm nodes.
#include "seeds/seed_line.h"

namespace lockstep {
namespace {

const SeedLine kLines[] = {
    {.name = "cscs_job_on_piz_daint",
     .typed = "sbatch run_dist_tf_daint.sh",
     .run = "lockstep train --launcher slurm -n 2 --model lenet -b 4 $FEW "
            "--variable_update parameter_server --num_ps 1 --sbatch-option=--time=10",
     .appears = {"Slurm job [0-9]+: running", "\ntotal images/sec: [0-9.]+\n",
                 "Nodes: [12]; Devices per node: [12]; Images/sec: "}},
    {.name = "cscs_allocation_on_piz_daint",
     .typed = "salloc -N 2; srun python tf_cnn_benchmarks.py ...",
     .run = "salloc --quiet -N 2 srun -n 2 lockstep train --model lenet -b 4 $FEW",
     .appears = {"\ntotal images/sec: [0-9.]+\n"}},
    {.name = "cscs_parameter_servers_and_workers_on_piz_daint",
     .typed = "srun -w NODE python ... --job_name=worker --task_index=I --ps_hosts=... "
              "--worker_hosts=...",
     .run = "cat > job.sh <<'END'\n"
            "h='--ps_hosts=127.0.0.1:5000 --worker_hosts=127.0.0.1:5001,127.0.0.1:5002'\n"
            "on() { srun --overlap --overcommit -N 1 -n 1 -w $1 lockstep train --model=lenet "
            "--batch_size=4 $FEW --variable_update=parameter_server --job_name=$2 --task_index=$3 "
            "$h > $2-$3.log 2>&1; }\n"
            "on n1 ps 0 & on n2 worker 1 & on n1 worker 0\n"
            "wait; cat ps-0.log worker-0.log worker-1.log\n"
            "END\n"
            "salloc --quiet -N 2 sh job.sh",
     .appears = {"Running parameter server 0",
                 "total images/sec: [0-9.]+\n(.*\n)*total images/sec: [0-9.]+\n"}},
};

}  // namespace

std::span<const SeedLine> lines_on_slurm() { return kLines; }

}  // namespace lockstep
