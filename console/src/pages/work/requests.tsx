/** Reported faults and their decisions. */
import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { WorkRequestFilter } from "../../../../packages/client/src/generated/schema.js";
import { AddFile } from "../../generated/order.js";
import { DeclineRequest, type WorkListQuery } from "../../generated/work.js";
import { useChange } from "../../parts/change.js";
import { Dialog } from "../../parts/dialog.js";
import { TextArea } from "../../parts/field.js";
import type { ItemProps } from "../../parts/long-list.js";
import { ProductionStopped, Status } from "../../parts/status.js";
import { Upload } from "../../parts/upload.js";
import { ago, day, moment, wordOf } from "../../parts/words.js";
import { useSession } from "../../session/session.js";
import { Accept } from "./accept.js";

type Request = NonNullable<WorkListQuery["workRequests"]>["nodes"][number];

export const requestViews = [
  [undefined, t`To decide`],
  ["decided", t`Decided`],
  ["mine", t`Reported by me`],
] as const;

export function requestsOf(view: "decided" | "mine" | undefined, authorId: string): WorkRequestFilter {
  if (view === "mine") return { createdBy: authorId };
  return { status: view ? ["ACCEPTED", "DECLINED", "WITHDRAWN"] : ["OPEN"] };
}

interface LineProps {
  request: Request;
  item: ItemProps;
  onRefused: () => void;
}

export function RequestLine({ request, item, onRefused }: LineProps) {
  const { can } = useSession();
  const decline = useChange(DeclineRequest, { onRefused });
  const addPhoto = useChange(AddFile, { onRefused });
  const [isAccepting, setAccepting] = useState(false);
  const [isDeclining, setDeclining] = useState(false);
  const [reason, setReason] = useState("");
  const { id, asset, description, urgency, productionStopped, occurredAt, status, createdByPrincipal, reporterName, attachments } = request;
  return (
    <li {...item} style={{ ...item.style, alignItems: "flex-start", flexWrap: "wrap" }}>
      {attachments[0]?.thumbnailUrl && (
        <a className="thumb big" href={attachments[0].url} target="_blank" rel="noreferrer">
          <img src={attachments[0].thumbnailUrl} alt={t`Reported fault`} />
        </a>
      )}
      <div className="grow stack tight" style={{ minWidth: 220 }}>
        <span className="strong said">{description}</span>
        <span className="muted small">
          {asset && can("assets") ? (
            <Link to="/asset/$id" params={{ id: asset.id }}>
              {asset.name}
            </Link>
          ) : (
            asset?.name
          )}
          {asset && ` · ${asset.site} · `}
          {reporterName ?? createdByPrincipal?.name} <span title={moment(occurredAt, asset?.site)}>{ago(occurredAt)}</span>
        </span>
        <span className="row wrap">
          <Status value={urgency} />
          {productionStopped && <ProductionStopped />}
        </span>
        {status !== "OPEN" && <Outcome request={request} />}
      </div>
      {status === "OPEN" && !can("acceptWorkRequest") && can("uploadAttachment") && (
        <Upload
          label={t`Add photo`}
          isBusy={addPhoto.isBusy}
          onFile={(file) => void addPhoto.run({ owner: { workRequestId: id }, file }, t`Added`).then((done) => done && onRefused())}
        />
      )}
      {status === "OPEN" && can("acceptWorkRequest") && (
        <span className="row">
          <button type="button" className="button small" onClick={() => setDeclining(true)}>
            {t`Decline`}
          </button>
          <button type="button" className="button small primary" onClick={() => setAccepting(true)}>
            {t`Create work order`}
          </button>
        </span>
      )}
      {isAccepting && <Accept request={request} onRefused={onRefused} onClose={() => setAccepting(false)} />}
      {isDeclining && (
        <Dialog title={t`Decline the report`} onClose={() => setDeclining(false)}>
          <form
            className="dialog-body"
            onSubmit={async (event) => {
              event.preventDefault();
              if (await decline.run({ id, reason }, t`Report declined`)) setDeclining(false);
            }}
          >
            <TextArea
              label={t`Why`}
              hint={t`The reporter sees this reason.`}
              required
              value={reason}
              onChange={(event) => setReason(event.target.value)}
              wrong={decline.wrong.reason}
            />
            <div className="actions">
              <button type="button" className="button" onClick={() => setDeclining(false)}>
                {t`Cancel`}
              </button>
              <button type="submit" className="button primary" disabled={decline.isBusy}>
                {t`Decline`}
              </button>
            </div>
          </form>
        </Dialog>
      )}
    </li>
  );
}

/** The decision on a report, and how far the work has come. */
function Outcome({ request }: { request: Request }) {
  const { status, asset, decidedAt, decisionReason, decidedByPrincipal, workOrderId, progress } = request;
  const { can } = useSession();
  const site = asset?.site;
  const plan = progress?.completedAt
    ? day(progress.completedAt, site)
    : progress && ["SCHEDULED", "ON_HOLD"].includes(progress.status) && t`planned for ${day(progress.scheduledDate, site)}`;
  return (
    <div className="stack tight">
      <span className="row wrap">
        <Status value={status} />
        <span className="muted small">{[decidedByPrincipal?.name, day(decidedAt, site)].filter(Boolean).join(", ")}</span>
      </span>
      {decisionReason && <span className="small said">{decisionReason}</span>}
      {progress && (
        <span className="small">
          {workOrderId && can("workOrders") ? (
            <Link to="/work/$id" params={{ id: workOrderId }}>
              {t`Work order`}
            </Link>
          ) : (
            t`Work order`
          )}
          : {[wordOf(progress.status), plan].filter(Boolean).join(", ")}
        </span>
      )}
    </div>
  );
}
