#!/usr/bin/env python3
"""mutate.py: removes each wait, event and guard of the accelerator engine in turn, and reports which
test on the fake accelerator notices.

mutate.py list                          the statements, numbered
mutate.py build BUILD_DIRECTORY OUTPUT  builds the test programs once, with a switch for each
                                        statement, and copies them to OUTPUT
mutate.py run OUTPUT [NUMBER]...        runs the tests without these statements [each in turn];
                                        prints a row of a Markdown table for each

The source tree must have no uncommitted change; `build` leaves it as it was. Exit code 1: some
removal went unnoticed, or only by a test that did not end.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FAKE = ROOT / "tests/fake_accelerator"

# Which statements of which files, and the programs that may notice, the likeliest first: a regular
# expression for the filter of GoogleTest restricts one.
ENGINE = (r"\.block\(|\.record\(|\bwait_for\(|\.synchronize\(|wait_until_idle\(device_?\)|\bmark\(|^wait\(\);"
          r"|\btake_gradients\(\)|\bwait_for_updates\(\)|_reading\(\)|\bdone\(\)|make_current\("
          r"|leave_default_stream\(|(?:StreamGuard|NoGradGuard) \w+")
SYNC = (r"\btake_gradients\(\)|\bgive_values\(\)|\bvalues_given\(\)|\bcommunicated\(\)"
        r"|\bwhile_waiting\(|parameters_\.wait\(\)")
NCCL = r"Watchdog::Call \w+|\babort\(\);|comm_abort\(|\bstore_\.barrier\(|\bfail\("
FILES = [
    ("src/engine/torch", ENGINE, ["device_training_test", "fake_contract_test",
                                  "device_strategy_test", "fake_program_test"]),
    ("src/sync/device_replicated.cpp", SYNC, ["device_training_test", "device_strategy_test",
                                              "fake_program_test"]),
    ("src/comm/nccl/nccl_communicator.cpp", NCCL, ["nccl_test", "fake_program_test",
                                                   "nccl_contract_test", "device_strategy_test"]),
]
SWITCH = "LOCKSTEP_REMOVED"
SECONDS = 300  # in which a program ends
PROGRAM = "lockstep-torch-fake"  # that fake_program_test starts

OBJECT = re.compile(r"const ([\w:]+(?:Guard|Call)) (\w+)(?:\((.*)\))?;")


class Statement:
    def __init__(self, path, line, text, programs):
        self.path, self.line, self.text, self.programs = path, line, text, programs

    def row(self):
        return f"`{self.path.name}`: `{self.text}`"

    # An object that guards its scope is not made; a call is left out.
    def switched(self, number):
        wanted = f"!lockstep_removed({number})"
        made = OBJECT.fullmatch(self.text)
        if made:
            kind, name, arguments = made.groups()
            return (f"std::optional<{kind}> {name}; if ({wanted}) {name}.emplace({arguments or ''});"
                    f" static_cast<void>({name});")
        return f"if ({wanted}) {{ {self.text} }}"


def statement_in(line, pattern):
    """The statement of a line that matches, or None. A line holds one, or a function of one."""
    code = line.split(" // ")[0].strip()
    body = re.fullmatch(r"[\w:<>&,~ ]+\([^{}]*\)(?: const| override)* \{ (.*;) \}", code)
    if body:
        code = body.group(1)
    if not re.search(pattern, code) or code.startswith(("//", "void ", "return ")):
        return None
    if code.endswith("{"):
        return None  # the head of a function
    if not code.endswith(";") or code.count("(") != code.count(")"):
        sys.exit(f"mutate.py: more than a line: {line}")
    return code


def statements():
    found = []
    for where, pattern, programs in FILES:
        place = ROOT / where
        for path in sorted(place.glob("*.cpp")) if place.is_dir() else [place]:
            for number, line in enumerate(path.read_text().splitlines()):
                text = statement_in(line, pattern)
                if text:
                    found.append(Statement(path, number, text, programs))
    return found


def add_switches(all_of_them):
    files = {}
    for number, each in enumerate(all_of_them, 1):
        lines = files.setdefault(each.path, each.path.read_text().splitlines())
        lines[each.line] = lines[each.line].replace(each.text, each.switched(number))
    for path, lines in files.items():
        path.write_text("\n".join([f'#include "{FAKE}/removed.h"', *lines, ""]))


def build(directory, output):
    if subprocess.run(["git", "diff", "--quiet", "--", "src"], cwd=ROOT).returncode:
        sys.exit("mutate.py: commit changes in src first")
    programs = sorted({name for _, _, names in FILES for name in names})
    output.mkdir(parents=True, exist_ok=True)
    all_of_them = statements()
    try:
        add_switches(all_of_them)
        subprocess.run(["ninja", "-C", directory, PROGRAM, *programs], check=True)
        for program in [PROGRAM, *programs]:
            shutil.copy2(next(directory.rglob(program)), output)
    finally:
        paths = sorted({str(each.path) for each in all_of_them})
        subprocess.run(["git", "checkout", "--quiet", "--", *paths], cwd=ROOT, check=True)


def run_test(program, number):
    """How a test noticed, or None: everything passed."""
    environment = {**os.environ, SWITCH: str(number), "FAKE_PROGRAM": program.parent / PROGRAM}
    command = [program, "--gtest_fail_fast"]
    try:
        ran = subprocess.run(command, env=environment, capture_output=True, text=True,
                             errors="replace", timeout=SECONDS)
        said, ended = ran.stdout, True
        if ran.returncode == 0:
            return None
    except subprocess.TimeoutExpired as late:
        said, ended = (late.stdout or b"").decode(errors="replace"), False
    failed = re.search(r"^\[  FAILED  \] ([\w/]+\.[\w/]+)", said, re.MULTILINE)
    begun = re.findall(r"^\[ RUN      \] ([\w/]+\.[\w/]+)", said, re.MULTILINE)
    if failed:
        return "fails", failed.group(1)
    return "crashes" if ended else "does not end", begun[-1] if begun else program.name


def run(output, numbers):
    all_of_them, worst = statements(), 0
    for number in numbers or range(1, len(all_of_them) + 1):
        each = all_of_them[number - 1]
        noticed = None
        for program in each.programs:
            noticed = noticed or run_test(output / program, number)
        how, test = noticed or ("NOTHING", "")
        worst = worst or int(how not in ("fails", "crashes"))
        print(f"| {each.row()} | {how} | {f'`{test}`' if test else ''} |", flush=True)
    return worst


def main():
    command, *rest = sys.argv[1:] or ["help"]
    if command == "list":
        for number, each in enumerate(statements(), 1):
            print(number, each.path.relative_to(ROOT), each.line + 1, each.text)
    elif command == "build" and len(rest) == 2:
        build(pathlib.Path(rest[0]).resolve(), pathlib.Path(rest[1]).resolve())
    elif command == "run" and rest:
        sys.exit(run(pathlib.Path(rest[0]).resolve(), [int(number) for number in rest[1:]]))
    else:
        sys.exit(__doc__)


main()
