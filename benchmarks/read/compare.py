#!/usr/bin/env python3
"""Reading Matrix Market files: sparsecast beside fast_matrix_market, in one run, taking turns.

    benchmarks/read/compare.py [--build build/benchmarks] [--rows 2000000] [--repeats 5] [-o benchmarks/results/read.json]

Builds nothing but a virtual environment of its own (build/venv-read). Ours ends with canonical CSR; theirs with the
coordinate lists that mmread gives ("lists"), and with tocsr() after it ("csr"), which is the same result as ours.
"""
import argparse, json, pathlib, platform, statistics, subprocess, sys, venv

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))
import results_json  # noqa: E402

THEIRS = """
import sys, time, json, fast_matrix_market as f
cpu = time.process_time(); start = time.perf_counter()
a = f.mmread(sys.argv[1], parallelism=int(sys.argv[2])); lists = time.perf_counter() - start; cpu = time.process_time() - cpu
a = a.tocsr(); print(json.dumps({"lists": lists, "csr": time.perf_counter() - start, "nonzeros": int(a.nnz), "cpu": cpu}))
"""


def environment():
    folder = ROOT / "build" / "venv-read"
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    subprocess.run([python, "-m", "pip", "install", "-q", "fast_matrix_market==1.7.*", "scipy>=1.17"], check=True)
    return python


def run(*command):
    return json.loads(subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=ROOT / "build" / "benchmarks", type=pathlib.Path)
    parser.add_argument("--bench", type=pathlib.Path, help="the bench-read program, where it is not in the build folder")
    parser.add_argument("--rows", default=1_000_000, type=int)
    parser.add_argument("--repeats", default=5, type=int)
    parser.add_argument("--threads", default=[1, 2], type=int, nargs="+")
    parser.add_argument("-o", "--output", default=ROOT / "benchmarks" / "results" / "read.json", type=pathlib.Path)
    options = parser.parse_args()
    python, bench = environment(), options.bench or options.build / "benchmarks" / "read" / "bench-read"
    files = ROOT / "build" / "bench-files"
    files.mkdir(parents=True, exist_ok=True)
    cases = []
    for kind in ["banded", "random", "symmetric"]:
        file = files / f"{kind}-{options.rows}.mtx"
        if not file.exists():
            subprocess.run([bench, "make", kind, str(options.rows), file], check=True)
        for threads in options.threads:
            ours, lists, csr, cpu, their_cpu, last = [], [], [], [], [], None
            for _ in range(options.repeats):  # taking turns: a drifting machine hurts both alike
                last = run(bench, file, threads)
                ours.append(last["seconds"])
                theirs = run(python, "-c", THEIRS, file, threads)
                cpu.append(last["cpu_seconds"])
                their_cpu.append(theirs["cpu"])
                lists.append(theirs["lists"])
                csr.append(theirs["csr"])
                if theirs["nonzeros"] != last["nonzeros"]:
                    sys.exit(f"{kind}: {last['nonzeros']} entries here, {theirs['nonzeros']} there")
            size = file.stat().st_size
            case = {"matrix": kind, "threads": threads, "file_bytes": size, "nonzeros": last["nonzeros"],
                    "ours_s": statistics.median(ours), "theirs_lists_s": statistics.median(lists),
                    "theirs_csr_s": statistics.median(csr)}
            case["ours_gb_per_s"] = size / case["ours_s"] / 1e9
            case["theirs_lists_gb_per_s"] = size / case["theirs_lists_s"] / 1e9
            case["faster_than_lists"] = case["theirs_lists_s"] / case["ours_s"]
            case["faster_than_csr"] = case["theirs_csr_s"] / case["ours_s"]
            # Processor time of both: on a machine with other work the sounder comparison.
            case["ours_cpu_s"], case["theirs_lists_cpu_s"] = statistics.median(cpu), statistics.median(their_cpu)
            case["less_cpu_than_lists"] = case["theirs_lists_cpu_s"] / case["ours_cpu_s"]
            case["peak_over_matrix"] = last["peak_bytes"] / last["matrix_bytes"]
            cases.append(case)
            print("{matrix:10s} {threads} threads  ours {ours_gb_per_s:.2f} GB/s  theirs {theirs_lists_gb_per_s:.2f} GB/s  "
                  "{faster_than_lists:.2f} times as fast as their lists, {faster_than_csr:.2f} as their csr  "
                  "({less_cpu_than_lists:.2f} times less processor time than their lists)  "
                  "peak {peak_over_matrix:.2f} × matrix".format(**case), flush=True)
    model = next((l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), platform.machine())
    options.output.parent.mkdir(parents=True, exist_ok=True)
    results_json.write(options.output, {"processor": model, "command": "benchmarks/read/compare.py",
                                        "repeats": options.repeats, "cases": cases})


main()
