"""What all adapters share: the job, the reports, and the order of work.

An adapter is a Python module that defines

  NAME, MODES                  its name for people; its modes of execution, the plainest first
  CHECKED                      the mode whose losses are checked, if that is not the measured one
  version()                    of the framework
  start(job)                   sets threads and device and joins the other ranks, if the job is
                               grouped; returns how they communicate ("gloo") and the group
  Training(job, mode, group)   a network with its values, optimizer and examples; `group`: that of
                               start(), or None: without the other ranks
    .parameters                how many values it trains
    .macs                      multiply-adds per image, counted as it ran a checked step
    .train_step(step, learning_rate, masks)  -> Step

and ends with lockstep_job.run(). Whatever costs time in a step is in train_step() and in the mode.
"""
import array
import collections
import json
import math
import os
import resource
import sys
import time

# begin, end: of the monotonic clock. phases: seconds by name, those that are known.
# loss: a function that returns it. On a CPU a step has ended when train_step() returns. On an
# accelerator it may still run: then loss() waits for it, and `end` does not count.
Step = collections.namedtuple("Step", "begin end loss phases")


def report(event, **fields):
    print("@lockstep/1 " + json.dumps({"event": event, **fields}), flush=True)


class Job:
    """job.json and the files of numbers beside it."""

    def __init__(self, path):
        self.folder = os.path.dirname(os.path.abspath(path))
        with open(path) as file:
            self.__dict__.update(json.load(file))
        self.steps = self.warmup_steps + self.timed_steps
        self.layers = self.network["layers"]
        self.shapes = {layer["name"]: layer["output"] for layer in self.layers}
        self.grouped = self.size > 1 and self.communicates

    def numbers(self, name, kind):
        """All numbers of a file, as array.array of this type code."""
        numbers = array.array(kind)
        path = os.path.join(self.folder, name)
        with open(path, "rb") as file:
            numbers.fromfile(file, os.path.getsize(path) // numbers.itemsize)
        return numbers

    def values(self):
        """Every variable of the network with its first values, flat."""
        numbers, place = self.numbers("values.f32", "f"), 0
        for variable in self.network["variables"]:
            size = math.prod(variable["shape"])
            yield variable, numbers[place:place + size]
            place += size

    def channels_last(self):
        """The same for networks in NHWC, as numpy arrays. Kernels of convolutions are HWIO. Those
        of dense layers are input, output; inputs that come from an image are in order H, W, C."""
        import numpy  # not every framework needs it
        inputs = {layer["name"]: layer["inputs"][0] for layer in self.layers[1:]}
        for variable, numbers in self.values():
            values = numpy.frombuffer(numbers, "f").reshape(variable["shape"])
            if values.ndim == 4:
                values = values.transpose(2, 3, 1, 0)
            elif values.ndim == 2:
                image = self.shapes[inputs[variable["layer"]]]
                if len(image) == 3:
                    values = values.reshape(-1, *image).transpose(0, 2, 3, 1).reshape(values.shape)
                values = values.T
            yield variable, values

    def images(self):
        return self.numbers("images.f32", "f"), [self.batch_size, *self.image]

    def labels(self):
        labels = self.numbers("labels.i32", "i")
        return labels, [len(labels) // self.batch_size, self.batch_size]

    def masks(self):
        """For every checked step: what each dropout layer keeps, as (bytes, shape) by its name."""
        numbers, place = self.numbers("masks.u8", "B"), 0
        for _ in range(self.check["steps"]):
            masks = {}
            for name in self.check["masked_layers"]:
                shape = [self.batch_size, *self.shapes[name]]
                size = math.prod(shape)
                masks[name] = numbers[place:place + size], shape
                place += size
            yield masks


def multiply_adds(layer, kernel, output):
    """Per image, of a layer with kernels, by shapes: each number of the output is a sum over one
    filter."""
    return math.prod(output[1:]) * math.prod(kernel) // layer["output"][0]


def json_number(value):
    """JSON has no word for a number that is not finite: it becomes a text."""
    return value if math.isfinite(value) else str(value)


def check(job, adapter, mode):
    """The losses of the first steps, with the dropout masks of the job."""
    training = adapter.Training(job, getattr(adapter, "CHECKED", mode), None)
    losses = [training.train_step(step, job.check["learning_rate"], masks).loss()
              for step, masks in enumerate(job.masks())]
    report("network", parameters=training.parameters, forward_macs=training.macs)
    report("check", losses=[json_number(loss) for loss in losses])


def fastest_mode(job, adapter):
    """Tries every mode for some steps; lockstep says which one all ranks use."""
    for mode in adapter.MODES:
        try:
            report("trial", mode=mode, seconds=seconds_of_step(job, adapter, mode))
        except Exception as error:  # it may lack a compiler or a library: the others count
            reason = f"{type(error).__name__}: {error}".strip().splitlines()[0]
            report("trial", mode=mode, problem=reason)
    return sys.stdin.readline().split()[-1]


def seconds_of_step(job, adapter, mode):
    training = adapter.Training(job, mode, None)
    training.train_step(0, 0.0, None).loss()  # compiles
    seconds = []
    for step in range(3):
        begin = time.monotonic()
        training.train_step(step % job.steps, 0.0, None).loss()
        seconds.append(time.monotonic() - begin)
    return sorted(seconds)[1]


def report_step(number, step, begin, end):
    report("step", step=number, begin=begin, end=end, loss=json_number(step.loss()),
           phases=step.phases)


def train(job, training):
    """All steps. On an accelerator a step is read while the next one runs."""
    if job.device == "cpu":
        for index in range(job.steps):
            step = training.train_step(index, job.learning_rates[index], None)
            report_step(index + 1, step, step.begin, step.end)
        return
    running, begin = None, time.monotonic()
    for index in range(job.steps + 1):
        queued = None
        if index < job.steps:
            queued = training.train_step(index, job.learning_rates[index], None)
        if running:
            running.loss()
            end = time.monotonic()
            report_step(index, running, begin, end)
            begin = end
        running = queued


def run():
    adapter = sys.modules["__main__"]
    job = Job(sys.argv[1])
    communication, group = adapter.start(job)
    report("hello", framework=adapter.NAME, version=adapter.version(), device=job.device,
           communication=communication, libraries={adapter.NAME: adapter.version()})
    mode = job.mode or fastest_mode(job, adapter)
    if job.check["steps"] > 0:
        check(job, adapter, mode)
    train(job, adapter.Training(job, mode, group))
    report("done", peak_memory_bytes=1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
