import { t } from "@lingui/core/macro";

interface Props {
  suppliers: readonly { id: string; name: string }[];
  supplier?: string;
  onChange: (supplier?: string) => void;
}

/** The filter of a list by supplier. Nothing if there is no choice. */
export const SupplierSelect = ({ suppliers, supplier, onChange }: Props) =>
  suppliers.length > 1 ? (
    <div className="row wrap" style={{ marginBottom: 14 }}>
      <select
        className="input"
        aria-label={t`Supplier`}
        value={supplier ?? ""}
        onChange={({ target }) => onChange(target.value || undefined)}
      >
        <option value="">{t`All suppliers`}</option>
        {suppliers.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </div>
  ) : null;
