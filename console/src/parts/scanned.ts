/** Texts of scanned codes. */

export interface ScannedRecord {
  /** Address within the console, after `/console`. */
  path: string;
  asset?: string;
  component?: string;
}

/** The record on a label of this console. Undefined for other codes. */
export function recordOn(text: string): ScannedRecord | undefined {
  if (!URL.canParse(text.trim())) return undefined;
  const url = new URL(text.trim());
  if (url.origin !== location.origin || !url.pathname.startsWith("/console/")) return undefined;
  const asset = /^\/console\/asset\/([^/]+)$/.exec(url.pathname)?.[1];
  return {
    path: url.pathname.slice("/console".length) + url.search,
    asset: asset && decodeURIComponent(asset),
    component: (asset && url.searchParams.get("component")) || undefined,
  };
}
