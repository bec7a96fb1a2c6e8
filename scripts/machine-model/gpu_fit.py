"""Fits the model of GPUs: floors of launches, prices of terms, shares of devices, trees over what is left."""
import lightgbm
import numpy as np
from scipy.optimize import least_squares

import gpus
from gpu_tables import AUTOMATIC, CLASSICAL, GENERATIONS, HIPSPARSE, HYB, KERNELS, MERGE, SEARCH

TREES = dict(objective="l2", n_estimators=700, learning_rate=.1, num_leaves=63, min_child_samples=10, subsample=.7,
             subsample_freq=1, colsample_bytree=.5, n_jobs=1, verbose=-1, random_state=0, deterministic=True,
             force_row_wise=True)
FEW_NONZEROS, FLOOR_QUANTILE, FEWEST = 1e4, .15, 5
QUANTILES = {"ginkgo-csr-merge@2018": .5}  # what it allocates counts from a block of some 1,500 non-zeros on
PLAIN = (CLASSICAL, "ginkgo-ell", "ginkgo-sellp")  # kernels of one launch
LAUNCH_PRIOR, PRICE_WIDTH, SHARE_WIDTH = np.log([5e-6, 15e-6]), .7, .35
ARTIFICIAL_WEIGHT = .3
# Launches of kernels; what few tables tell of their floors is drawn to them.
MULTIPLES = {"csr-merge": 2., "cusparse-coo": 2., "cusparse-coo@2018": 2., "cusparse-hyb": 2.}
# What does the same in an older age: what it takes is believed of a kernel that no device of today's was measured with.
OLDER = {k: f"{k}@2018" for k in KERNELS if KERNELS.get(f"{k}@2018", (None,))[0] == KERNELS[k][0]}
DRAWN = .5  # devices that the launches alone count as
VENDORS = (False, True)  # AMD's or not: Ginkgo's merge allocates in each product, which takes CUDA and HIP unlike times


def waits(t):
    """How much of a wait is in a time: all of it where each product is waited for."""
    repetitions = np.where(np.isnan(t["repetitions"]), 1., np.maximum(1., t["repetitions"]))
    return repetitions ** -.5


def measured_floors(t):
    """By device and kernel: what the smallest matrices of a table take."""
    few = t["ginkgo"] & (t["nonzeros"] < FEW_NONZEROS)
    floors = {}
    for d, k in sorted(set(zip(t["device"][few], t["does"][few]))):
        these = few & (t["device"] == d) & (t["does"] == k)
        if these.sum() >= FEWEST:
            quantile = QUANTILES.get(k, FLOOR_QUANTILE)
            floors.setdefault(d, {})[k] = float(np.quantile(t["seconds"][these], quantile))
    return floors


class Model:
    def __init__(self, t, devices):
        """`t`: rows to learn from; devices that are in it have floors and shares of their own."""
        self.devices = devices
        self.learned_of = {}
        for k, libraries in set(zip(t["does"], t["libraries"])):
            self.learned_of.setdefault(k, set()).update({libraries} - {""})
        self.fit_floors(t)
        m = gpus.numbers(t, devices)
        self.fit_prices(t, m)
        base = self.base(t, m)
        x = gpus.features(m, self.floor(t, m), base)
        left = np.log(t["seconds"] / base)
        # An error counts by the measured time: what may be fast weighs more.
        w = np.where(t["artificial"] > 0, ARTIFICIAL_WEIGHT, 1.) * np.exp(-np.clip(left, -1, 1))
        self.trees = lightgbm.LGBMRegressor(**TREES).fit(x, left, sample_weight=w)

    # Floors: of one launch and a wait, by vendor; what a kernel takes of them; of some libraries in seconds.
    def fit_floors(self, t):
        self.floors = measured_floors(t)
        few, wait_of = t["ginkgo"] & (t["nonzeros"] < FEW_NONZEROS), waits(t)
        wait = {d: np.median(wait_of[few & (t["device"] == d)]) for d in self.floors}
        self.plain = plain = {d: np.exp(np.mean([np.log(f[k]) for k in PLAIN if k in f]))
                              for d, f in self.floors.items()}
        self.launch = []
        for amd in (False, True):
            of = [d for d in plain if (self.devices[d].generation == 2) == amd]

            def off(p):
                return np.r_[[5 * (np.log(np.exp(p[0]) + wait[d] * np.exp(p[1])) - np.log(plain[d])) for d in of],
                             (p - LAUNCH_PRIOR) / .5]
            self.launch.append(np.exp(least_squares(off, LAUNCH_PRIOR).x))
        self.multiple, self.absolute = {}, {}
        for k, (work, _, library) in KERNELS.items():
            told = {d: np.log(f[k] / plain[d]) for d, f in self.floors.items() if k in f}
            if told and library == HIPSPARSE:
                self.absolute[k] = float(np.exp(np.mean([np.log(f[k]) for f in self.floors.values() if k in f])))
                told = {}
            today = k.split("@")[0]
            launches = np.mean(list(told.values())) if told and k not in MULTIPLES else np.log(MULTIPLES.get(k, 1.))
            if not told and today in self.multiple:
                launches = np.mean(np.log(self.multiple[today]))
            self.multiple[k] = []
            for amd in VENDORS:
                of = [m for d, m in told.items() if (self.devices[d].generation == 2) == amd]
                self.multiple[k].append(float(np.exp((sum(of) + DRAWN * launches) / (len(of) + DRAWN))))
        seen = {k for f in self.floors.values() for k in f}
        self.multiple.update({k: self.multiple[older] for k, older in OLDER.items() if k not in seen and older in seen})
        self.multiple[AUTOMATIC] = self.multiple[CLASSICAL]

    def unknown_floor(self, device, kernel, wait):
        if kernel in self.absolute:
            return self.absolute[kernel]
        vendor = int(self.devices[device].generation == 2)
        if device in self.plain:
            return self.multiple[kernel][vendor] * self.plain[device]
        launch, more = self.launch[vendor]
        return self.multiple[kernel][vendor] * (launch + wait * more)

    def floor(self, t, m):
        out = np.empty(len(t["rows"]))
        wait = waits(t)
        for d, k in set(zip(t["device"], t["does"])):
            these = (t["device"] == d) & (t["does"] == k)
            known = self.floors.get(d, {}).get(k)
            for w in set(wait[these]):
                one = these & (wait == w)
                out[one] = known if known is not None else self.unknown_floor(d, k, w)
        return out

    def fit_prices(self, t, m):
        self.prices, self.shares = {}, {d: np.zeros(2) for d in sorted(set(t["device"]))}
        y, floor = np.log(t["seconds"]), self.floor(t, m)
        generation = m["generation"].astype(int)
        pairs = sorted(set(zip(generation, t["does"])))
        rng = np.random.RandomState(0)
        for _ in range(2):
            for g, k in pairs:
                these = np.where((generation == g) & (t["does"] == k))[0]
                if len(these) > 1500:
                    these = np.sort(rng.choice(these, 1500, replace=False))
                share = np.array([self.shares[d][[0, 1, 1]] for d in t["device"][these]]).T
                counts, prior = m["counts"][:, these] * np.exp(share), np.array(gpus.PRIOR[KERNELS[k][0]], float)

                def off(p):
                    model = floor[these] + (np.exp(p)[:, None] * counts).sum(0)
                    return np.r_[np.log(model) - y[these], (p - prior) / PRICE_WIDTH * .5]
                self.prices[g, k] = least_squares(off, self.prices.get((g, k), prior), loss="soft_l1", f_scale=.2).x
            for d in self.shares:
                these = np.where(t["device"] == d)[0]
                these = np.sort(rng.choice(these, min(4000, len(these)), replace=False))
                p = np.array([self.prices[generation[i], t["does"][i]] for i in these]).T
                counts = m["counts"][:, these] * np.exp(p)

                def off(s):
                    model = floor[these] + (np.exp(s[[0, 1, 1]])[:, None] * counts).sum(0)
                    return np.r_[np.log(model) - y[these], 10 * s / SHARE_WIDTH]
                self.shares[d] = least_squares(off, self.shares[d], loss="soft_l1", f_scale=.2).x
        self.fill_prices()
        self.prices.update({(g, AUTOMATIC): self.prices[g, CLASSICAL] for g in range(len(GENERATIONS))})

    def fill_prices(self):
        """Kernels that a generation was not measured with: as on another one, by how much kernels of the same work, and
        all kernels together as one more of them, differ between the two; and as those that do the same there."""
        for k, older in OLDER.items():
            if not any((g, k) in self.prices for g in range(len(GENERATIONS))):
                self.prices.update({(g, k): p for (g, o), p in list(self.prices.items()) if o == older})
        measured = dict(self.prices)
        generations = range(len(GENERATIONS))
        for g, (k, (work, layout, _)) in ((g, item) for g in generations for item in KERNELS.items()):
            options = []
            for h in generations:
                if (h, k) in measured:
                    both = [o for o in KERNELS if (g, o) in measured and (h, o) in measured]
                    shift = np.array([measured[g, o] - measured[h, o] for o in both]).reshape(-1, len(gpus.TERMS))
                    alike = shift[[KERNELS[o][0] == work for o in both]]
                    common = shift.mean(axis=0) if both else np.zeros(len(gpus.TERMS))
                    moved = np.vstack([alike, common]).mean(axis=0)
                    if work in (SEARCH, MERGE) and layout != HYB:  # one step, whatever the matrix: a constant time
                        moved[1] = 0
                    options.append(measured[h, k] + moved)
            if (g, k) not in measured:
                alike = [p for (h, o), p in measured.items()
                         if h == g and KERNELS[o][:2] == KERNELS[k][:2] and o != AUTOMATIC and ("@" in k) == ("@" in o)]
                options += [np.mean(alike, axis=0)] if alike else []
                today = k.split("@")[0]
                others = [self.prices[g, today]] if today != k and KERNELS[today][0] == work else \
                    [p for (h, o), p in measured.items() if h == g and KERNELS[o][0] == work and "@" in k]
                self.prices[g, k] = np.mean(options or others or [gpus.PRIOR[work]], axis=0)

    def log_prices(self, t, m):
        nothing = np.zeros(2)
        generation = m["generation"].astype(int)
        p = np.array([self.prices[g, k] for g, k in zip(generation, t["does"])]).T
        return p + np.array([self.shares.get(d, nothing)[[0, 1, 1]] for d in t["device"]]).T

    def base(self, t, m):
        return gpus.seconds(m, self.floor(t, m), self.log_prices(t, m))
