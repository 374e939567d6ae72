/** Reports a fault on an asset, with photos. */
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Camera, CircleCheckBig, Search, X } from "lucide-react";
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { useQuery } from "urql";
import { ReportAssets, ReportFault } from "../../generated/report.js";
import { useChange } from "../../parts/change.js";
import { Select, TextArea, TextField } from "../../parts/field.js";
import { useSettled, useTitle } from "../../parts/hooks.js";
import { Empty } from "../../parts/states.js";
import { useSession } from "../../session/session.js";

const urgencies = [
  ["LOW", "Low: it can wait"],
  ["MEDIUM", "Medium: within days"],
  ["HIGH", "High: today"],
  ["CRITICAL", "Critical: at once"],
] as const;

export function ReportPage(): ReactNode {
  const { asset: id } = useSearch({ from: "/report" });
  const navigate = useNavigate({ from: "/report" });
  const { can } = useSession();
  const [text, setText] = useState("");
  const [find, setFind] = useState("");
  const [urgency, setUrgency] = useState<(typeof urgencies)[number][0]>("MEDIUM");
  const [isStopped, setStopped] = useState(false);
  const [photos, setPhotos] = useState<File[]>([]);
  const [sent, setSent] = useState<"stored" | "waits">();
  // Retrying an upload would store the files again.
  const report = useChange(ReportFault, { waits: !photos.length });
  const search = useSettled(find.trim());
  const [{ data, fetching }] = useQuery({
    query: ReportAssets,
    variables: { id: id ?? "", withId: !!id, search: search || undefined },
    pause: !can("assets"),
  });
  useTitle("Report a fault");
  // A requester cannot read assets and enters the number on the label, or arrived by its code.
  const isKnown = can("assets");

  const assetId = id ?? (isKnown ? undefined : find.trim());
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!assetId) return;
    const input = { assetId, description: text.trim(), urgency, productionStopped: isStopped, ...(photos.length && { photos }) };
    const done = await report.run({ input }, "Fault reported");
    if (done) setSent(done.reportFault ? "stored" : "waits");
  };

  if (sent)
    return (
      <div className="card">
        <Empty
          icon={CircleCheckBig}
          title={sent === "waits" ? "Thank you. The report is waiting to be sent" : "Thank you. The fault is reported"}
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
                Report another fault
              </button>
              {can("workOrders") && (
                <Link className="button primary" to="/work" search={{ view: "requests" }}>
                  Show reports
                </Link>
              )}
            </span>
          }
        >
          {sent === "waits"
            ? "There is no connection. The report is sent when the connection is back, or when you sign in again."
            : "Maintenance will review it and create a work order."}
        </Empty>
      </div>
    );
  return (
    <>
      <div className="page-head">
        <h1>Report a fault</h1>
      </div>
      <form className="card narrow" onSubmit={submit} aria-busy={report.isBusy}>
        <div className="body stack" style={{ padding: 20 }}>
          {id ? (
            <div className="field">
              <span className="label">Asset</span>
              <div className="note info" style={{ alignItems: "center" }}>
                <div className="grow">
                  <div className="strong">{data?.asset?.name ?? (fetching ? "…" : isKnown ? "Unknown asset" : "Asset from the label")}</div>
                  <div className="muted small">{data?.asset && `${data.asset.site} · ${data.asset.area}`}</div>
                </div>
                <button type="button" className="button small" onClick={() => void navigate({ search: {}, replace: true })}>
                  Change
                </button>
              </div>
            </div>
          ) : !isKnown ? (
            <TextField
              label="Asset"
              hint="The id on its label"
              required
              value={find}
              wrong={report.wrong.assetId}
              onChange={(event) => setFind(event.target.value)}
            />
          ) : (
            <div className="field">
              <label className="label" htmlFor="report-find">
                Asset
              </label>
              <div className="with-icon">
                <Search className="icon" aria-hidden />
                <input
                  id="report-find"
                  className="input"
                  type="search"
                  placeholder="Name or serial number"
                  value={find}
                  onChange={(event) => setFind(event.target.value)}
                />
              </div>
              <ul className="list choices" aria-label="Assets" aria-busy={fetching}>
                {data?.assets?.nodes.map((asset) => (
                  <li key={asset.id}>
                    <button type="button" onClick={() => void navigate({ search: { asset: asset.id }, replace: true })}>
                      <span className="strong">{asset.name}</span>
                      <span className="muted small">
                        {asset.site} · {asset.area}
                      </span>
                    </button>
                  </li>
                ))}
                {data?.assets && !data.assets.nodes.length && <li className="muted">Nothing found.</li>}
              </ul>
            </div>
          )}
          <TextArea
            label="What is wrong?"
            placeholder="What you saw, heard or smelled, and since when"
            required
            value={text}
            wrong={report.wrong.description}
            onChange={(event) => setText(event.target.value)}
          />
          <Select label="How urgent is it?" value={urgency} onChange={(event) => setUrgency(event.target.value as typeof urgency)}>
            {urgencies.map(([value, word]) => (
              <option key={value} value={value}>
                {word}
              </option>
            ))}
          </Select>
          <label className="check">
            <input type="checkbox" checked={isStopped} onChange={(event) => setStopped(event.target.checked)} />
            Production has stopped
          </label>
          <Photos photos={photos} onChange={setPhotos} />
          {report.error && (
            <p className="note bad" role="alert">
              {report.error.graphQLErrors[0]?.message ?? "The report could not be sent. Check the connection and try again."}
            </p>
          )}
          <div className="actions">
            <button type="submit" className="button primary" disabled={!assetId || !text.trim() || report.isBusy}>
              {report.isBusy ? "Sending …" : "Report the fault"}
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
  useEffect(() => {
    const made = photos.map((photo) => URL.createObjectURL(photo));
    setUrls(made);
    return () => {
      for (const url of made) URL.revokeObjectURL(url);
    };
  }, [photos]);
  return (
    <div className="field">
      <span className="label">Photos</span>
      <div className="photos">
        {urls.map((url, index) => (
          <span key={url} className="tile removable">
            <img src={url} alt={photos[index]?.name ?? ""} />
            <button
              type="button"
              aria-label={`Remove ${photos[index]?.name}`}
              onClick={() => onChange(photos.filter((_, at) => at !== index))}
            >
              <X className="icon" aria-hidden />
            </button>
          </span>
        ))}
        <button type="button" className="tile add" onClick={() => input.current?.click()}>
          <Camera className="icon" aria-hidden />
          <span className="small">Add</span>
        </button>
      </div>
      <input
        ref={input}
        type="file"
        accept="image/*"
        multiple
        className="hidden-text"
        tabIndex={-1}
        aria-label="Add photos"
        onChange={(event) => {
          onChange([...photos, ...(event.target.files ?? [])].slice(0, 5));
          event.target.value = "";
        }}
      />
    </div>
  );
}
