# reframe_lockstep.py: a ReFrame test: one run per network, images/sec as its performance variable.
#
#   reframe -c packaging/reframe_lockstep.py -r -S program=/opt/lockstep/bin/lockstep
#
# A site adds its references:  -S reference='{"daint:gpu": {"speed": (900, -0.05, None, "img/s")}}'
# Tested: ReFrame 4.10 from PyPI on its generic system, with the bundle; both networks passed.
# Not tested: a system with partitions and a scheduler.
import reframe as rfm
import reframe.utility.sanity as sn


@rfm.simple_test
class LockstepTrain(rfm.RunOnlyRegressionTest):
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    program = variable(str, value="lockstep")
    devices = variable(int, value=1)
    steps = variable(int, value=20)
    network = parameter(["alexnet", "resnet50"])

    @run_before("run")
    def command_line(self):
        self.executable = self.program
        self.executable_opts = ["train", f"--model={self.network}", f"--num-devices={self.devices}",
                                f"--num-batches={self.steps}", "--batch-size=8"]

    @sanity_function
    def finished(self):
        return sn.assert_found(r"^total images/sec: ", self.stdout)

    @performance_function("img/s")
    def speed(self):
        return sn.extractsingle(r"^total images/sec: (\S+)", self.stdout, 1, float)
