/** Says in words what a role may do, from the roles that the service requires of each action. */
import { t } from "@lingui/core/macro";
import { Check, Minus } from "lucide-react";
import { useQuery } from "urql";
import { Abilities as Document } from "../../generated/people.js";

/** Each by an action that stands for the others of its kind. */
const abilities = [
  ["reportFault", t`Report faults, and follow its own reports`],
  ["assets", t`See the plant, its work, alerts and stock`],
  ["recordMeterReadings", t`Record meter readings`],
  ["raiseNotification", t`Raise alerts`],
  ["changeNotificationStatus", t`Handle alerts`],
  ["createWorkOrder", t`Create and carry out work orders`],
  ["acceptWorkRequest", t`Accept and decline fault reports`],
  ["updateComponent", t`Change the components of assets`],
  ["receiveStock", t`Receive, issue, return and transfer stock`],
  ["recordCount", t`Count stock`],
  ["closeWorkOrder", t`Close work orders`],
  ["approveAdjustment", t`Approve counts and adjustments`],
  ["createPart", t`Create and edit parts and stock levels`],
  ["createAsset", t`Create, edit and delete assets and meters`],
  ["createProcedure", t`Plan maintenance`],
  ["importAssets", t`Import records`],
  ["createPerson", t`Manage people and keys`],
  ["createWebhook", t`Manage webhooks`],
] as const;
const fields = abilities.map(([field]) => field);

/** Each role may do what the previous one may. INGEST reads like a viewer. */
const order = ["VIEWER", "TECHNICIAN", "MANAGER", "ADMIN"];

/** Whether a role suffices where one of `needed` is required. */
export function suffices(role: string, needed: readonly string[]): boolean {
  if (needed.includes(role)) return true;
  if (role === "REQUESTER") return false;
  const least = Math.min(...needed.filter((one) => order.includes(one)).map((one) => order.indexOf(one)));
  return !needed.length || order.indexOf(role === "INGEST" ? "VIEWER" : role) >= least;
}

interface Props {
  role: string;
  /** The sites whose records the key may change. Empty for all. */
  sites: readonly string[];
  readAll: boolean;
}

export function Abilities({ role, sites, readAll }: Props) {
  const [{ data }] = useQuery({ query: Document, variables: { fields } });
  const needed = new Map<string, readonly string[]>(data?.viewer?.permissions.map((one) => [one.field, one.roles]));
  if (!needed.size) return null;
  const lines = abilities.map(([field, words]) => ({ words, may: suffices(role, needed.get(field) ?? ["ADMIN"]) }));
  return (
    <div className="stack tight">
      <ul className="abilities small" aria-label={t`What this key may do`}>
        {lines.map(({ words, may }) => (
          <li key={words} className={`row ${may ? "" : "muted"}`}>
            {may ? <Check className="icon" aria-hidden /> : <Minus className="icon" aria-hidden />}
            <span>
              {!may && <span className="hidden-text">{t`Not:`} </span>}
              {words}
            </span>
          </li>
        ))}
      </ul>
      {sites.length > 0 && (
        <p className="small">
          {t`Changes records of ${sites.join(", ")} only, and reads`} {readAll ? t`all sites` : t`only these`}.
        </p>
      )}
    </div>
  );
}
