"""Which description a folder of tables is of, and which fifth a group of the collection's matrices belongs to."""
import hashlib

DESCRIPTION = {"nvidia-k20xm": "tesla-k20xm", "nvidia-k40m": "tesla-k40m", "nvidia-v100-sxm2": "nvidia-v100",
               "nvidia-a100": "nvidia-a100-pcie-40gb"}
FOLDS = 5


def fold_of(group):
    return int(hashlib.md5(group.encode()).hexdigest(), 16) % FOLDS
