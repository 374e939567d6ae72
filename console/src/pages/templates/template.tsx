/** A template: its items, its versions side by side, and the components made from it. */
import { plural, t } from "@lingui/core/macro";
import { Link, useParams } from "@tanstack/react-router";
import { LayoutTemplate, Pencil } from "lucide-react";
import { type ReactNode, useCallback, useState } from "react";
import { useQuery } from "urql";
import { TemplatePage as Document } from "../../generated/templates.js";
import { Select } from "../../parts/field.js";
import { useTitle } from "../../parts/hooks.js";
import { Description } from "../../parts/said.js";
import { Empty, NoRecord } from "../../parts/states.js";
import { count, moment, wordOf } from "../../parts/words.js";
import { useLiveData } from "../../session/live.js";
import { useSession } from "../../session/session.js";
import { differencesOf } from "./differences.js";
import { Instances } from "./instances.js";
import { rowsOfItems, type Template } from "./items.js";

export function TemplatePage(): ReactNode {
  const { id } = useParams({ from: "/procedures/templates/$id" });
  const { can } = useSession();
  const [{ data, error, fetching }, retry] = useQuery({ query: Document, variables: { id } });
  const template = data?.template?.id === id ? data.template : undefined;
  const readAgain = useCallback(() => retry({ requestPolicy: "network-only" }), [retry]);
  useLiveData(["COMPONENT_TEMPLATE", "COMPONENT"], readAgain);
  useTitle(template?.name);
  if (!template) return <NoRecord isLoading={fetching} error={error} title={t`Template not found`} onRetry={readAgain} />;
  const { name, type, version, description, usageCount } = template;
  return (
    <>
      <nav className="crumbs" aria-label={t`Place`}>
        <Link to="/procedures/templates">{t`Templates`}</Link>
      </nav>
      <div className="page-head">
        <div>
          <h1>{name}</h1>
          <p>{[wordOf(type), t`version ${version}`, plural(usageCount, { one: "used once", other: "used # times" })].join(" · ")}</p>
        </div>
        {can("updateTemplate") && (
          <Link className="button" to="/procedures/templates/$id/edit" params={{ id }}>
            <Pencil className="icon" aria-hidden />
            {t`New version`}
          </Link>
        )}
      </div>
      <div className="columns">
        <div className="stack">
          {description && <Description text={description} />}
          <Instances template={template} onReload={readAgain} />
          <Versions key={id} template={template} />
        </div>
        <Items template={template} />
      </div>
    </>
  );
}

function Items({ template }: { template: Template }) {
  const rows = rowsOfItems(template.items);
  return (
    <section className="card" aria-labelledby="template-items">
      <header>
        <h2 id="template-items">{t`Components`}</h2>
        <span className="muted small">{count(rows.length)}</span>
      </header>
      <div className="body flush">
        {rows.length ? (
          <ul className="list" aria-labelledby="template-items">
            {rows.map(({ id, name, type, maintenanceInterval, depth }) => (
              <li key={id}>
                <span className="grow anywhere" style={{ paddingInlineStart: Math.min(depth, 6) * 16 }}>
                  <span className="title">{name}</span>
                  <br />
                  <span className="muted small">
                    {[wordOf(type), maintenanceInterval && t`every ${maintenanceInterval}`].filter(Boolean).join(" · ")}
                  </span>
                </span>
              </li>
            ))}
          </ul>
        ) : (
          <Empty icon={LayoutTemplate} title={t`No components`} />
        )}
      </div>
    </section>
  );
}

/** Two versions side by side: by default the latest and the one before. */
function Versions({ template }: { template: Template }) {
  const versions = template.versionHistory.nodes;
  const [chosen, setChosen] = useState<{ older?: string; newer?: string }>({});
  const newer = versions.find(({ version }) => version === chosen.newer) ?? versions[0];
  const older = versions.find(({ version }) => version === chosen.older) ?? versions[1];
  const options = versions.map(({ version, createdAt, createdByPrincipal }) => (
    <option key={version} value={version}>
      {[version, moment(createdAt), createdByPrincipal?.name].filter(Boolean).join(", ")}
    </option>
  ));
  const differences = older && newer ? differencesOf(older, newer) : [];
  return (
    <section className="card" aria-labelledby="versions">
      <header>
        <h2 id="versions">{t`Versions`}</h2>
        <span className="muted small">{count(versions.length)}</span>
      </header>
      <div className="body stack">
        {!older || !newer ? (
          <p className="muted">{t`There is only version ${template.version}.`}</p>
        ) : (
          <>
            <div className="grid-2 keep">
              <Select label={t`Before`} value={older.version} onChange={({ target }) => setChosen({ ...chosen, older: target.value })}>
                {options}
              </Select>
              <Select label={t`After`} value={newer.version} onChange={({ target }) => setChosen({ ...chosen, newer: target.value })}>
                {options}
              </Select>
            </div>
            {!differences.length && <p className="muted">{t`The versions are equal.`}</p>}
            {differences.length > 0 && (
              // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard
              <section className="table-wrap" aria-label={t`Differences`} tabIndex={0}>
                <table>
                  <thead>
                    <tr>
                      <th scope="col">{t`Component`}</th>
                      <th scope="col">{older.version}</th>
                      <th scope="col">{newer.version}</th>
                    </tr>
                  </thead>
                  <tbody>
                    {differences.map(({ what, before, after }) => (
                      <tr key={`${what} ${before} ${after}`}>
                        <th scope="row" className="anywhere">
                          {what}
                        </th>
                        <td>{before}</td>
                        <td>{after}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </section>
            )}
          </>
        )}
      </div>
    </section>
  );
}
