/** Labels with QR codes, and the sheets on which they are printed. */
import { t } from "@lingui/core/macro";
import { useLayoutEffect } from "react";
import { createPortal } from "react-dom";
import { QrCode } from "./qr-code.js";

export interface Label {
  id: string;
  address: string;
  /** The code that people use for the record. */
  code?: string | null;
  name: string;
  place: string;
}

/** Sizes are in labels.css, by these names. */
export const sheets = {
  a4x24: { words: t`A4, 24 labels of 70 × 37 mm`, labels: 24 },
  a4x14: { words: t`A4, 14 labels of 99 × 38 mm`, labels: 14 },
  single: { words: t`Label printer, 62 × 29 mm`, labels: 1 },
} as const;
export type Sheet = keyof typeof sheets;

export const sheetOptions = Object.entries(sheets).map(([value, { words }]) => (
  <option key={value} value={value}>
    {words}
  </option>
));

/** Labels by page. `skipped` places at the start are empty, for a sheet from which labels were taken. */
function pagesOf(labels: Label[], sheet: Sheet, skipped: number): (Label | undefined)[][] {
  const size = sheets[sheet].labels;
  const places = [...Array.from({ length: skipped % size }, () => undefined), ...labels];
  return Array.from({ length: Math.ceil(places.length / size) }, (_, page) => places.slice(page * size, (page + 1) * size));
}

/** On paper, the labels instead of the page. */
export function LabelSheets({ labels, sheet, skipped = 0 }: { labels: Label[]; sheet: Sheet; skipped?: number }) {
  useLayoutEffect(() => {
    const { dataset } = document.documentElement;
    dataset.sheet = sheet;
    return () => {
      delete dataset.sheet;
    };
  }, [sheet]);
  return createPortal(
    <div className={`label-sheets ${sheet}`} aria-hidden>
      {pagesOf(labels, sheet, skipped).map((places, page) => (
        <div key={page} className="label-sheet">
          {places.map((label, place) => (
            <div key={place} className="label-place">
              {label && <LabelFace label={label} />}
            </div>
          ))}
        </div>
      ))}
    </div>,
    document.body,
  );
}

export const LabelFace = ({ label: { address, code, name, place } }: { label: Label }) => (
  <span className="label-face">
    <QrCode text={address} label={t`QR code of ${name}`} />
    <span className="label-words">
      {code && <span className="mono strong">{code}</span>}
      <span className="strong">{name}</span>
      <span className="muted small">{place}</span>
    </span>
  </span>
);
