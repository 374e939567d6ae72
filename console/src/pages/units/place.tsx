import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import type { Period } from "./types.js";

/** The position of an installation, or the site of another period. */
export function Place({ period: { component, site } }: { period: Pick<Period, "component" | "site"> }) {
  if (!component) return site ?? <span className="muted">{t`unknown`}</span>;
  return (
    <>
      <Link to="/component/$id" params={{ id: component.id }}>
        {component.name}
      </Link>
      {component.asset && (
        <span className="muted small block">
          {component.asset.name} · {component.asset.site}
        </span>
      )}
      {component.heldBy && <InUnit unit={component.heldBy} />}
    </>
  );
}

/** The unit that has a component along with it. */
export const InUnit = ({ unit }: { unit: { id: string; serialNumber: string } }) => (
  <Link className="small block" to="/units/$id" params={{ id: unit.id }}>
    {t`Inside unit ${unit.serialNumber}`}
  </Link>
);
