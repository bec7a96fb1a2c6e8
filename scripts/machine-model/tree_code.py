"""Trees as src/forecast/learned/extra_trees.hpp reads them."""
import base64
import struct


def coded(walks, features):
    """`walks`: of each tree (feature, threshold) of nodes and (None, value) of leaves, in the order of a walk."""
    edges = [sorted({v for w in walks for f, v in w if f == feature}) for feature in range(features)]
    place = [{v: i for i, v in enumerate(e)} for e in edges]
    unit = max(abs(v) for w in walks for f, v in w if f is None) / 32767 or 1.
    code = b"".join(struct.pack("<Bh", 255, round(v / unit)) if f is None else struct.pack("BB", f, place[f][v])
                    for w in walks for f, v in w)
    return {"edges": edges, "unit": unit, "code": base64.b64encode(code).decode()}
