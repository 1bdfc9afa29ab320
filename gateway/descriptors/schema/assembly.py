"""Puts a schema together out of shapes, as its plan says. It decides nothing of its own."""

from dataclasses import replace

from gateway.descriptors.schema.dialect import Direction, Part, Schema
from gateway.descriptors.schema.plan import Plan
from gateway.descriptors.schema.shapes import Node, Property, Shape


def assemble(plan: Plan, direction: Direction) -> Schema:
    """The schema of the plan's root: a plain object, with `$defs` where the plan has any.

    Parts of it are shared, with one another and with other schemas. The root has no description, since the tool has
    one, except for rules about it as a whole and for what belongs to properties that are a bare `$ref`.
    """
    inline: dict[Node, Part] = {}
    definitions: dict[Node, Schema] = {}
    for node in plan.order:
        part = _assemble_node(plan.reached[node], plan, direction, inline)
        if node in plan.definitions:
            definitions[node] = part.finish()
        else:
            inline[node] = part
    root = inline[plan.root]
    hoisted = root.notes[len(plan.reached[plan.root].notes) :]
    schema = Part(schema=root.schema, notes=hoisted).finish()
    if definitions:
        schema["$defs"] = {name: definitions[node] for node, name in plan.definitions.items()}
    return schema


def _assemble_node(shape: Shape, plan: Plan, direction: Direction, inline: dict[Node, Part]) -> Part:
    if shape.part is not None:
        return shape.part
    properties: Schema = {}
    required: list[str] = []
    notes = [*shape.notes, *shape.rules]
    for listed in shape.properties:
        is_required = plan.is_required(shape.node, listed)
        prop = listed if is_required or not listed.required else _say_required(listed)
        if prop.node is None:
            properties[prop.name] = prop.leaf
        elif prop.node in plan.definitions:
            reference = {"$ref": f"#/$defs/{plan.definitions[prop.node]}"}
            if prop.wrap is not None:
                properties[prop.name] = prop.enclose(reference)
            else:
                # Some providers refuse anything beside `$ref`; what there is to say moves to the object around it.
                properties[prop.name] = reference
                if prop.description:
                    notes.append(f"{prop.name}: {prop.description}")
        elif prop.node in plan.reached:
            properties[prop.name] = prop.finish(inline[prop.node])
        else:
            continue  # no message can hold it
        if is_required:
            required.append(prop.name)
    schema: Schema = {"type": "object"}
    if properties or direction is Direction.INPUT:
        schema["properties"] = properties
    if required:
        schema["required"] = required
    if direction is Direction.INPUT:
        schema["additionalProperties"] = False
    return Part(schema=schema, comment=shape.comment, notes=tuple(notes))


def _say_required(prop: Property) -> Property:
    """A property that cannot be listed as required although it is: it leads back to its own message."""
    return replace(prop, notes=("required", *prop.notes))
