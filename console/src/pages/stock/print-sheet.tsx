/** Prints a count sheet: every line, with a box for the number to write down. */
import { t } from "@lingui/core/macro";
import { Printer } from "lucide-react";
import { useEffect, useState } from "react";
import { createPortal } from "react-dom";
import { useClient } from "urql";
import { CountSheet, type CountSheetQuery } from "../../generated/count.js";
import { messageOf } from "../../parts/states.js";
import { useToast } from "../../parts/toast.js";
import { exact, moment, unitWord } from "../../parts/words.js";
import { type Count, nameOf, scopeOf } from "./count-state.js";

type Line = NonNullable<CountSheetQuery["stockCount"]>["lines"]["nodes"][number];

export function PrintSheet({ of }: { of: Count }) {
  const client = useClient();
  const toast = useToast();
  const [lines, setLines] = useState<Line[]>();
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    if (!lines) return;
    const end = () => setLines(undefined);
    addEventListener("afterprint", end);
    print();
    return () => removeEventListener("afterprint", end);
  }, [lines]);

  const prepare = async () => {
    setBusy(true);
    for (let after: string | null | undefined; ; ) {
      const { data, error } = await client.query(CountSheet, { id: of.id, after }, { requestPolicy: "network-only" }).toPromise();
      const found = data?.stockCount?.lines;
      if (!found) {
        toast(messageOf(error), true);
        break;
      }
      if (found.pageInfo.hasNextPage) after = found.pageInfo.endCursor;
      else {
        // The cache joins the pages, so the last response holds all lines.
        setLines(found.nodes);
        break;
      }
    }
    setBusy(false);
  };
  // In a blind count, the book quantities stay hidden.
  const hasBooks = lines?.some(({ expected }) => expected != null);
  return (
    <>
      <button type="button" className="button" disabled={isBusy} onClick={() => void prepare()}>
        <Printer className="icon" aria-hidden />
        {t`Print the sheet`}
      </button>
      {lines &&
        createPortal(
          <section className="print-sheet" aria-label={t`Count sheet`}>
            <h1>
              {nameOf(of)}, {of.site}
            </h1>
            <p>{[scopeOf(of), of.reason, moment(new Date(), of.site)].filter(Boolean).join(" · ")}</p>
            <table>
              <thead>
                <tr>
                  <th>{t`Bin`}</th>
                  <th>{t`Part number`}</th>
                  <th>{t`Part`}</th>
                  <th>{t`Unit`}</th>
                  {hasBooks && <th className="right">{t`In the books`}</th>}
                  <th className="right">{t`Counted`}</th>
                </tr>
              </thead>
              <tbody>
                {lines.map(({ id, location, part, expected, counted }) => (
                  <tr key={id}>
                    <td className="mono">{location}</td>
                    <td className="mono">{part.partNumber}</td>
                    <td>{part.name}</td>
                    <td>{unitWord(part.unitOfMeasure)}</td>
                    {hasBooks && <td className="right">{exact(expected)}</td>}
                    <td className="right box">{counted != null && exact(counted)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
            <p>{t`Counted by ______________________ on ______________________`}</p>
          </section>,
          document.body,
        )}
    </>
  );
}
