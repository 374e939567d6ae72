import { t } from "@lingui/core/macro";
import { Fragment, type ReactNode, useId } from "react";

type Facts = readonly (readonly [label: string, value: ReactNode])[];

/** Labels and values. Facts without a value are left out. */
export const FactList = ({ facts }: { facts: Facts }) => (
  <dl className="facts">
    {facts.map(
      ([label, value]) =>
        value && (
          <Fragment key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </Fragment>
        ),
    )}
  </dl>
);

/** The facts of a record, below `children`. */
export function FactsCard({ facts, children }: { facts: Facts; children?: ReactNode }) {
  const id = useId();
  return (
    <section className="card" aria-labelledby={id}>
      <header>
        <h2 id={id}>{t`Facts`}</h2>
      </header>
      <div className="body stack">
        {children}
        <FactList facts={facts} />
      </div>
    </section>
  );
}
