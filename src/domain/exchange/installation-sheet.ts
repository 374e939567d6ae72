/** The sheet of installations: which unit was in which component, from when to when (docs/units.md, "Units in files"). */
import type { TenantQueryable } from "../../database/database.js";
import { RemovalReason } from "../../schema/components/enums.js";
import { Name, ShortText, Text } from "../../schema/scalars.js";
import { date, required, text, word } from "./cells.js";
import { keysetPieces } from "./export.js";
import { InstallationImporter } from "./installation-import.js";
import type { Sheet } from "./sheet.js";

const columns = [
  text(Name, "unitId"),
  required(text(Name, "serialNumber")),
  text(Name, "partNumber"),
  text(ShortText, "manufacturer"),
  required(text(Name, "component")),
  required(date("startedAt")),
  date("endedAt"),
  word("removalReason", Object.values(RemovalReason)),
  text(Name, "workOrderId"),
  text(Text, "notes"),
];

export const installationSheet: Sheet<InstallationImporter> = {
  name: "installations",
  roles: ["technician"],
  columns,
  keysOf: () => [],
  // Rows of a unit and of a component may come in any order.
  batchSize: Number.POSITIVE_INFINITY,
  begin: (run) => new InstallationImporter(run),
  pieces: (db: TenantQueryable, write) =>
    keysetPieces<{ id: string }>(
      (last, limit) =>
        db.query(
          `select p.id, p."unitId", u."serialNumber", t."partNumber", u.manufacturer, coalesce(c."externalId", c.id) as component, p."startedAt", p."endedAt",
             p."removalReason", p."workOrderId", p.notes
           from "UnitPeriod" p join "Unit" u on u."tenantId" = $1 and u.id = p."unitId" left join "Part" t on t."tenantId" = $1 and t.id = u."partId"
             join "Component" c on c."tenantId" = $1 and c.id = p."componentId" and c."deletedAt" is null
           where p."tenantId" = $1 and p.id > $2 order by p.id limit ${limit}`,
          last?.id ?? "",
        ),
      write,
    ),
};
