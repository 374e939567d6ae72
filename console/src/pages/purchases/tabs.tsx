/** Sections of purchasing: orders, invoices, suppliers and approval. */
import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";

const tabs = [
  ["/purchases", t`Orders`],
  ["/purchases/invoices", t`Invoices`],
  ["/suppliers", t`Suppliers`],
  ["/purchases/approval", t`Approval`],
] as const;

export const PurchaseTabs = () => (
  <nav className="tabs" aria-label={t`Sections`}>
    {tabs.map(([to, label]) => (
      <Link key={to} to={to} activeOptions={{ exact: true, includeSearch: false }} activeProps={{ "aria-current": "page" }}>
        {label}
      </Link>
    ))}
  </nav>
);
