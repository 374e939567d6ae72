/** HTML of pages that the service renders itself. */
import { createHash } from "node:crypto";

/** HTML that is already escaped. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = string | number | Html | readonly Html[] | undefined | false;

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

const textOf = (part: Part): string => {
  if (part === undefined || part === false) return "";
  if (part instanceof Html) return part.text;
  if (typeof part === "object") return part.map(textOf).join("");
  return String(part).replace(/[&<>"']/g, (character) => entities[character]!);
};

/** Template of HTML. Escapes every value that is not HTML itself. */
export const html = (literals: TemplateStringsArray, ...parts: Part[]): Html =>
  new Html(literals.map((literal, at) => literal + (at < parts.length ? textOf(parts[at]) : "")).join(""));

const style = `
:root { color-scheme: light dark; font: 400 17px/1.5 system-ui, sans-serif; }
body { max-width: 34rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; background: light-dark(#fff, #181c1e); color: light-dark(#1d2629, #e6eaeb); overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .5rem; }
p { margin: 0 0 1rem; }
label, .label { display: block; margin: 1.1rem 0 .3rem; font-weight: 600; }
.check { display: flex; gap: .6rem; align-items: center; font-weight: 400; }
.check input { width: 1.3rem; height: 1.3rem; flex: none; margin: 0; }
input[type=text], input[type=search], textarea, select { width: 100%; box-sizing: border-box; padding: .6rem .7rem; font: inherit; color: inherit; background: light-dark(#fff, #202527); border: 1px solid light-dark(#6b7578, #8b9497); border-radius: 8px; }
input[type=file] { max-width: 100%; font: inherit; color: inherit; }
textarea { min-height: 7rem; resize: vertical; }
button { margin-top: 1.2rem; padding: .7rem 1.2rem; font: inherit; font-weight: 600; color: #fff; background: #0b5a66; border: 0; border-radius: 8px; cursor: pointer; }
.muted { color: light-dark(#50595c, #aeb6b8); }
.wrong { color: light-dark(#a3160e, #ff9d92); margin: .3rem 0 0; }
.state { font-size: 1.2rem; font-weight: 600; }
`;

const styleHash = createHash("sha256").update(style).digest("base64");

/** Without scripts, other origins and frames. */
export const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  "referrer-policy": "no-referrer",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
  "x-robots-tag": "noindex, nofollow",
};

export const pageOf = (language: string, title: string, body: Html): string =>
  `<!doctype html>\n${
    html`<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><style>${new Html(style)}</style></head><body><main><h1>${title}</h1>${body}</main></body></html>`
      .text
  }\n`;
