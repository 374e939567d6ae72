import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { useSession } from "../session/session.js";

interface Props {
  /** Null if none is set, undefined if not read yet. */
  currency: string | null | undefined;
}

/** Says that amounts have no currency. Administrators get a link to set it. */
export function NoCurrency({ currency }: Props) {
  const { can } = useSession();
  if (currency !== null) return null;
  return (
    <p className="no-currency muted small">
      {t`No currency is set.`}{" "}
      {can("updateStockSettings") && (
        <Link to="/admin" search={{ tab: "settings" }}>
          {t`Set the currency`}
        </Link>
      )}
    </p>
  );
}
