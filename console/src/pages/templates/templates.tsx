/** Templates of component trees. */
import { plural, t } from "@lingui/core/macro";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { LayoutTemplate, ListPlus } from "lucide-react";
import { type ReactNode, useCallback, useState } from "react";
import { useQuery } from "urql";
import { TemplateList } from "../../generated/templates.js";
import { useDraft, useTitle } from "../../parts/hooks.js";
import { More } from "../../parts/more.js";
import { SearchField } from "../../parts/search-field.js";
import { Empty, Failed, LoadingCard } from "../../parts/states.js";
import { ago, wordOf } from "../../parts/words.js";
import { useLiveData } from "../../session/live.js";
import { useSession } from "../../session/session.js";
import { SectionTabs } from "../procedures/section-tabs.js";

export function TemplatesPage(): ReactNode {
  const { q } = useSearch({ from: "/procedures/templates" });
  const { can } = useSession();
  const navigate = useNavigate({ from: "/procedures/templates" });
  const [draft, setDraft] = useDraft(
    q ?? "",
    (text) => void navigate({ search: { q: text || undefined }, replace: true, resetScroll: false }),
  );
  useTitle(t`Templates`);
  const [page, setPage] = useState<{ list: string | undefined; after?: string | null }>({ list: q });
  const [{ data, error, fetching, stale }, retry] = useQuery({
    query: TemplateList,
    variables: { filter: { nameContains: q }, after: page.list === q ? page.after : undefined },
  });
  const readAgain = useCallback(() => retry({ requestPolicy: "network-only" }), [retry]);
  useLiveData(["COMPONENT_TEMPLATE"], readAgain);
  const templates = data?.templates;
  return (
    <>
      <div className="page-head">
        <div>
          <h1>{t`Templates`}</h1>
          <p>{templates ? plural(templates.totalCount, { one: "# template", other: "# templates" }) : " "}</p>
        </div>
        {can("createTemplate") && (
          <Link className="button primary" to="/procedures/templates/new">
            <ListPlus className="icon" aria-hidden />
            {t`New template`}
          </Link>
        )}
      </div>
      <SectionTabs />
      <search className="filters">
        <SearchField placeholder={t`Template`} aria-label={t`Filter templates`} value={draft} onChange={setDraft} />
      </search>
      {!templates && fetching && <LoadingCard lines={6} />}
      {!templates && !fetching && <Failed error={error} onRetry={readAgain} />}
      {templates && (
        <section className="card" aria-label={t`Templates`} aria-busy={fetching || stale}>
          {templates.nodes.length ? (
            <ul className="list">
              {templates.nodes.map(({ id, name, type, version, usageCount, lastUsedAt }) => (
                <li key={id} className="clickable">
                  <div className="grow">
                    <Link className="title clip block" to="/procedures/templates/$id" params={{ id }}>
                      {name}
                    </Link>
                    <div className="muted small clip">
                      {[wordOf(type), t`version ${version}`, lastUsedAt && t`last used ${ago(lastUsedAt)}`].filter(Boolean).join(" · ")}
                    </div>
                  </div>
                  <span className="muted small nowrap">{plural(usageCount, { one: "Used once", other: "Used # times" })}</span>
                </li>
              ))}
            </ul>
          ) : (
            <Empty icon={LayoutTemplate} title={q ? t`No templates match this filter` : t`No templates yet`}>
              {t`A template holds components that several assets have. Create one from the components of an asset.`}
            </Empty>
          )}
          <More
            hasMore={templates.pageInfo.hasNextPage}
            isBusy={fetching || stale}
            onMore={() => setPage({ list: q, after: templates.pageInfo.endCursor })}
          />
        </section>
      )}
    </>
  );
}
