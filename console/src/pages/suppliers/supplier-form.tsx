/** Creates or edits a supplier. */
import { t } from "@lingui/core/macro";
import type { SupplierListQuery } from "../../generated/suppliers.js";
import { CreateSupplier, UpdateSupplier } from "../../generated/suppliers.js";
import { useChange } from "../../parts/change.js";
import { RecordForm } from "../../parts/record-form.js";
import type { FieldSpec } from "../../parts/record-values.js";

export type Supplier = NonNullable<SupplierListQuery["suppliers"]>["nodes"][number];

const fields: FieldSpec[] = [
  { name: "name", label: t`Name`, required: true },
  { name: "number", label: t`Supplier number` },
  { name: "currency", label: t`Currency`, hint: t`Of its orders, such as EUR` },
  { name: "contact.email", label: t`Email address` },
  { name: "contact.phone", label: t`Phone` },
  { name: "paymentTerms", label: t`Payment terms`, hint: t`Such as 30 days net` },
  { name: "deliveryTerms", label: t`Delivery terms`, hint: t`Such as DAP` },
  { name: "externalId", label: t`Id in another system` },
  { name: "notes", label: t`Notes`, kind: "long" },
];

interface Props {
  /** Without a supplier, the form creates one. */
  supplier?: Supplier;
  onClose: () => void;
  onMade?: (id: string) => void;
  onReload?: () => void;
}

export function SupplierForm({ supplier, onClose, onMade, onReload }: Props) {
  const create = useChange(CreateSupplier);
  const update = useChange(UpdateSupplier);
  return (
    <RecordForm<{ name: string }>
      title={supplier ? t`Edit ${supplier.name}` : t`New supplier`}
      verb={supplier ? t`Save` : t`Create supplier`}
      fields={() => fields}
      record={supplier}
      change={supplier ? update : create}
      onSave={async (input, expectedVersion) => {
        if (supplier) return update.run({ id: supplier.id, input, expectedVersion }, t`Saved`);
        const made = (await create.run({ input }, t`${input.name} created`))?.createSupplier;
        if (made) onMade?.(made.id);
        return made;
      }}
      onClose={onClose}
      onReload={onReload}
    />
  );
}
