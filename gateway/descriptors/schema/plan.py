"""Which messages of one schema stand inline, and which under `$defs`.

Inline is what every reader understands, so `$defs` holds only what has to be there: where a cycle closes, where
nesting gets deep, and, in a schema that would be too large, what is used more than once. Everything here is linear in
the messages and fields that can be reached, uses no recursion, and gives the same answer on every start.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from gateway.descriptors.schema.dialect import (
    LIMIT_INLINE_BYTES,
    LIMIT_INLINE_DEPTH,
    LIMIT_NESTING,
    LIMIT_SHARED_BYTES,
)
from gateway.descriptors.schema.shapes import Node, NodeType, Property, Shape

Targets = Mapping[Node, Sequence[Node]]

_REFERENCE_BYTES = len('{"$ref":"#/$defs/"}') + 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How one schema is put together.

    `order`: every node after those that stand inline in it, the root last. `definitions`: the nodes under `$defs` with
    their names there, nearest first. `reached`: every node that has a place in the schema. `circles`: the types that
    can contain themselves, each with the number of the circle.
    """

    root: Node
    order: tuple[Node, ...]
    definitions: Mapping[Node, str]
    reached: Mapping[Node, Shape]
    circles: Mapping[NodeType, int]

    def is_required(self, node: Node, prop: Property) -> bool:
        """Whether the property is listed as required.

        One that leads back to its own message is not, unless protobuf itself requires it: who follows the schema would
        never get to an end.
        """
        if prop.strict or not prop.required or prop.node is None:
            return prop.required
        # By type: a request that is itself recursive is the same message in another role.
        own = self.circles.get(node.type)
        return own is None or own != self.circles.get(prop.node.type)


def make_plan(root: Node, get_shape: Callable[[Node], Shape]) -> Plan:
    """The plan for the schema of this root."""
    reached = _reach(root, get_shape)
    for node in _find_impossible(reached) - {root}:
        del reached[node]
    targets = {node: _list_targets(shape, reached) for node, shape in reached.items()}
    order, closing = _walk(root, targets)
    circles = _find_circles(order, targets) if closing else {}
    defined, size = _choose_definitions(order, targets, reached, closing, shared=False)
    if size > LIMIT_INLINE_BYTES:
        defined, _ = _choose_definitions(order, targets, reached, closing, shared=True)
    return Plan(
        root=root,
        order=order,
        definitions=_name_definitions([node for node in reached if node in defined]),
        reached=reached,
        circles={node.type: number for node, number in circles.items()},
    )


def _reach(root: Node, get_shape: Callable[[Node], Shape]) -> dict[Node, Shape]:
    """Every node that a message of at most `LIMIT_NESTING` levels can hold, nearest first."""
    reached = {root: get_shape(root)}
    level = [root]
    for _ in range(LIMIT_NESTING):
        deeper: list[Node] = []
        for node in level:
            for prop in reached[node].properties:
                if prop.node is not None and prop.node not in reached:
                    reached[prop.node] = get_shape(prop.node)
                    deeper.append(prop.node)
        level = deeper
    return reached


def _list_targets(shape: Shape, reached: Mapping[Node, Shape]) -> list[Node]:
    return [prop.node for prop in shape.properties if prop.node is not None and prop.node in reached]


def _find_impossible(reached: Mapping[Node, Shape]) -> set[Node]:
    """The messages that can never be complete, because what protobuf requires of them leads round in a circle."""
    needs = {
        node: {prop.node for prop in shape.properties if prop.strict and prop.node is not None and prop.node in reached}
        for node, shape in reached.items()
    }
    needed_by: dict[Node, list[Node]] = {}
    for node, needed in needs.items():
        for target in needed:
            needed_by.setdefault(target, []).append(node)
    impossible = set(reached) if needed_by else set()
    possible = [node for node, needed in needs.items() if not needed] if needed_by else []
    while possible:
        node = possible.pop()
        impossible.discard(node)
        for owner in needed_by.get(node, ()):
            needs[owner].discard(node)
            if not needs[owner]:
                possible.append(owner)
    return impossible


def _walk(root: Node, targets: Targets) -> tuple[tuple[Node, ...], set[Node]]:
    """The nodes in the order in which a depth-first walk leaves them, and those at which it met a circle."""
    order: list[Node] = []
    closing: set[Node] = set()
    entered: set[Node] = {root}
    open_nodes: set[Node] = {root}
    path = [(root, iter(targets[root]))]
    while path:
        node, rest = path[-1]
        target = next(rest, None)
        if target is None:
            path.pop()
            open_nodes.discard(node)
            order.append(node)
        elif target in open_nodes:
            closing.add(target)
        elif target not in entered:
            entered.add(target)
            open_nodes.add(target)
            path.append((target, iter(targets[target])))
    return tuple(order), closing


def _find_circles(nodes: Sequence[Node], targets: Targets) -> dict[Node, int]:
    """The nodes that can reach themselves, each with the number of its strongly connected component (Tarjan 1972)."""
    index: dict[Node, int] = {}
    low: dict[Node, int] = {}
    component: dict[Node, int] = {}
    settled: set[Node] = set()
    stack: list[Node] = []
    for start in nodes:
        if start in index:
            continue
        index[start] = low[start] = len(index)
        stack.append(start)
        path = [(start, iter(targets[start]))]
        while path:
            node, rest = path[-1]
            target = next(rest, None)
            if target is not None:
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    path.append((target, iter(targets[target])))
                elif target not in settled:
                    low[node] = min(low[node], index[target])
                continue
            path.pop()
            if path:
                parent = path[-1][0]
                low[parent] = min(low[parent], low[node])
            if low[node] == index[node]:
                members = [stack.pop()]
                while members[-1] != node:
                    members.append(stack.pop())
                settled.update(members)
                if len(members) > 1 or node in targets[node]:
                    component.update(dict.fromkeys(members, index[node]))
    return component


def _choose_definitions(
    order: Sequence[Node], targets: Targets, reached: Mapping[Node, Shape], closing: set[Node], *, shared: bool
) -> tuple[set[Node], int]:
    """What stands under `$defs`, and the size of the whole schema in bytes, about.

    `shared`: also what is used more than once and not small.
    """
    root = order[-1]
    defined = set(closing)
    uses = Counter(target for node in order for target in targets[node]) if shared else Counter()
    sizes: dict[Node, int] = {}
    depths: dict[Node, int] = {}
    for node in order:
        size, depth = reached[node].size, 1
        for target in targets[node]:
            if target in defined:
                size += _REFERENCE_BYTES
            else:
                size += sizes[target]
                depth = max(depth, depths[target] + 1)
        sizes[node], depths[node] = size, depth
        if depth >= LIMIT_INLINE_DEPTH or (uses[node] > 1 and size > LIMIT_SHARED_BYTES):
            defined.add(node)
    defined.discard(root)
    return defined, sizes[root] + sum(sizes[node] for node in defined)


def _name_definitions(nodes: Sequence[Node]) -> dict[Node, str]:
    """A name for each: the message's own, where that is taken the full one, where that is taken too with a number."""
    names: dict[Node, str] = {}
    taken: set[str] = set()
    for node in nodes:
        full_name = node.type.full_name.replace(".", "_")
        number = 1
        name = node.type.name if node.type.name not in taken else full_name
        while name in taken:
            number += 1
            name = f"{full_name}_{number}"
        taken.add(name)
        names[node] = name
    return names
