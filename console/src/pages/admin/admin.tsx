/** Administration: keys, webhooks, imports and settings. */
import { Link, useSearch } from "@tanstack/react-router";
import { Lock } from "lucide-react";
import type { ReactNode } from "react";
import { useQuery } from "urql";
import { AdminPage as Document } from "../../generated/admin.js";
import { useTitle } from "../../parts/hooks.js";
import { Empty, Failed, LoadingCard } from "../../parts/states.js";
import { useSession } from "../../session/session.js";
import { Import } from "./import.js";
import { Keys } from "./keys.js";
import { Settings } from "./settings.js";
import { Webhooks } from "./webhooks.js";

const tabs = [
  [undefined, "Keys"],
  ["webhooks", "Webhooks"],
  ["import", "Import"],
  ["settings", "Settings"],
] as const;

export function AdminPage(): ReactNode {
  const { tab } = useSearch({ from: "/admin" });
  const { can } = useSession();
  const isAdmin = can("createApiKey");
  const [{ data, error, fetching }, retry] = useQuery({ query: Document, pause: !isAdmin });
  useTitle("Administration");
  if (!isAdmin && !can("importAssets"))
    return (
      <Empty icon={Lock} title="Only administrators can open this page">
        Ask an administrator for access.
      </Empty>
    );
  const shown = isAdmin ? tab : "import";
  return (
    <>
      <div className="page-head">
        <h1>Administration</h1>
      </div>
      <nav className="tabs" aria-label="Sections">
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
      {!shown && data && <Keys data={data} />}
      {shown === "webhooks" && data && <Webhooks data={data} />}
      {shown === "settings" && data && <Settings data={data} />}
    </>
  );
}
