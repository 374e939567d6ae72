/** Administration: keys, people, webhooks, imports and settings. */
import { t } from "@lingui/core/macro";
import { Link, useSearch } from "@tanstack/react-router";
import { type ReactNode, useCallback, useState } from "react";
import { useQuery } from "urql";
import { AdminPage as Document } from "../../generated/admin.js";
import { expiringKeys } from "../../parts/expiry.js";
import { useTitle } from "../../parts/hooks.js";
import { Failed, LoadingCard } from "../../parts/states.js";
import { useLiveData } from "../../session/live.js";
import { useSession } from "../../session/session.js";
import { Import } from "./import.js";
import { Keys } from "./keys.js";
import { People } from "./people.js";
import { Settings } from "./settings.js";
import { Webhooks } from "./webhooks.js";

const tabs = [
  [undefined, t`Keys`],
  ["people", t`People`],
  ["webhooks", t`Webhooks`],
  ["import", t`Import`],
  ["settings", t`Settings`],
] as const;

export function AdminPage(): ReactNode {
  const { tab, show } = useSearch({ from: "/admin" });
  const { can } = useSession();
  const isAdmin = can("createApiKey");
  const [expiring] = useState(expiringKeys);
  const [{ data, error, fetching }, retry] = useQuery({
    query: Document,
    variables: { keys: show === "expiring" ? expiring : undefined },
    pause: !isAdmin,
  });
  useLiveData(
    ["API_KEY"],
    useCallback(() => isAdmin && retry({ requestPolicy: "network-only" }), [isAdmin, retry]),
  );
  useTitle(t`Administration`);
  const shown = isAdmin ? tab : "import";
  return (
    <>
      <div className="page-head">
        <h1>{t`Administration`}</h1>
      </div>
      <nav className="tabs" aria-label={t`Sections`}>
        {tabs
          .filter(([name]) => isAdmin || name === "import")
          .map(([name, label]) => (
            <Link
              key={label}
              to="/admin"
              search={{ tab: name }}
              replace
              activeOptions={{ exact: true, explicitUndefined: true }}
              aria-current={shown === name ? "page" : undefined}
            >
              {label}
            </Link>
          ))}
      </nav>
      {shown === "import" && <Import />}
      {shown !== "import" && !data && fetching && <LoadingCard />}
      {shown !== "import" && !data && error && <Failed error={error} onRetry={() => retry({ requestPolicy: "network-only" })} />}
      {!shown && data && <Keys data={data} isExpiring={show === "expiring"} />}
      {shown === "people" && data && <People sites={data.sites?.map(({ name }) => name) ?? []} />}
      {shown === "webhooks" && data && <Webhooks data={data} isFailing={show === "failing"} />}
      {shown === "settings" && data && <Settings data={data} />}
    </>
  );
}
