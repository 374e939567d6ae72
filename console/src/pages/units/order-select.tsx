import { t } from "@lingui/core/macro";
import { useQuery } from "urql";
import { OpenOrders } from "../../generated/units.js";
import { Select } from "../../parts/field.js";

interface Props {
  assetId: string | undefined;
  value: string;
  wrong?: string;
  onChange: (workOrderId: string) => void;
}

/** Pending work orders of an asset, for which units are exchanged. */
export function OrderSelect({ assetId, value, wrong, onChange }: Props) {
  const [{ data }] = useQuery({
    query: OpenOrders,
    variables: { assetId: assetId ?? "" },
    pause: !assetId,
    requestPolicy: "cache-and-network",
  });
  const orders = data?.asset?.workOrders.nodes;
  if (!orders?.length) return null;
  return (
    <Select label={t`Work order`} value={value} wrong={wrong} onChange={(event) => onChange(event.target.value)}>
      <option value="">–</option>
      {orders.map((one) => (
        <option key={one.id} value={one.id}>
          {one.title}
        </option>
      ))}
    </Select>
  );
}
