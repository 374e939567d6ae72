/** Public fault pages of an asset or of sites: their links are made, printed and revoked here. */
import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { Link2, Plus } from "lucide-react";
import { type FormEvent, useState } from "react";
import type { AdminPageQuery } from "../generated/admin.js";
import { CreateReportLink, RevokeReportLink } from "../generated/report-links.js";
import { useChange } from "./change.js";
import { Confirm } from "./confirm.js";
import { Dialog, DialogActions } from "./dialog.js";
import { Select, TextField } from "./field.js";
import { LabelFace, LabelSheets, type Sheet, sheetOptions } from "./label-sheets.js";
import { Secret } from "./secret.js";
import { messageBeside, messageOf, Refusal } from "./states.js";
import { day } from "./words.js";

type PublicLink = NonNullable<AdminPageQuery["reportLinks"]>[number];

interface Place {
  /** Only the links of this asset. */
  asset?: { id: string; name: string; site: string };
  /** Sites whose pages can be made, without an asset. */
  sites?: { name: string; displayName: string }[];
}

export function ReportLinks({ links, asset, sites = [] }: Place & { links: PublicLink[] }) {
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<{ url: string; name: string; place: string }>();
  return (
    <section className="card" aria-labelledby="report-links">
      <header>
        <h2 id="report-links">{t`Public fault pages`}</h2>
        <button type="button" className="button small" onClick={() => setMaking(true)}>
          <Plus className="icon" aria-hidden />
          {t`New link`}
        </button>
      </header>
      <div className="body stack">
        <p className="muted small">{t`Anyone who has the link, such as from a label, reports a fault without a key.`}</p>
        {!links.length && (
          <p className="row muted">
            <Link2 className="icon" aria-hidden /> {t`No link yet.`}
          </p>
        )}
        {links.length > 0 && (
          <ul className="list" aria-label={t`Links`}>
            {links.map((link) => (
              <LinkLine key={link.id} link={link} isListed={!asset} />
            ))}
          </ul>
        )}
      </div>
      {isMaking && (
        <NewLink
          asset={asset}
          sites={sites}
          onClose={() => setMaking(false)}
          onMade={(link) => {
            setMaking(false);
            setMade(link);
          }}
        />
      )}
      {made && <MadeLink {...made} onClose={() => setMade(undefined)} />}
    </section>
  );
}

/** `isListed`: beside the links of other places. */
function LinkLine({ link: { id, name, site, assetId, createdAt }, isListed }: { link: PublicLink; isListed: boolean }) {
  const revoke = useChange(RevokeReportLink);
  const [isRevoking, setRevoking] = useState(false);
  return (
    <li style={{ paddingInline: 0 }}>
      <div className="grow">
        <div className="strong wraps">{name}</div>
        <div className="muted small">
          {isListed &&
            (assetId ? (
              <Link to="/asset/$id" params={{ id: assetId }}>
                {t`One asset`}
              </Link>
            ) : (
              site
            ))}{" "}
          {t`since ${day(createdAt)}`}
        </div>
      </div>
      <button type="button" className="button small danger" aria-label={t`Revoke ${name}`} onClick={() => setRevoking(true)}>
        {t`Revoke`}
      </button>
      {isRevoking && (
        <Confirm
          title={t`Revoke ${name}?`}
          text={t`The page and the addresses of its reports no longer open. Printed labels lead nowhere. This cannot be undone.`}
          verb={t`Revoke`}
          isBusy={revoke.isBusy}
          refused={messageOf(revoke.error)}
          onClose={() => setRevoking(false)}
          onConfirm={() => void revoke.run({ id }, t`Link revoked`)}
        />
      )}
    </li>
  );
}

interface NewLinkProps extends Place {
  onClose: () => void;
  onMade: (link: { url: string; name: string; place: string }) => void;
}

function NewLink({ asset, sites = [], onClose, onMade }: NewLinkProps) {
  const create = useChange(CreateReportLink, { isSecret: true });
  const [name, setName] = useState(asset ? t`Label at ${asset.name}` : "");
  const [site, setSite] = useState(sites[0]?.name ?? "");
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const done = await create.run({ input: { name: name.trim(), ...(asset ? { assetId: asset.id } : { site }) } });
    if (done?.createReportLink)
      onMade({ url: done.createReportLink.url, name: asset?.name ?? site, place: asset?.site ?? t`Choose the machine` });
  };
  const refusal = messageBeside(create.error, "name", "site");
  return (
    <Dialog title={t`New public fault page`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <TextField
          label={t`Name`}
          hint={t`Where the link is shown, to know it in this list`}
          required
          value={name}
          wrong={create.wrong.name}
          onChange={(event) => setName(event.target.value)}
        />
        {!asset && (
          <Select
            label={t`Site`}
            hint={t`Reporters choose one of its assets.`}
            value={site}
            wrong={create.wrong.site}
            onChange={(event) => setSite(event.target.value)}
          >
            {sites.map((one) => (
              <option key={one.name} value={one.name}>
                {one.displayName}
              </option>
            ))}
          </Select>
        )}
        <Refusal text={refusal} />
        <DialogActions verb={t`Create link`} isDisabled={create.isBusy || !name.trim() || !(asset || site)} onClose={onClose} />
      </form>
    </Dialog>
  );
}

function MadeLink({ url, name, place, onClose }: { url: string; name: string; place: string; onClose: () => void }) {
  const [sheet, setSheet] = useState<Sheet>("single");
  const label = { id: url, address: url, code: "Report a fault", name, place };
  return (
    <Secret title={t`New public fault page`} secret={url} onClose={onClose}>
      <LabelFace label={label} />
      <Select label={t`Sheet`} value={sheet} onChange={(event) => setSheet(event.target.value as Sheet)}>
        {sheetOptions}
      </Select>
      <button type="button" className="button" onClick={() => print()}>
        {t`Print the label`}
      </button>
      <LabelSheets labels={[label]} sheet={sheet} />
    </Secret>
  );
}
