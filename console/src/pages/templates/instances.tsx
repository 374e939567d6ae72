/** The component trees made from a template, and their upgrade. */
import { plural, t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { LayoutTemplate, RefreshCw } from "lucide-react";
import { useState } from "react";
import { useQuery } from "urql";
import { InstanceAssets } from "../../generated/templates.js";
import { Empty } from "../../parts/states.js";
import { Status } from "../../parts/status.js";
import { useSession } from "../../session/session.js";
import { DifferenceList } from "./difference-list.js";
import type { Template } from "./items.js";
import { UpgradeDialog } from "./upgrade.js";

export function Instances({ template, onReload }: { template: Template; onReload: () => void }) {
  const { can } = useSession();
  const [isUpgrading, setUpgrading] = useState(false);
  const { instances } = template;
  const ids = [...new Set(instances.flatMap(({ assetId }) => assetId ?? []))];
  const [{ data }] = useQuery({ query: InstanceAssets, variables: { ids }, pause: !ids.length });
  const assets = new Map(data?.assetsByIds?.flatMap((one) => (one && "name" in one ? [[one.id, one]] : [])));
  const nameOf = (assetId: string | null) => (assetId && assets.get(assetId)?.name) || t`Components without an asset`;
  const differing = instances.filter(({ differences }) => differences.length);
  return (
    <section className="card" aria-labelledby="instances">
      <header>
        <h2 id="instances">{t`Where it is used`}</h2>
        {can("upgradeInstances") && differing.length > 0 && (
          <button type="button" className="button small" onClick={() => setUpgrading(true)}>
            <RefreshCw className="icon" aria-hidden />
            {t`Upgrade …`}
          </button>
        )}
      </header>
      <div className="body flush">
        {instances.length ? (
          <ul className="list" aria-labelledby="instances">
            {instances.map(({ id, assetId, builtFrom, differences }) => (
              <li key={id} style={{ flexWrap: "wrap" }}>
                <span className="grow">
                  {assetId ? (
                    <Link className="title" to="/asset/$id" params={{ id: assetId }} search={{ tab: "components" }}>
                      {nameOf(assetId)}
                    </Link>
                  ) : (
                    nameOf(assetId)
                  )}
                  <span className="muted small"> {t`version ${builtFrom}`}</span>
                </span>
                {differences.length ? (
                  <details className="differences">
                    <summary>
                      {plural(differences.length, { one: "# difference", other: "# differences" })}
                      <span className="hidden-text"> {t`in ${nameOf(assetId)}`}</span>
                    </summary>
                    <DifferenceList differences={differences} label={t`Differences in ${nameOf(assetId)}`} />
                  </details>
                ) : (
                  <Status value="COMPLETED" label={t`As in the template`} />
                )}
              </li>
            ))}
          </ul>
        ) : (
          <Empty icon={LayoutTemplate} title={t`Not used yet`}>
            {t`Apply it on the page of an asset, among its components.`}
          </Empty>
        )}
      </div>
      {isUpgrading && (
        <UpgradeDialog
          template={template}
          instances={differing}
          nameOf={nameOf}
          onClose={() => {
            setUpgrading(false);
            onReload();
          }}
        />
      )}
    </section>
  );
}
