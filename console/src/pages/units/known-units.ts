/** Units with a serial number that a person types or scans. */
import { useQuery } from "urql";
import { KnownUnits } from "../../generated/units.js";
import { useSettled } from "../../parts/hooks.js";

/** `isFound`: the service answered for the number as it stands. Until then, `units` may be those that were read before. */
export function useKnownUnits(typed: string, isNeeded = true) {
  const serialNumber = typed.trim();
  const settled = useSettled(serialNumber);
  const [{ data, fetching, stale, operation }, findAgain] = useQuery({
    query: KnownUnits,
    variables: { serialNumber: settled },
    pause: !isNeeded || !settled,
    requestPolicy: "cache-and-network",
  });
  const isSettled = settled === serialNumber;
  const isFound = isSettled && !fetching && !stale && operation?.variables.serialNumber === settled;
  const units = (serialNumber && isSettled && data?.units?.nodes) || [];
  return { serialNumber, units, isFound, findAgain };
}
