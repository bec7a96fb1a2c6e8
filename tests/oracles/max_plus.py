"""The time of a kernel that is a graph of data states, as Antonyuk & Mikheev (2022, doi 10.26089/NumMet.v23r102) tell
it, by trying every path.

A graph is a dictionary as in docs/schemas/kernel-graph.schema.json whose times are all defined; its arcs are the
transfers of data, a node's `time` the operation that makes its data. The models differ in what counts:

  naive       arcs alone (section 6, Z1)
  operations  arcs, and each node's operation once (section 8, Z2)
  serialized  the same, for the last of n instances whose accesses to global memory queue (section 9, Z3)

All are floating-point sums in one order, from the input on; nothing here knows of matrices but `power_time`, which is
the paper's formula to the letter.
"""

MODELS = ("naive", "operations", "serialized")
NOTHING = float("-inf")  # the paper's epsilon: no way


def seconds(graph, time):
    """A time is a number, or a name in `times`."""
    return graph["times"][time] if isinstance(time, str) else float(time)


def arc_times(graph, model):
    """What each arc takes. In Z3 the last of n instances waits for all others: of r loads, the i-th one (in the order
    of the file, which is the agreed order that the paper leaves open) comes after r(n - 1) + i - 1 other accesses."""
    times = [seconds(graph, arc.get("time", 0)) for arc in graph["arcs"]]
    if model == "serialized":
        n = graph["executors"]
        for access, step in (("global-load", "dt"), ("global-store", "dT")):
            queue = [a for a, arc in enumerate(graph["arcs"]) if arc.get("access") == access]
            for i, a in enumerate(queue):
                times[a] += (len(queue) * (n - 1) + i) * graph["times"][step]
    return times


def node_times(graph, model):
    return {node["id"]: 0.0 if model == "naive" else seconds(graph, node.get("time", 0)) for node in graph["nodes"]}


def of_kind(graph, kind):
    return [node["id"] for node in graph["nodes"] if node.get("kind", "state") == kind]


def paths(graph):
    """Every way from an input to an output, as the list of its arcs' numbers."""
    outputs = set(of_kind(graph, "output"))

    def onward(node, path):
        if node in outputs:
            yield node, path
        for a, arc in enumerate(graph["arcs"]):
            if arc["from"] == node:
                yield from onward(arc["to"], path + [a])

    for start in of_kind(graph, "input"):
        for _, path in onward(start, []):
            yield start, path


def instance_time(graph, model):
    """The longest way; the operation of the node that it starts at counts as well."""
    arcs, nodes = arc_times(graph, model), node_times(graph, model)
    longest = NOTHING
    for start, path in paths(graph):
        longest = max(longest, nodes[start] + sum(arcs[a] + nodes[graph["arcs"][a]["to"]] for a in path))
    return longest


def waves(graph):
    """N instances on n executors, a started wave counted whole (section 7)."""
    full, begun = divmod(graph["instances"], graph["executors"])
    return full + (begun > 0)


def time(graph, model):
    return waves(graph) * instance_time(graph, model)


def has_loop(graph, node):
    return seconds(graph, node.get("time", 0)) > 0


def height(graph):
    """Section 8: stage by stage, loops of nodes with nothing else coming in are struck out, or, where there are none,
    the nodes with nothing coming in. The height is one less than the stages."""
    left = {node["id"] for node in graph["nodes"]}
    loops = {node["id"] for node in graph["nodes"] if has_loop(graph, node)}
    stages = 0
    while left:
        fed = {arc["to"] for arc in graph["arcs"] if arc["from"] in left}
        free = left - fed
        if free & loops:
            loops -= free
        else:
            left -= free
        stages += 1
    return stages - 1


def power_time(graph, model):
    """<1_o, Z^h 1_i> with h = height, applied as a matrix h times. Every walk of h steps counts, so this is the time
    of the graph only where every way has h steps: all of one length, and one layer of nodes that compute."""
    names = [node["id"] for node in graph["nodes"]]
    place = {name: k for k, name in enumerate(names)}
    z = [[NOTHING] * len(names) for _ in names]
    for arc, t in zip(graph["arcs"], arc_times(graph, model)):
        z[place[arc["to"]]][place[arc["from"]]] = max(z[place[arc["to"]]][place[arc["from"]]], t)
    steps = height(graph)
    if model == "naive":  # Z1 has no loops, and a height of its own
        steps = height({**graph, "nodes": [{k: v for k, v in n.items() if k != "time"} for n in graph["nodes"]]})
    else:
        for node in graph["nodes"]:
            if has_loop(graph, node):
                z[place[node["id"]]][place[node["id"]]] = seconds(graph, node["time"])
    inputs, outputs = of_kind(graph, "input"), of_kind(graph, "output")
    x = [0.0 if name in inputs else NOTHING for name in names]
    for _ in range(steps):
        x = [max(z[i][j] + x[j] for j in range(len(names))) for i in range(len(names))]
    return waves(graph) * max(x[place[name]] for name in outputs)
