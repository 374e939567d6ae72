/** Says how the release of a unit changes the stock, and whether it must be approved. */
import { t } from "@lingui/core/macro";
import { useQuery } from "urql";
import { ReleaseTerms as Document } from "../../generated/units.js";
import { NumberField } from "../../parts/field.js";
import { money } from "../../parts/words.js";

interface Props {
  partId: string;
  serialNumber: string;
  site: string;
  repairCost: string;
  wrong?: string;
  onRepairCost: (text: string) => void;
}

export function ReleaseTerms({ partId, serialNumber, site, repairCost, wrong, onRepairCost }: Props) {
  const [{ data, fetching }] = useQuery({
    query: Document,
    variables: { partId, number: serialNumber },
    requestPolicy: "network-only",
  });
  const part = data?.part;
  if (!part) return fetching ? <p className="muted" aria-busy>{t`Loading …`}</p> : null;
  const value = money(part.coreValue ?? 0, part.currency);
  return (
    <>
      <p>
        {part.isRepairable
          ? t`The stock of ${part.name} at ${site} gains one unit. If it was used, it is worth the core value of ${value} and its repair.`
          : t`The stock of ${part.name} at ${site} gains one unit, at the core value of ${value}.`}
      </p>
      {part.isRepairable && (
        <NumberField
          label={t`Cost of the repair`}
          hint={t`With a cost, another person must approve the release`}
          min={0}
          value={repairCost}
          wrong={wrong}
          onChange={(event) => onRepairCost(event.target.value)}
        />
      )}
      {data.serialNumber?.lastMovement?.type !== "ISSUE" && (
        <p>{t`It was not issued from stock before. It stays blocked until another person approves it.`}</p>
      )}
    </>
  );
}
