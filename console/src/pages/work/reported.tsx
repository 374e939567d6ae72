import { t } from "@lingui/core/macro";
import { ProductionStopped, Status } from "../../parts/status.js";
import { ago, moment, wordOf } from "../../parts/words.js";
import { FileList } from "./remarks.js";
import type { Order } from "./types.js";

/** The report that the work order was created from, with its photos. */
export function Reported({ request, site }: { request: NonNullable<Order["request"]>; site: string | undefined }) {
  const { description, urgency, productionStopped, occurredAt, createdByPrincipal, reporterName, attachments } = request;
  return (
    <section className="card" aria-labelledby="reported">
      <header>
        <h2 id="reported">{t`Reported fault`}</h2>
        <span className="muted small">
          {[reporterName ?? createdByPrincipal?.name, moment(occurredAt, site)].filter(Boolean).join(", ")} ({ago(occurredAt)})
        </span>
      </header>
      <div className="body stack">
        <p className="said">{description}</p>
        <span className="row wrap">
          <Status value={urgency} label={t`${wordOf(urgency)} urgency`} />
          {productionStopped && <ProductionStopped />}
        </span>
        {attachments.length > 0 && <FileList files={attachments} />}
      </div>
    </section>
  );
}
