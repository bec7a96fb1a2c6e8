"""Random kernel graphs for `sparsecast kernel`, and what must hold of them.

Bounds. Times are sums of some ten doubles in another order: 1e-12. Heights are whole numbers. What changes nothing
may change the order of a sum: 1e-12. What may only add time is compared by the amount that it took away.
"""

import copy

import max_plus

ROUNDING = 1e-12
ACCESSES = ["none", "global-load", "global-load", "global-store", "shared-load", "shared-store", "constant-load",
            "local-load", "local-store"]


def random_graph(random):
    """Layers of states, arcs to any later layer; some nodes have no way to an output, some arcs stand twice."""
    times = {"dt": random.uniform(0, 2), "dT": random.uniform(0, 2)}
    for k in range(random.randint(1, 5)):
        times[f"t{k}"] = random.uniform(0.1, 9)

    def some_time():
        return random.choice([random.uniform(0.1, 20), float(random.randint(1, 9)), random.choice(sorted(times))])

    layers = random.randint(2, 5)
    level = {f"{layer}.{k}": layer for layer in range(layers) for k in range(random.randint(1, 3))}
    nodes = []
    for name, layer in level.items():
        node = {"id": name}
        if layer == 0:
            node["kind"] = "input"
        elif layer == layers - 1:
            node["kind"] = "output"
        elif random.random() < 0.5:
            node["kind"] = "state"
        if random.random() < 0.4:
            node["time"] = some_time()
        nodes.append(node)
    arcs = []
    for name, layer in level.items():
        if layer:
            sources = [other for other in level if level[other] == layer - 1]
            for source in {random.choice(sources), random.choice([o for o in level if level[o] < layer])}:
                arc = {"from": source, "to": name, "time": some_time()}
                if random.random() < 0.8:
                    arc["access"] = random.choice(ACCESSES)
                arcs.append(arc)
    arcs.sort(key=lambda arc: (arc["from"], arc["to"]))
    random.shuffle(arcs)
    executors = random.choice([1, 2, 7, 64, 1000])
    return {"schema": "sparsecast/kernel-graph/1", "nodes": nodes, "arcs": arcs, "times": times,
            "instances": random.choice([1, executors, executors + 1, random.randint(1, 10**6)]), "executors": executors}


def level_graph(random):
    """Every way as long as every other, one layer of operations: there the paper's power is the time itself."""
    graph = random_graph(random)
    layer = {node["id"]: int(node["id"].split(".")[0]) for node in graph["nodes"]}
    graph["arcs"] = [arc for arc in graph["arcs"] if layer[arc["to"]] == layer[arc["from"]] + 1]
    computing = random.choice(sorted(set(layer.values())))
    for node in graph["nodes"]:
        node.pop("time", None)
        if layer[node["id"]] == computing:
            node["time"] = random.uniform(0.1, 9)
    return graph


def answers(product, name, graph, *options):
    document = product.ask("kernel", product.write(name, graph), *options)
    return document, {e["model"]: e["seconds"] for e in document["estimates"]}


def renamed(random, graph):
    """Other names of nodes and times, nodes and parallel arcs in another order; accesses queue as they did."""
    graph = copy.deepcopy(graph)
    names = [node["id"] for node in graph["nodes"]]
    new = dict(zip(names, random.sample([f"r{k}" for k in range(3 * len(names))], len(names))))
    of_times = {name: name if name in ("dt", "dT") else f"x{random.random()}" for name in graph["times"]}
    for node in graph["nodes"]:
        node["id"] = new[node["id"]]
    for arc in graph["arcs"]:
        arc["from"], arc["to"] = new[arc["from"]], new[arc["to"]]
    for thing in graph["nodes"] + graph["arcs"]:
        if isinstance(thing.get("time"), str):
            thing["time"] = of_times[thing["time"]]
    graph["times"] = {of_times[name]: t for name, t in sorted(graph["times"].items(), reverse=True)}
    random.shuffle(graph["nodes"])
    queued = [arc for arc in graph["arcs"] if arc.get("access", "").startswith("global")]
    others = [arc for arc in graph["arcs"] if arc not in queued]
    random.shuffle(others)
    graph["arcs"] = others + queued
    return graph


def with_more_work(random, graph):
    """A longer operation, a longer transfer, one more transfer, or one more state between two."""
    graph = copy.deepcopy(graph)
    kind = random.choice(["operation", "transfer", "parallel", "between"])
    arc = random.choice(graph["arcs"])
    if kind == "operation":
        node = random.choice(graph["nodes"])
        node["time"] = max_plus.seconds(graph, node.get("time", 0)) + random.uniform(0.1, 5)
    elif kind == "transfer":
        arc["time"] = max_plus.seconds(graph, arc["time"]) + random.uniform(0.1, 5)
    elif kind == "parallel":
        graph["arcs"].append({**arc, "time": random.uniform(0.1, 5), "access": random.choice(ACCESSES)})
    else:
        graph["nodes"].append({"id": "between", "time": random.uniform(0.1, 5)})
        graph["arcs"].append({"from": "between", "to": arc["to"], "time": random.uniform(0.1, 5)})
        arc["to"] = "between"
    return kind, graph


def case(random, product):
    level = random.random() < 0.25
    graph = level_graph(random) if level else random_graph(random)
    document, times = answers(product, "graph.json", graph)
    yield "nodes", document["nodes"], len(graph["nodes"]), 0
    yield "arcs", document["arcs"], len(graph["arcs"]), 0
    yield "height", document["height"], max_plus.height(graph), 0
    for model in max_plus.MODELS:
        yield model, times[model], max(0.0, max_plus.time(graph, model)), ROUNDING
        if level and max_plus.power_time(graph, model) > 0:
            yield f"{model}, the paper's power", times[model], max_plus.power_time(graph, model), ROUNDING
    _, by_matrix = answers(product, "graph.json", graph, "--evaluation", "matrix")
    for model, seconds in times.items():
        yield f"{model} by matrices", by_matrix[model], seconds, ROUNDING
    _, other = answers(product, "renamed.json", renamed(random, graph))
    for model, seconds in times.items():
        yield f"{model}, renamed", other[model], seconds, ROUNDING
    kind, more = with_more_work(random, graph)
    _, longer = answers(product, "more.json", more)
    for model, seconds in times.items():
        yield f"{model}, more work ({kind})", min(longer[model], seconds), seconds, ROUNDING
