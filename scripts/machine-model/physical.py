"""The physical part: seconds as positive terms over what a machine's description says, and its fit in logarithms.

A machine differs from what its description promises: its memory, its cores and its launches each reach their own share
of it. While fitting, these shares are free for every machine that was measured, drawn to 1; a machine that was never
measured has 1. Shapes and prices are common to all."""
import numpy as np
from scipy.optimize import least_squares

TERMS = ("launch", "memory", "cache", "x from memory", "x gather", "rows", "longest row", "instructions")
EFFECT = np.array([2, 0, 1, 0, 1, 1, 1, 1])  # which share scales a term: memory, cores, launches
PRICES = np.log([8, 1.3, 1, .5, 1, 5, 3, 3])
# steepness and place of the fall out of the cache, the same for x, power of irregularity, of the sum, of the lanes
SHAPE = np.array([.7, 0, .7, 0, .7, .5, 0])
# What machines reach of their memory, cores and launches scatters by so much (logarithms) where several were measured;
# of one or two nobody can tell what is the machine and what the price. Most of several are alike and a few are far
# off, so their shares are drawn to 1 as Cauchy's distribution draws: an outlier costs little more the farther it is.
SPREAD = {1: np.full(3, 1e-3), 2: np.full(3, .2)}
SPREAD_OF_MANY, FEW = np.array([.45, .35, .35]) / 5, 2


def rise(z):
    return 1 / (1 + np.exp(-np.clip(z, -60, 60)))


def terms(o, shape):
    steep, place, x_steep, x_place, power, _, lanes = shape
    cache = o["last_cache"] + o["units"] * o["near_cache"]
    beyond = rise(np.exp(steep) * (np.log(o["bytes"] / cache) - place))
    irregular = (o["lone"] * (1 - o["alike"]) + 1e-3) ** np.exp(power)

    def x_beyond(size):
        return rise(np.exp(x_steep) * (np.log(o["window"] / size) - x_place))

    n, core = o["nonzeros"], o["core"]
    over = np.maximum(0, o["longest"] - n / o["units"])
    return np.array([1e-6 + 0 * n, beyond * o["ideal"], o["bytes"] / (16 * core),
                     n * irregular * x_beyond(o["last_cache"]) * beyond * 64 / o["bandwidth"],
                     n * irregular * x_beyond(o["near_cache"]) * 20 / core, o["rows"] / core, over / o["clock"],
                     n / core * (4 / o["lanes"]) ** lanes])


def log_ratio(o, prices, shape, shares):
    t = terms(o, shape) * np.exp(prices)[:, None] * np.exp(shares[EFFECT])
    power = 1 + np.exp(shape[5])
    return np.log(t[0] + (t[1:] ** power).sum(0) ** (1 / power)) - np.log(o["ideal"])


def fit(o, weights):
    names = sorted(set(o["machine"]))
    index = np.array([names.index(m) for m in o["machine"]])
    start = np.r_[PRICES, SHAPE]
    width = np.r_[np.full(len(TERMS), 1.0), np.full(6, .5), .5]
    spread = np.tile(SPREAD.get(len(names), SPREAD_OF_MANY), len(names))
    n0, root = len(start), np.sqrt(weights * 200 * len(names) / weights.sum()) / .3

    def residuals(p):
        shares = p[n0:].reshape(-1, 3).T[:, index]
        r = root * (log_ratio(o, p[:len(TERMS)], p[len(TERMS):n0], shares) - o["y"])
        drawn = p[n0:] / spread
        if len(names) > FEW:
            drawn = np.sign(drawn) * np.sqrt(2 * np.log1p(drawn**2))
        return np.r_[r, (p[:n0] - start) / width, drawn]

    lower = np.r_[np.full(len(TERMS), -9.0), -1.5, -2.5, -1.5, -3, -1, -2.5, 0, np.full(3 * len(names), -2.0)]
    upper = np.r_[np.full(len(TERMS), 6.0), 2, 2.5, 2, 3, 2, 1.5, 1.2, np.full(3 * len(names), 2.0)]
    at = least_squares(residuals, np.clip(np.r_[start, np.zeros(3 * len(names))], lower + 1e-6, upper - 1e-6),
                       bounds=(lower, upper), loss="soft_l1", f_scale=2., max_nfev=40).x
    return at[:len(TERMS)], at[len(TERMS):n0], at[n0:].reshape(-1, 3).T[:, index]
