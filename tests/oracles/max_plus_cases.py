"""Random kernel graphs and random PTX for `sparsecast kernel`, and what must hold of them.

Bounds. Times are sums of some ten doubles in another order: 1e-12. Heights are whole numbers. What changes nothing
may change the order of a sum: 1e-12. What may only add time is compared by the amount that it took away. Expressions
print their numbers with six digits: 1e-5. Of code whose lanes diverge both sides run, in the order of the text, and
`overlapped` lets the end of the last one overlap with what follows: 2 %.
"""

import copy
import math
import re

import max_plus

ROUNDING, PRINTED, ANOTHER_TAIL = 1e-12, 1e-5, 0.02
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
            for source in sorted({random.choice(sources), random.choice([o for o in level if level[o] < layer])}):
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


def expressions(product, graph):
    document = product.ask("kernel", product.write("graph.json", graph), "--symbolic")
    return [(e["model"], e["expression"]) for e in document["estimates"] if e["model"] in max_plus.MODELS]


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


def graphs(random, product):
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
    for model, expression in expressions(product, graph):  # N and n are Python's too
        values = {**graph["times"], "N": graph["instances"], "n": graph["executors"], "ceil": math.ceil, "max": max}
        if times[model] > 0:
            yield f"{model}, the expression's value", eval(expression, values), times[model], PRINTED
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


# PTX: relations alone, since the product's tables say what an instruction takes.

HEAD = """.version 8.0
.target sm_80
.address_size 64
.visible .entry made_up(.param .u64 from, .param .u64 to)
{
  .reg .pred %p<9>;
  .reg .f32 %f<99>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  ld.param.u64 %rd1, [from];
  ld.param.u64 %rd2, [to];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mad.lo.s32 %r4, %r2, %r3, %r1;
  cvta.to.global.u64 %rd3, %rd1;
  cvta.to.global.u64 %rd4, %rd2;
  mul.wide.s32 %rd5, %r4, 4;
  add.s64 %rd6, %rd3, %rd5;
  add.s64 %rd7, %rd4, %rd5;
  ld.global.f32 %f1, [%rd6];
"""
TAIL = "  st.global.f32 [%rd7], %f2;\n  ret;\n}\n"
MODELS = ["naive", "operations", "serialized", "overlapped"]
ORDER_FREE = {"sum": MODELS, "longer": MODELS}  # models that do not ask which side of a branch is written first


def instructions(random, count):
    """A chain: each takes the last result, and many another one as well."""
    made = []
    for _ in range(count):
        kind = random.choice(["add.f32", "mul.f32", "sub.f32", "fma.rn.f32", "sqrt.rn.f32", "ld"])
        if kind == "ld":
            made += [f"ld.global.f32 %f3, [%rd6+{4096 * random.randint(1, 99)}];", "add.f32 %f2, %f2, %f3;"]
        else:
            operands = {"sqrt.rn.f32": 1, "fma.rn.f32": 3}.get(kind, 2)
            made.append(f"{kind} %f2, {', '.join(['%f2', '%f1', '%f2'][:operands])};")
    return made


def ptx(before, sides, after, swapped=False):
    """`sides` of a branch on what was loaded, or none; swapped, the other one comes first, the condition turned."""
    branch = []
    if sides:
        first, second = reversed(sides) if swapped else sides
        branch = ["setp.gt.f32 %p1, %f1, 0f00000000;", f"@{'' if swapped else '!'}%p1 bra $other;", *first, "bra $end;",
                  "$other:", *second, "$end:"]
    lines = ["mov.f32 %f2, %f1;", *before, *branch, *after]
    return HEAD + "".join(f"  {line}\n" for line in lines) + TAIL


def with_other_registers(random, text):
    """Every kind of register numbered anew."""
    for kind, count in (("f", 99), ("p", 9), ("r", 9), ("rd", 9)):
        new = random.sample(range(count), count)
        text = re.sub(rf"%{kind}(\d+)\b", lambda found: f"%{kind}{new[int(found[1])]}", text)
    return text


def code(random, product):
    def times(text, divergence):
        document = product.ask("kernel", product.write("kernel.ptx", text), "--no-run", "--grid", 64, "--block", 128,
                               "--divergence", divergence)
        return {e["model"]: e["seconds"] for e in document["estimates"]}

    before, after = instructions(random, random.randint(0, 6)), instructions(random, random.randint(0, 6))
    sides = [instructions(random, random.randint(1, 6)) for _ in range(2)]
    for divergence, of in ORDER_FREE.items():
        branched = times(ptx(before, sides, after), divergence)
        other = times(with_other_registers(random, ptx(before, sides, after)), divergence)
        for model, seconds in branched.items():
            yield f"{model} of code, {divergence}, other registers", other[model], seconds, ROUNDING
        swapped = times(ptx(before, sides, after, swapped=True), divergence)
        for model in of:
            yield f"{model} of code, {divergence}, sides swapped", swapped[model], branched[model], ANOTHER_TAIL
        more = times(ptx(before, [sides[0] + instructions(random, 1), sides[1]], after), divergence)
        for model, seconds in branched.items():
            yield f"{model} of code, {divergence}, more on a side", min(more[model], seconds), seconds, ROUNDING
    straight = times(ptx(before, None, after), "sum")
    more = times(ptx(before + instructions(random, 1), None, after), "sum")
    for model, seconds in straight.items():
        yield f"{model} of code, more work", min(more[model], seconds), seconds, ROUNDING


def case(random, product):
    yield from (graphs if random.random() < 0.7 else code)(random, product)
