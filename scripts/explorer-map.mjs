// The map of the main record types in the explorer's docs. Positions are set by hand; relations come from the schema.
import { getNamedType } from "graphql";

const ROWS = [
  ["Area", "Site", "StockLevel"],
  ["Reading", "Asset", "StockMovement"],
  ["Notification", "Component", "Part"],
  ["Strategy", "WorkOrder", "WorkOrderPart"],
  ["Procedure", "WorkOrderStep"],
];
const COLUMN = 131;
const ROW = 56;
const BOX = { width: 116, height: 30 };
/** Curvature of a line that would otherwise pass behind the box between its ends. */
const BEND = 130;

/** Returns `{ width, height, box, types: [{ name, x, y }], relations: [{ ends, fields, d }] }`; x and y are the centre of a box. */
export function typeMap(schema) {
  const types = ROWS.flatMap((row, y) =>
    row.map((name, x) => ({ name, x: x * COLUMN + BOX.width / 2 + 1, y: y * ROW + BOX.height / 2 + 1 })),
  );
  const places = new Map(types.map((type) => [type.name, type]));
  const relations = new Map();
  for (const { name } of types) {
    const fields = schema.getType(name)?.getFields();
    if (!fields) throw new Error(`The picture of the types shows ${name}, which is not in the schema`);
    for (const field of Object.values(fields)) {
      const target = recordOf(field.type);
      if (!places.has(target) || target === name) continue;
      const ends = [name, target].sort();
      const relation = relations.get(ends.join()) ?? { ends, fields: [], d: line(...ends.map((end) => places.get(end))) };
      relation.fields.push(`${name}.${field.name}`);
      relations.set(ends.join(), relation);
    }
  }
  const width = (ROWS[0].length - 1) * COLUMN + BOX.width + 2;
  const height = (ROWS.length - 1) * ROW + BOX.height + 2;
  return { width, height, box: BOX, types, relations: [...relations.values()] };
}

/** The named type without list, connection and non-null wrappers. */
function recordOf(type) {
  const named = getNamedType(type);
  return named.name.endsWith("Connection") ? getNamedType(named.getFields().nodes.type).name : named.name;
}

function line(a, b) {
  const start = `M${a.x} ${a.y}`;
  if (a.x !== b.x || Math.abs(a.y - b.y) <= ROW) return `${start}L${b.x} ${b.y}`;
  const bend = a.x > COLUMN ? -BEND : BEND;
  return `${start}Q${a.x + bend} ${(a.y + b.y) / 2} ${b.x} ${b.y}`;
}
