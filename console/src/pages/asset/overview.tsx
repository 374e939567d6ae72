import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { ImageOff } from "lucide-react";
import { type AssetPageQuery, UploadPhoto } from "../../generated/asset.js";
import { useChange } from "../../parts/change.js";
import { factLabel } from "../../parts/fact-label.js";
import { FactsCard } from "../../parts/facts.js";
import { OrderLines } from "../../parts/orders.js";
import { ReportLinks } from "../../parts/report-links.js";
import { Status } from "../../parts/status.js";
import { Strip } from "../../parts/strip.js";
import { Upload } from "../../parts/upload.js";
import { ago, day, figure, hours, percent, wordOf } from "../../parts/words.js";
import { useSession } from "../../session/session.js";
import { Documents } from "./documents.js";
import { spansOfAsset } from "./spans.js";
import type { Asset } from "./types.js";

interface OverviewProps {
  asset: Asset;
  /** Null for roles that make no links. */
  links: AssetPageQuery["reportLinks"] | undefined;
  from: Date;
  onReload: () => void;
}

export function Overview({ asset, links, from, onReload }: OverviewProps) {
  const now = new Date();
  const { reliability } = asset;
  return (
    <div className="columns">
      <div className="stack">
        <section className="card" aria-labelledby="status-strip">
          <header>
            <h2 id="status-strip">{t`Status, last 12 months`}</h2>
          </header>
          <div className="body">
            <Strip spans={spansOfAsset(asset, from, now)} from={from} until={now} site={asset.site} label={t`Status`} />
          </div>
        </section>
        <div className="figures">
          <div className="figure">
            <span className="value">{percent(reliability.availability)}</span>
            <span className="label">{t`Availability`}</span>
          </div>
          <div className="figure">
            <span className="value">{figure(reliability.failures)}</span>
            <span className="label">{t`Failures`}</span>
          </div>
          <div className="figure">
            <span className="value">{hours(reliability.mtbf)}</span>
            <span className="label">{t`Between failures`}</span>
          </div>
          <div className="figure">
            <span className="value">{hours(reliability.mttr)}</span>
            <span className="label">{t`To repair`}</span>
          </div>
        </div>
        {asset.notifications.nodes.length > 0 && (
          <section className="card" aria-labelledby="asset-alerts">
            <header>
              <h2 id="asset-alerts">{t`Alerts`}</h2>
            </header>
            <div className="body flush">
              <ul className="list">
                {asset.notifications.nodes.map(({ id, title, severity, status, createdAt }) => (
                  <li key={id} className="clickable">
                    <Status value={severity} />
                    <Link className="title clip grow" to="/alerts" search={{ id }}>
                      {title}
                    </Link>
                    <span className="muted small nowrap">{ago(createdAt)}</span>
                    <Status value={status} />
                  </li>
                ))}
              </ul>
            </div>
          </section>
        )}
        <section className="card" aria-labelledby="open-work">
          <header>
            <h2 id="open-work">{t`Open work`}</h2>
          </header>
          <div className="body flush">
            {asset.open.nodes.length ? (
              <OrderLines orders={asset.open.nodes} withAsset={false} />
            ) : (
              <p className="muted" style={{ padding: "2px 18px 18px" }}>
                {t`Nothing is planned or under way.`}
              </p>
            )}
          </div>
        </section>
      </div>
      <div className="stack">
        <Photos asset={asset} />
        <Documents asset={asset} onReload={onReload} />
        <Facts asset={asset} />
        {links && <ReportLinks key={asset.id} links={links} asset={asset} />}
      </div>
    </div>
  );
}

function Photos({ asset }: { asset: Asset }) {
  const { can } = useSession();
  const upload = useChange(UploadPhoto);
  return (
    <section className="card" aria-labelledby="photos">
      <header>
        <h2 id="photos">{t`Photos`}</h2>
        {can("uploadAssetPhoto") && (
          <Upload
            label={t`Add photo`}
            isBusy={upload.isBusy}
            onFile={(file) => void upload.run({ assetId: asset.id, file }, t`Photo added`)}
          />
        )}
      </header>
      <div className="body">
        {asset.photos.length ? (
          <div className="photos">
            {asset.photos.map(({ id, url, thumbnailUrl, description, filename }) => (
              <a key={id} href={url} target="_blank" rel="noreferrer">
                <img src={thumbnailUrl} alt={description || filename} loading="lazy" />
              </a>
            ))}
          </div>
        ) : (
          <p className="row muted">
            <ImageOff className="icon" aria-hidden /> {t`No photo yet.`}
          </p>
        )}
      </div>
    </section>
  );
}

function Facts({ asset }: { asset: Asset }) {
  const facts: [string, string | null | undefined][] = [
    [t`Serial number`, asset.serialNumber],
    [t`Manufacturer`, asset.manufacturer],
    [t`Model`, asset.model],
    [t`Category`, asset.category && wordOf(asset.category)],
    [t`Criticality`, asset.criticality && wordOf(asset.criticality)],
    [t`Location`, asset.location],
    [t`Installed`, asset.installationDate && day(asset.installationDate, asset.site)],
    [t`Last maintained`, asset.lastMaintenanceDate && day(asset.lastMaintenanceDate, asset.site)],
    [t`Next maintenance`, asset.nextMaintenanceDate && day(asset.nextMaintenanceDate, asset.site)],
    ...Object.entries(asset.customFields as Record<string, string>).map(([name, value]): [string, string] => [factLabel(name), value]),
  ];
  return <FactsCard facts={facts}>{asset.description && <p>{asset.description}</p>}</FactsCard>;
}
