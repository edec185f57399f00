"""Behaves like tf_cnn_benchmarks.py where a launcher can tell: roles, lines, servers without end.

Workers ask every server for its name before they start, so a run needs all its processes.
"""
import argparse
import os
import socket
import sys

parser = argparse.ArgumentParser()
for name in ("model", "variable_update", "data_format", "device", "job_name", "ps_hosts",
             "worker_hosts", "optimizer", "forward_only", "local_parameter_device"):
    parser.add_argument("--" + name, default="")
for name in ("batch_size", "num_batches", "num_warmup_batches", "num_gpus", "display_every",
             "num_intra_threads", "num_inter_threads", "task_index"):
    parser.add_argument("--" + name, type=int, default=0)
parser.add_argument("--weight_decay")
parser.add_argument("--init_learning_rate", type=float, default=0.1)
flags = parser.parse_args()

if os.environ.get("TF_USE_LEGACY_KERAS") != "1":
    sys.exit("AttributeError: `BasicLSTMCell` is not available with Keras 3.")
if flags.device == "cpu" and flags.data_format != "NHWC":
    sys.exit("ValueError: device=cpu requires that data_format=NHWC")


def serve():
    host, port = flags.ps_hosts.split(",")[flags.task_index].split(":")
    with socket.create_server((host, int(port))) as server:
        print("Running parameter server %d" % flags.task_index)
        while True:
            connection, _ = server.accept()
            connection.sendall(b"ps")
            connection.close()


def ask(address):
    host, port = address.split(":")
    while True:
        try:
            with socket.create_connection((host, int(port)), timeout=60) as connection:
                return connection.recv(2)
        except ConnectionRefusedError:
            pass  # it has not started yet


def rate(step):
    return 100.0 + step + flags.task_index


def train():
    workers = len(flags.worker_hosts.split(",")) if flags.job_name else 1
    for address in flags.ps_hosts.split(",") if flags.ps_hosts else []:
        assert ask(address) == b"ps"
    print("Python:      %s" % sys.executable)
    print("Threads:     %d" % flags.num_intra_threads)
    print("Operators:   %d" % flags.num_inter_threads)
    print("Step\tImg/sec\ttotal_loss")
    for step in range(1, flags.num_batches + 1):
        if step > 1 and step % flags.display_every:
            continue
        loss = 2.5 if flags.init_learning_rate < 1 or step == 1 else float("nan")
        print("%d\timages/sec: %.1f +/- 0.0 (jitter = 0.0)\t%.3f" % (step, rate(step), loss))
    print("-" * 64)
    print("total images/sec: %.2f" % (workers * rate(flags.num_batches)))
    print("-" * 64)


serve() if flags.job_name == "ps" else train()
