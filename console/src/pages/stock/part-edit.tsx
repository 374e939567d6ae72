/** Forms of a part and of its stock at a site. */
import { t } from "@lingui/core/macro";
import { CreatePart, UpdateLevel, type UpdateLevelMutationVariables, UpdatePart } from "../../generated/part-edit.js";
import { useChange } from "../../parts/change.js";
import { useOwnSites } from "../../parts/places.js";
import { RecordForm } from "../../parts/record-form.js";
import type { FieldSpec } from "../../parts/record-values.js";
import { wordOf } from "../../parts/words.js";
import type { Part } from "./types.js";

const units = ["EACH", "BOX", "KILOGRAM", "LITER", "METER", "PAIR", "ROLL", "SET"].map((one) => [one, wordOf(one)] as const);

const partFields: FieldSpec[] = [
  { name: "partNumber", label: t`Part number`, required: true },
  { name: "name", label: t`Name`, required: true },
  { name: "unitOfMeasure", label: t`Unit`, kind: "choice", options: units },
  { name: "category", label: t`Category` },
  { name: "unitCost", label: t`Unit cost`, kind: "number", hint: t`Reference price, until receipts give an average` },
  { name: "coreValue", label: t`Core value`, kind: "number", hint: t`Of a used unit without its repair` },
  { name: "currency", label: t`Currency`, hint: t`Such as EUR` },
  { name: "manufacturer", label: t`Manufacturer` },
  { name: "manufacturerPartNumber", label: t`Manufacturer's part number` },
  { name: "supplier.name", label: t`Supplier` },
  { name: "supplier.partNumber", label: t`Supplier's part number` },
  { name: "supplier.contact.email", label: t`Supplier's email address` },
  { name: "supplier.contact.phone", label: t`Supplier's phone` },
  { name: "supplier.id", label: t`Supplier's id in another system` },
  { name: "leadTime", label: t`Lead time, days`, kind: "number" },
  { name: "minimumStock", label: t`Minimum`, kind: "number", hint: t`For sites without their own` },
  { name: "maximumStock", label: t`Maximum`, kind: "number", hint: t`For sites without their own` },
  { name: "reorderPoint", label: t`Reorder point`, kind: "number", hint: t`For sites without their own` },
  { name: "location", label: t`Bin`, hint: t`For sites without their own` },
  { name: "barcode", label: t`Barcode` },
  { name: "externalId", label: t`Id in another system` },
  { name: "lifeHours", label: t`Life of a unit, hours`, kind: "number" },
  { name: "lifeMonths", label: t`Life of a unit, months`, kind: "number", hint: t`Since its first installation` },
  { name: "lifeInstallations", label: t`Life of a unit, installations`, kind: "number" },
  { name: "inspectionHours", label: t`Inspection every … hours`, kind: "number" },
  { name: "inspectionMonths", label: t`Inspection every … months`, kind: "number" },
  { name: "isCritical", label: t`Equipment cannot operate without it`, kind: "flag" },
  { name: "tracksBatches", label: t`Movements need a batch`, kind: "flag" },
  { name: "tracksSerials", label: t`Movements need serial numbers`, kind: "flag" },
  { name: "isRepairable", label: t`Repairable: each unit has a value of its own`, kind: "flag" },
  { name: "isCapital", label: t`Fixed asset: its stock has no value`, kind: "flag" },
  { name: "description", label: t`Description`, kind: "long" },
  { name: "specifications", label: t`Specifications`, kind: "pairs" },
];

export function NewPart({ onClose, onMade }: { onClose: () => void; onMade: (id: string) => void }) {
  const create = useChange(CreatePart);
  return (
    <RecordForm<{ name: string; partNumber: string }>
      title={t`New part`}
      verb={t`Create part`}
      fields={() => partFields}
      change={create}
      onSave={async (input) => {
        const made = (await create.run({ input }, t`${input.name} created`))?.createPart;
        if (made) onMade(made.id);
        return made;
      }}
      onClose={onClose}
    />
  );
}

interface EditProps {
  part: Part;
  onClose: () => void;
  onReload: () => void;
}

/** Specifications that are no texts or numbers would not survive the form. */
const isPlain = (specifications: object) => Object.values(specifications).every((value) => typeof value === "string");

export function EditPart({ part, onClose, onReload }: EditProps) {
  const update = useChange(UpdatePart);
  const fields = partFields.filter(({ name }) => name !== "specifications" || isPlain(part.specifications));
  return (
    <RecordForm<object>
      title={t`Edit ${part.name}`}
      fields={() => fields}
      record={part}
      change={update}
      onSave={(input, expectedVersion) => update.run({ id: part.id, input, expectedVersion }, t`Saved`)}
      onClose={onClose}
      onReload={onReload}
    />
  );
}

const levelFields: FieldSpec[] = [
  { name: "location", label: t`Bin`, hint: t`Storage location at this site` },
  { name: "reorderPoint", label: t`Reorder point`, kind: "number" },
  { name: "minimumStock", label: t`Minimum`, kind: "number" },
  { name: "maximumStock", label: t`Maximum`, kind: "number" },
];

/** Thresholds and bin of a part at a site. Without a level, the form adds a site. */
export function EditLevel({ part, level, onClose, onReload }: EditProps & { level?: Part["stockLevels"][number] }) {
  const update = useChange(UpdateLevel);
  const stocked = part.stockLevels.map(({ site }) => site);
  const free = useOwnSites().filter((name) => !stocked.includes(name));
  const choice: FieldSpec = { name: "site", label: t`Site`, required: true, options: free };
  return (
    <RecordForm<UpdateLevelMutationVariables["input"]>
      title={level ? t`Stock level at ${level.site}` : t`Stock ${part.name} at another site`}
      fields={() => (level ? levelFields : [choice, ...levelFields])}
      record={level}
      change={update}
      onSave={({ site, ...input }, expectedVersion) =>
        update.run({ partId: part.id, site: level?.site ?? site!, input, expectedVersion }, t`Saved`)
      }
      onClose={onClose}
      onReload={onReload}
    >
      {level && <p className="muted">{t`A field left empty has the value of the part.`}</p>}
    </RecordForm>
  );
}
