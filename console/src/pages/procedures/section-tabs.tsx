import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";

/** Procedures, and templates of components. */
export const SectionTabs = () => (
  <nav className="tabs" aria-label={t`Procedures and templates`}>
    <Link to="/procedures" activeOptions={{ exact: true, includeSearch: false }} activeProps={{ "aria-current": "page" }}>
      {t`Procedures`}
    </Link>
    <Link to="/procedures/templates" activeOptions={{ exact: true, includeSearch: false }} activeProps={{ "aria-current": "page" }}>
      {t`Templates`}
    </Link>
  </nav>
);
