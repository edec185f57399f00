"""Trains the network of a lockstep job with PyTorch and reports every step.

usage: pytorch.py JOB.json

The job describes the network layer by layer; values, images and labels are files beside it. Events
go to stdout, one line each (docs/frameworks.md). Everything that costs time in a step is in
train_step() and in the mode: find fault with those.
"""
import json
import math
import os
import resource
import sys
import time

import torch
import torch.nn.functional as F


def report(event, **fields):
    print("@lockstep/1 " + json.dumps({"event": event, **fields}), flush=True)


class Job:
    """job.json and the files of numbers beside it."""

    def __init__(self, path):
        self.folder = os.path.dirname(os.path.abspath(path))
        with open(path) as file:
            self.__dict__.update(json.load(file))
        self.steps = self.warmup_steps + self.timed_steps

    def numbers(self, name, dtype):
        path = os.path.join(self.folder, name)
        nothing = torch.empty(0, dtype=dtype)
        count = os.path.getsize(path) // nothing.element_size()
        return torch.from_file(path, size=count, dtype=dtype) if count else nothing


class Network(torch.nn.Module):
    """The layers of the job, in order. Parameters have the names of the job."""

    def __init__(self, job):
        super().__init__()
        self.layers = job.network["layers"]
        self.specs = job.network["variables"]
        self.masks = None  # by layer, of a checked step
        values, place = job.numbers("values.f32", torch.float32), 0
        for spec in self.specs:
            size = math.prod(spec["shape"])
            value = values[place:place + size].reshape(spec["shape"]).clone()
            self.register_parameter(spec["name"].replace("/", "_"), torch.nn.Parameter(value))
            place += size
        for layer in self.layers:
            if layer["kind"] == "bn":
                channels = layer["output"][0]
                self.register_buffer(layer["name"] + "_mean", torch.zeros(channels))
                self.register_buffer(layer["name"] + "_variance", torch.ones(channels))

    def value(self, layer, role):
        return getattr(self, layer["name"] + "_" + role, None)

    def forward(self, images, labels):
        outputs, loss = {"image": images}, 0
        for layer in self.layers[1:]:
            inputs = [outputs[name] for name in layer["inputs"]]
            if layer["kind"] == "loss":
                loss = loss + layer["weight"] * F.cross_entropy(inputs[0], labels)
            else:
                outputs[layer["name"]] = getattr(self, "run_" + layer["kind"])(layer, *inputs)
        return loss

    def run_conv(self, layer, x, groups=1):
        top, bottom, left, right = layer["pads"]
        padding = (top, left)
        if top != bottom or left != right:
            x, padding = F.pad(x, (left, right, top, bottom)), 0
        return F.conv2d(x, self.value(layer, "kernel"), self.value(layer, "bias"),
                        layer["stride"], padding, groups=groups)

    def run_depthwise(self, layer, x):
        return self.run_conv(layer, x, groups=x.shape[1])

    def run_maxpool(self, layer, x):
        top, bottom, left, right = layer["pads"]
        padding = (top, left)
        if top != bottom or left != right:
            x, padding = F.pad(x, (left, right, top, bottom), value=-float("inf")), 0
        return F.max_pool2d(x, layer["kernel"], layer["stride"], padding)

    def run_avgpool(self, layer, x):  # padding does not count
        top, bottom, left, right = layer["pads"]
        if top == bottom and left == right:
            return F.avg_pool2d(x, layer["kernel"], layer["stride"], (top, left),
                                count_include_pad=False)
        pads = (left, right, top, bottom)
        sums = F.avg_pool2d(F.pad(x, pads), layer["kernel"], layer["stride"], divisor_override=1)
        ones = F.pad(torch.ones_like(x[:1, :1]), pads)
        return sums / F.avg_pool2d(ones, layer["kernel"], layer["stride"], divisor_override=1)

    def run_fc(self, layer, x):
        return F.linear(x.flatten(1), self.value(layer, "kernel"), self.value(layer, "bias"))

    def run_bn(self, layer, x):
        return F.batch_norm(x, getattr(self, layer["name"] + "_mean"),
                            getattr(self, layer["name"] + "_variance"),
                            self.value(layer, "gamma"), self.value(layer, "beta"),
                            training=True, momentum=1 - layer["decay"], eps=layer["epsilon"])

    def run_lrn(self, layer, x):  # PyTorch divides alpha by the size of the window
        size = 2 * layer["radius"] + 1
        return F.local_response_norm(x, size, layer["alpha"] * size, layer["beta"], layer["bias"])

    def run_relu(self, layer, x):
        return F.relu(x) if layer["ceiling"] is None else F.hardtanh(x, 0, layer["ceiling"])

    run_relu6 = run_relu

    def run_dropout(self, layer, x):
        if self.masks is None:
            return F.dropout(x, 1 - layer["keep"], training=True)
        return x * self.masks[layer["name"]].reshape(x.shape) / layer["keep"]

    def run_add(self, layer, x, y):
        return x + y

    def run_concat(self, layer, *inputs):
        return torch.cat(inputs, 1)

    def run_globalpool(self, layer, x):
        return x.mean((2, 3))

    def run_padchannels(self, layer, x):
        return F.pad(x, (0, 0, 0, 0, layer["before"], layer["after"]))


class Training:
    """A network with its optimizer and its examples, in one mode of execution."""

    def __init__(self, job, mode, distributed=False):
        self.job = job
        layout = torch.channels_last if "channels-last" in mode else torch.contiguous_format
        self.network = Network(job).to(memory_format=layout)
        images = job.numbers("images.f32", torch.float32)
        self.images = images.reshape(job.batch_size, *job.image).to(memory_format=layout)
        self.labels = job.numbers("labels.i32", torch.int32).long()
        self.optimizer = self.make_optimizer()
        self.model = self.network
        if distributed:
            self.model = torch.nn.parallel.DistributedDataParallel(self.network,
                                                                   gradient_as_bucket_view=True)
        if mode.startswith("compile"):
            self.model = torch.compile(self.model)

    def make_optimizer(self):
        decaying, others = [], []
        for spec, value in zip(self.network.specs, self.network.parameters()):
            (decaying if spec["decays"] else others).append(value)
        groups = [{"params": decaying, "weight_decay": self.job.weight_decay},
                  {"params": others, "weight_decay": 0}]
        momentum = self.job.optimizer["momentum"] if self.job.optimizer["name"] == "momentum" else 0
        return torch.optim.SGD([group for group in groups if group["params"]], lr=0.0,
                               momentum=momentum, nesterov=momentum > 0)

    def batch(self, step):
        size = self.job.batch_size
        return self.images, self.labels[step * size:(step + 1) * size]

    def train_step(self, step, learning_rate):
        """One step; returns its loss and the times at which its phases began and ended."""
        times = [time.monotonic()]
        images, labels = self.batch(step)
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate
        loss = self.model(images, labels)
        times.append(time.monotonic())
        loss.backward()
        times.append(time.monotonic())
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        times.append(time.monotonic())
        return loss.item(), times


def check(job):
    """The losses of the first steps, with the dropout masks of the job."""
    training = Training(job, "eager")
    masks, place = job.numbers("masks.u8", torch.uint8), 0
    shapes = {layer["name"]: layer["output"] for layer in job.network["layers"]}
    losses = []
    for step in range(job.check["steps"]):
        training.network.masks = {}
        for name in job.check["masked_layers"]:
            shape = [job.batch_size, *shapes[name]]
            size = math.prod(shape)
            training.network.masks[name] = masks[place:place + size].reshape(shape)
            place += size
        losses.append(training.train_step(step, job.check["learning_rate"])[0])
    report("check", losses=losses)


def fastest_mode(job, modes):
    """Tries every mode for some steps; lockstep says which one all ranks use."""
    for mode in modes:
        training = Training(job, mode)
        training.train_step(0, 0.0)  # compiles
        seconds = []
        for step in range(3):
            times = training.train_step(step % job.steps, 0.0)[1]
            seconds.append(times[-1] - times[0])
        report("trial", mode=mode, seconds=sorted(seconds)[1])
    return sys.stdin.readline().split()[-1]


def time_exposed_communication(model):
    """Measures per step how long backward waits after its last gradient is ready."""
    last_ready = [0.0]

    def hook(group, bucket):
        if bucket.is_last():
            last_ready[0] = time.monotonic()
        buffer = bucket.buffer().div_(torch.distributed.get_world_size())
        work = torch.distributed.all_reduce(buffer, async_op=True)
        return work.get_future().then(lambda future: future.value()[0])

    model.register_comm_hook(None, hook)
    return last_ready


MODES = ["eager", "eager-channels-last", "compile", "compile-channels-last"]


def main():
    job = Job(sys.argv[1])
    torch.set_num_threads(job.threads)
    torch.manual_seed(job.rank)
    distributed = job.size > 1 and job.communicates
    report("hello", framework="PyTorch", version=torch.__version__, device="cpu",
           communication="gloo" if distributed else "",
           libraries={"PyTorch": torch.__version__})
    if job.check["steps"] > 0:
        check(job)
    mode = job.mode or fastest_mode(job, MODES)
    if distributed:
        host, port = job.address.rsplit(":", 1)
        torch.distributed.init_process_group("gloo", init_method=f"tcp://{host}:{port}",
                                             rank=job.rank, world_size=job.size)
    training = Training(job, mode, distributed)
    report("network", parameters=sum(value.numel() for value in training.network.parameters()))
    ready = None  # a compiled model has no hook that could tell
    if distributed and mode.startswith("eager"):
        ready = time_exposed_communication(training.model)
    for step in range(job.steps):
        loss, times = training.train_step(step, job.learning_rates[step])
        backward, waited = times[2] - times[1], 0.0
        if ready is not None:
            waited = max(0.0, times[2] - ready[0])
        phases = {"forward": times[1] - times[0], "backward": backward - waited,
                  "update": times[3] - times[2]}
        if not distributed:
            phases["exposed_communication"] = 0.0
        elif ready is not None:
            phases["exposed_communication"] = waited
        report("step", step=step + 1, begin=times[0], end=times[3], loss=loss, phases=phases)
    report("done", peak_memory_bytes=1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    if distributed:
        torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
