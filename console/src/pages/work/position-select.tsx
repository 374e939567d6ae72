/** Chooses a component of an asset, whose unit a step exchanges. */
import { t } from "@lingui/core/macro";
import { useQuery } from "urql";
import { Positions } from "../../generated/step-exchange.js";
import { Select } from "../../parts/field.js";

interface Props {
  assetId: string | undefined;
  /** Text of the option for no component. */
  empty: string;
  required?: boolean;
  value: string;
  wrong: string | undefined;
  onChange: (id: string) => void;
}

export function PositionSelect({ assetId, empty, required, value, wrong, onChange }: Props) {
  const [{ data }] = useQuery({ query: Positions, variables: { assetId: assetId ?? "" }, pause: !assetId });
  const { nodes = [], pageInfo } = (assetId && data?.asset?.components) || {};
  return (
    <Select
      label={t`Component`}
      hint={pageInfo?.hasNextPage ? t`Lists the first 200 components by name.` : undefined}
      required={required}
      value={value}
      wrong={wrong}
      onChange={({ target }) => onChange(target.value)}
    >
      <option value="">{empty}</option>
      {value && !nodes.some(({ id }) => id === value) && <option value={value}>…</option>}
      {nodes.map(({ id, name, parent }) => (
        <option key={id} value={id}>
          {parent ? `${name} (${parent.name})` : name}
        </option>
      ))}
    </Select>
  );
}
