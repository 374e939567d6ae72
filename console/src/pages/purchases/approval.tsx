/** Approval of purchase orders: the rules that require it, and who approves for whom. */
import { t } from "@lingui/core/macro";
import { Pencil, Plus, Trash2 } from "lucide-react";
import { type ReactNode, useCallback, useState } from "react";
import { useQuery } from "urql";
import type { PurchaseApprovalRuleInput } from "../../../../packages/client/src/generated/schema.js";
import {
  CreateApprovalRule,
  DeleteApprovalRule,
  PurchaseApproval,
  type PurchaseApprovalQuery,
  UpdateApprovalRule,
} from "../../generated/approval.js";
import { useChange } from "../../parts/change.js";
import { Confirm } from "../../parts/confirm.js";
import { useTitle } from "../../parts/hooks.js";
import { RecordForm } from "../../parts/record-form.js";
import { Failed, LoadingCard, messageOf } from "../../parts/states.js";
import { amount } from "../../parts/words.js";
import { useLiveData } from "../../session/live.js";
import { useSession } from "../../session/session.js";
import { Delegations, type Person } from "./delegations.js";
import { PurchaseTabs } from "./tabs.js";

type Rule = NonNullable<PurchaseApprovalQuery["purchaseApprovalRules"]>["nodes"][number];

export function ApprovalPage(): ReactNode {
  const { can } = useSession();
  const isAdmin = can("createPurchaseApprovalRule");
  const [{ data, error, fetching }, retry] = useQuery({ query: PurchaseApproval, variables: { isAdmin } });
  const readAgain = useCallback(() => retry({ requestPolicy: "network-only" }), [retry]);
  useLiveData(["PURCHASE_APPROVAL_RULE", "PURCHASE_DELEGATION"], readAgain);
  useTitle(t`Approval`);
  return (
    <>
      <div className="page-head">
        <div>
          <h1>{t`Approval`}</h1>
          <p>{t`Purchase orders that a rule covers are approved by another person before they are sent.`}</p>
        </div>
      </div>
      <PurchaseTabs />
      {data ? (
        <div className="stack">
          <Rules data={data} onChanged={readAgain} />
          <Delegations delegations={data.purchaseDelegations?.nodes ?? []} people={peopleOf(data)} onChanged={readAgain} />
        </div>
      ) : fetching ? (
        <LoadingCard lines={6} />
      ) : (
        <Failed error={error} onRetry={readAgain} />
      )}
    </>
  );
}

/** Only admins may list all persons. Others choose among those that wrote or approved recent orders. */
function peopleOf({ principals, purchaseOrders }: PurchaseApprovalQuery): Person[] {
  if (principals) return principals.nodes;
  const found = (purchaseOrders?.nodes ?? []).flatMap((order) => [
    order.createdByPrincipal,
    order.submittedByPrincipal,
    order.approvedByPrincipal,
  ]);
  const people = new Map(found.flatMap((one) => (one?.kind === "PERSON" ? [[one.id, one]] : [])));
  return [...people.values()].sort((a, b) => a.name.localeCompare(b.name));
}

function Rules({ data, onChanged }: { data: PurchaseApprovalQuery; onChanged: () => void }) {
  const { can } = useSession();
  const [edited, setEdited] = useState<"new" | Rule>();
  const [deleted, setDeleted] = useState<Rule>();
  const rules = data.purchaseApprovalRules?.nodes ?? [];
  const currency = data.stockSettings?.currency;
  return (
    <section className="card" aria-labelledby="approval-rules">
      <header>
        <h2 id="approval-rules">{t`Rules`}</h2>
        {can("createPurchaseApprovalRule") && (
          <button type="button" className="button small" onClick={() => setEdited("new")}>
            <Plus className="icon" aria-hidden />
            {t`New rule`}
          </button>
        )}
      </header>
      <div className="body flush">
        {rules.length ? (
          <ul className="list">
            {rules.map((rule) => (
              <li key={rule.id}>
                <div className="grow stack tight">
                  <span className="strong">{t`From ${amount(rule.minimumAmount, currency)}`}</span>
                  <span className="muted small anywhere">
                    {[
                      rule.category ?? t`All parts and services`,
                      rule.site ?? t`All sites`,
                      rule.approver ? t`Approver: ${rule.approver.name}` : t`Any other manager approves`,
                    ].join(" · ")}
                  </span>
                </div>
                {can("createPurchaseApprovalRule") && (
                  <>
                    <button
                      type="button"
                      className="button small icon-only"
                      aria-label={t`Edit the rule from ${amount(rule.minimumAmount, currency)}`}
                      onClick={() => setEdited(rule)}
                    >
                      <Pencil className="icon" aria-hidden />
                    </button>
                    <button
                      type="button"
                      className="button small danger icon-only"
                      aria-label={t`Delete the rule from ${amount(rule.minimumAmount, currency)}`}
                      onClick={() => setDeleted(rule)}
                    >
                      <Trash2 className="icon" aria-hidden />
                    </button>
                  </>
                )}
              </li>
            ))}
          </ul>
        ) : (
          <p className="muted" style={{ padding: "2px 18px 18px" }}>
            {t`No rules. Submitted orders are approved at once.`}
          </p>
        )}
      </div>
      {edited && (
        <RuleForm
          data={data}
          rule={edited === "new" ? undefined : (rules.find(({ id }) => id === edited.id) ?? edited)}
          onClose={() => setEdited(undefined)}
          onChanged={onChanged}
        />
      )}
      {deleted && <DeleteRule rule={deleted} currency={currency} onClose={() => setDeleted(undefined)} onChanged={onChanged} />}
    </section>
  );
}

interface DialogProps {
  onClose: () => void;
  onChanged: () => void;
}

function RuleForm({ data, rule, onClose, onChanged }: DialogProps & { data: PurchaseApprovalQuery; rule: Rule | undefined }) {
  const create = useChange(CreateApprovalRule);
  const update = useChange(UpdateApprovalRule);
  const sites = data.sites?.filter(({ name }) => name).map(({ name, displayName }) => [name, displayName] as const);
  const people = data.principals?.nodes.map(({ id, name }) => [id, name] as const);
  const amountLabel = [t`Amount from which it applies`, data.stockSettings?.currency].filter(Boolean).join(", ");
  const record = rule && { ...rule, approverId: rule.approver?.id };
  return (
    <RecordForm<Partial<PurchaseApprovalRuleInput>>
      title={rule ? t`Edit rule` : t`New rule`}
      verb={rule ? undefined : t`Create rule`}
      fields={() => [
        { name: "minimumAmount", label: amountLabel, kind: "number", required: true },
        { name: "category", label: t`Category`, hint: t`Empty: all parts and services` },
        { name: "site", label: t`Site`, kind: "choice", options: sites },
        { name: "approverId", label: t`Approver`, kind: "choice", options: people, hint: t`Empty: any other manager` },
      ]}
      record={record}
      change={rule ? update : create}
      onSave={(changed, expectedVersion) => {
        // The service replaces all values.
        const { minimumAmount = 0, category, site, approverId } = { ...record, ...changed };
        const input = { minimumAmount, category, site, approverId };
        return rule ? update.run({ id: rule.id, input, expectedVersion }, t`Rule changed`) : create.run({ input }, t`Rule created`);
      }}
      onClose={onClose}
      onReload={onChanged}
    />
  );
}

function DeleteRule({ rule, currency, onClose, onChanged }: DialogProps & { rule: Rule; currency: string | null | undefined }) {
  const remove = useChange(DeleteApprovalRule);
  return (
    <Confirm
      title={t`Delete the rule from ${amount(rule.minimumAmount, currency)}`}
      text={t`Orders that are submitted from now on do not need its approval. Submitted orders keep it.`}
      verb={t`Delete`}
      isBusy={remove.isBusy}
      refused={messageOf(remove.error)}
      onClose={onClose}
      onConfirm={async () => {
        if (await remove.run({ id: rule.id, expectedVersion: rule.version }, t`Rule deleted`)) onClose();
        onChanged();
      }}
    />
  );
}
