/** Reports a fault on an asset, with photos. */
import { t } from "@lingui/core/macro";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Camera, CircleCheckBig, X } from "lucide-react";
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { useQuery } from "urql";
import { ChosenAsset as ChosenAssetDocument } from "../../generated/asset-choice.js";
import { ReportFault } from "../../generated/report.js";
import { AssetChoice, ChosenAsset } from "../../parts/asset-choice.js";
import { useChange } from "../../parts/change.js";
import { Select, TextArea } from "../../parts/field.js";
import { useTitle } from "../../parts/hooks.js";
import { photoKinds, readChosen } from "../../parts/photo-kinds.js";
import { Empty } from "../../parts/states.js";
import { useSession } from "../../session/session.js";

const urgencies = [
  ["LOW", t`Low: it can wait`],
  ["MEDIUM", t`Medium: within days`],
  ["HIGH", t`High: today`],
  ["CRITICAL", t`Critical: at once`],
] as const;

export function ReportPage(): ReactNode {
  const { asset: id, component } = useSearch({ from: "/report" });
  const navigate = useNavigate({ from: "/report" });
  const { can } = useSession();
  const [text, setText] = useState("");
  const [urgency, setUrgency] = useState<(typeof urgencies)[number][0]>("MEDIUM");
  const [isStopped, setStopped] = useState(false);
  const [photos, setPhotos] = useState<File[]>([]);
  const [sent, setSent] = useState<"stored" | "waits">();
  const report = useChange(ReportFault, { waits: true });
  const [{ data, fetching }] = useQuery({
    query: ChosenAssetDocument,
    variables: { id: id ?? "", component, withComponent: !!component && can("assets") },
    pause: !id,
  });
  useTitle(t`Report a fault`);
  const choose = (asset: string, part?: string) => void navigate({ search: { asset, component: part }, replace: true });
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!id) return;
    const input = {
      assetId: id,
      ...(component && { componentId: component }),
      description: text.trim(),
      urgency,
      productionStopped: isStopped,
      ...(photos.length && { photos }),
    };
    const done = await report.run({ input }, t`Fault reported`);
    if (done) setSent(done.reportFault ? "stored" : "waits");
  };

  if (sent)
    return (
      <div className="card">
        <Empty
          icon={CircleCheckBig}
          title={sent === "waits" ? t`Thank you. The report is waiting to be sent` : t`Thank you. The fault is reported`}
          action={
            <span className="row">
              <button
                type="button"
                className="button"
                onClick={() => {
                  setSent(undefined);
                  setText("");
                  setPhotos([]);
                  setStopped(false);
                  void navigate({ search: {} });
                }}
              >
                {t`Report another fault`}
              </button>
              <Link className="button primary" to="/work" search={{ view: "requests" }}>
                {t`Show reports`}
              </Link>
            </span>
          }
        >
          {sent === "waits"
            ? t`There is no connection. The report is sent when the connection is back, or when you sign in again.`
            : t`Maintenance will review it and create a work order.`}
        </Empty>
      </div>
    );
  return (
    <>
      <div className="page-head">
        <h1>{t`Report a fault`}</h1>
      </div>
      <form className="card narrow" onSubmit={submit} aria-busy={report.isBusy}>
        <div className="body stack" style={{ padding: 20 }}>
          {id ? (
            <ChosenAsset
              asset={data?.asset}
              component={data?.component ?? (component && !can("assets") ? { id: component, name: t`Component from the label` } : null)}
              unknown={fetching ? "…" : data ? t`Unknown asset` : t`Asset from the label`}
              onChange={() => void navigate({ search: {}, replace: true })}
            />
          ) : (
            <AssetChoice onChoose={choose} />
          )}
          <TextArea
            label={t`What is wrong?`}
            placeholder={t`What you saw, heard or smelled, and since when`}
            required
            value={text}
            wrong={report.wrong.description}
            onChange={(event) => setText(event.target.value)}
          />
          <Select label={t`How urgent is it?`} value={urgency} onChange={(event) => setUrgency(event.target.value as typeof urgency)}>
            {urgencies.map(([value, word]) => (
              <option key={value} value={value}>
                {word}
              </option>
            ))}
          </Select>
          <label className="check">
            <input type="checkbox" checked={isStopped} onChange={(event) => setStopped(event.target.checked)} />
            {t`Production has stopped`}
          </label>
          <Photos photos={photos} onChange={setPhotos} />
          {report.error && (
            <p className="note bad" role="alert">
              {report.error.graphQLErrors[0]?.message ?? t`The report could not be sent. Check the connection and try again.`}
            </p>
          )}
          <div className="actions">
            <button type="submit" className="button primary" disabled={!id || !text.trim() || report.isBusy}>
              {report.isBusy ? t`Sending …` : t`Report the fault`}
            </button>
          </div>
        </div>
      </form>
    </>
  );
}

function Photos({ photos, onChange }: { photos: File[]; onChange: (photos: File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [urls, setUrls] = useState<string[]>([]);
  const [wrong, setWrong] = useState<string>();
  useEffect(() => {
    const made = photos.map((photo) => URL.createObjectURL(photo));
    setUrls(made);
    return () => {
      for (const url of made) URL.revokeObjectURL(url);
    };
  }, [photos]);
  return (
    <div className="field">
      <span className="label">{t`Photos`}</span>
      <div className="photos">
        {urls.map((url, index) => (
          <span key={url} className="tile removable">
            <img src={url} alt={photos[index]?.name ?? ""} />
            <button
              type="button"
              aria-label={t`Remove ${photos[index]?.name ?? ""}`}
              onClick={() => onChange(photos.filter((_, at) => at !== index))}
            >
              <X className="icon" aria-hidden />
            </button>
          </span>
        ))}
        <button type="button" className="tile add" onClick={() => input.current?.click()}>
          <Camera className="icon" aria-hidden />
          <span className="small">{t`Add`}</span>
        </button>
      </div>
      <input
        ref={input}
        type="file"
        accept={photoKinds}
        multiple
        className="hidden-text"
        tabIndex={-1}
        aria-label={t`Add photos`}
        onChange={async ({ target }) => {
          const files = [...(target.files ?? [])];
          target.value = "";
          const chosen = await readChosen(files, photoKinds);
          setWrong(chosen.wrong);
          onChange([...photos, ...chosen.accepted].slice(0, 5));
        }}
      />
      {wrong && (
        <span className="wrong" role="alert">
          {wrong}
        </span>
      )}
    </div>
  );
}
