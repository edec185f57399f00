"""Trains the network of a lockstep job with PyTorch.

usage: lockstep_pytorch.py JOB.json

The job describes the network layer by layer. lockstep_job.py reads it and reports the steps.
"""
import array
import os
import time

import torch
import torch.nn.functional as F

import lockstep_job
from lockstep_job import Step, loss_through

NAME = "PyTorch"
MODES = ["eager", "eager-channels-last", "compile", "compile-channels-last"]
UNBIASED = True


def version():
    return torch.__version__


def tensor(numbers, shape):
    return torch.frombuffer(numbers, dtype=DTYPES[numbers.typecode]).reshape(shape)


DTYPES = {"f": torch.float32, "i": torch.int32, "B": torch.uint8}


def numbers_of(tensor):
    """Back from tensor(), in plain order."""
    numbers = array.array("f", bytes(4 * tensor.numel()))
    torch.frombuffer(numbers, dtype=torch.float32).view(tensor.shape).copy_(tensor.detach())
    return numbers


class Network(torch.nn.Module):
    """The layers of the job, in order. Parameters have the names of the job."""

    def __init__(self, job):
        super().__init__()
        self.layers = job.layers
        self.masks = None  # by layer, of a checked step
        for variable, values in job.values():
            value = tensor(values, variable["shape"])
            self.register_parameter(variable["name"].replace("/", "_"), torch.nn.Parameter(value))
        for layer in job.normalisations:
            channels = layer["output"][0]
            self.register_buffer(layer["name"] + "_mean", torch.zeros(channels))
            self.register_buffer(layer["name"] + "_variance", torch.ones(channels))

    def value(self, layer, role):
        return getattr(self, layer["name"] + "_" + role, None)

    def forward(self, images, labels, observe=None):
        def run(layer, *inputs):
            return getattr(self, "run_" + layer["kind"])(layer, *inputs)

        return loss_through(self.layers, images, run,
                            lambda logits: F.cross_entropy(logits, labels), observe)

    def count_macs(self, images, labels):
        """Multiply-adds per image, by one more pass through the layers."""
        counts = []

        def observe(layer, output):
            kernel = self.value(layer, "kernel")
            if kernel is not None:
                counts.append(output[0].numel() * kernel[0].numel())

        with torch.no_grad():
            self.forward(images, labels, observe)
        return sum(counts)

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
        if layer["ceiling"] is None:
            return F.relu(x, inplace=layer["owns_input"])
        return F.hardtanh(x, 0, layer["ceiling"], inplace=layer["owns_input"])

    run_relu6 = run_relu

    def run_dropout(self, layer, x):
        if not self.masks:
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

    def __init__(self, job, mode, group):
        self.job = job
        self.device = torch.device(job.device)
        layout = torch.channels_last if "channels-last" in mode else torch.contiguous_format
        place = {"device": self.device, "memory_format": layout}
        self.network = Network(job).to(**place)
        self.images = tensor(*job.images()).to(**place)
        self.labels = tensor(*job.labels()).long().to(self.device)
        self.parameters = sum(value.numel() for value in self.network.parameters())
        self.optimizer = self.make_optimizer()
        self.host_loss = torch.empty((), pin_memory=self.device.type == "cuda")
        self.model, self.communication = self.network, None
        if group:
            self.model = torch.nn.parallel.DistributedDataParallel(
                self.network, process_group=group, gradient_as_bucket_view=True,
                broadcast_buffers=False)  # every rank keeps its own moving averages
            if job.device == "cpu":
                self.communication = ExposedCommunication(self.model)
        self.knows_communication = not group or self.communication
        if mode.startswith("compile"):
            torch.compiler.reset()  # strides that differ from an earlier mode's would be dynamic
            self.model = torch.compile(self.model)

    def make_optimizer(self):
        decaying, others = [], []
        for variable, value in zip(self.job.network["variables"], self.network.parameters()):
            (decaying if variable["decays"] else others).append(value)
        groups = [{"params": decaying, "weight_decay": self.job.weight_decay},
                  {"params": others, "weight_decay": 0}]
        momentum = self.job.optimizer["momentum"] if self.job.optimizer["name"] == "momentum" else 0
        return torch.optim.SGD([group for group in groups if group["params"]], lr=0.0,
                               momentum=momentum, nesterov=momentum > 0, fused=True)

    @property
    def macs(self):
        return self.network.count_macs(self.images, self.labels[0])

    def values(self):
        return map(numbers_of, self.network.parameters())

    def averages(self):
        for layer in self.job.normalisations:
            yield (numbers_of(self.network.value(layer, "mean")),
                   numbers_of(self.network.value(layer, "variance")))

    def train_step(self, step, learning_rate, masks):
        begin = time.monotonic()
        if masks:
            self.network.masks = {name: tensor(*mask).to(self.device)
                                  for name, mask in masks.items()}
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate
        loss = self.model(self.images, self.labels[step])
        forward = time.monotonic()
        loss.backward()
        backward = time.monotonic()
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        if self.device.type != "cpu":
            return Step(begin, None, self.reading(loss), {})
        end = time.monotonic()
        phases = {"forward": forward - begin, "backward": backward - forward,
                  "update": end - backward}
        if self.knows_communication:
            waited = self.communication.until(backward) if self.communication else 0.0
            phases["exposed_communication"] = waited
            phases["backward"] -= waited
        return Step(begin, end, loss.item, phases)

    def reading(self, loss):
        """Of an accelerator: waits for this step, not for those queued after it."""
        host, done = torch.empty_like(self.host_loss, pin_memory=True), torch.Event(self.device)
        host.copy_(loss.detach(), non_blocking=True)
        done.record()

        def read():
            done.synchronize()
            return host.item()
        return read


class ExposedCommunication:
    """Measures per step how long backward waits after its last gradient is ready."""

    def __init__(self, model):
        self.last_ready = 0.0

        def hook(group, bucket):  # must be a function
            if bucket.is_last():
                self.last_ready = time.monotonic()
            buffer = bucket.buffer().div_(torch.distributed.get_world_size())
            work = torch.distributed.all_reduce(buffer, async_op=True)
            return work.get_future().then(lambda future: future.value()[0])

        model.register_comm_hook(None, hook)

    def until(self, end_of_backward):
        return max(0.0, end_of_backward - self.last_ready)


def device(job):
    return str(torch.empty((), device=job.device).device)


def use_tf32(wanted):
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = wanted


def start(job):
    torch.set_flush_denormal(True)  # as our own engine does; before there are threads: they copy it
    torch.set_num_threads(job.threads)
    if job.device != "cpu":
        torch.cuda.set_device(job.device)
        torch.backends.cudnn.benchmark = True  # measures the algorithms of a convolution
    torch.manual_seed(job.rank)
    if not job.grouped:
        return "", None
    backend = "nccl" if job.device.startswith("cuda") else "gloo"
    host, port = job.addresses[0].rsplit(":", 1)
    os.environ.update(MASTER_ADDR=host, MASTER_PORT=port)
    torch.distributed.init_process_group(backend, rank=job.rank, world_size=job.size)
    return backend, torch.distributed.group.WORLD


if __name__ == "__main__":
    lockstep_job.run()
    os._exit(0)  # at a normal end of Python, a thread of Gloo may abort the program
