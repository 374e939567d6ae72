/** Pages of a report link: its form, the status of a report, and refusals. */
import { photoTypes } from "../../domain/files/image.js";
import { type Link, mostPhotos, type ReportableAsset, type TrackedReport } from "../../domain/maintenance/requests/link-reports.js";
import type { Messages } from "../../messages/en.js";
import type { Language } from "../../messages/language.js";
import { type Html, html, pageOf } from "./html.js";

export const maxDescription = 2_000;
export const maxName = 100;

export interface Report {
  asset: string;
  description: string;
  name: string;
  stopped: boolean;
}

export const emptyReport: Report = { asset: "", description: "", name: "", stopped: false };

/** A language and whether the address names it, so that the next page has it too. */
export type PageLanguage = Language & { isGiven: boolean };

/** Messages by field of the form. */
export type Wrong = Partial<Record<"asset" | "description" | "name" | "photos", string>>;

/** Assets to choose from, for the link of a site. */
interface Choice {
  assets: ReportableAsset[];
  hasMore: boolean;
  text: string;
}

const wrongOf = (field: keyof Wrong, wrong: Wrong): Html | undefined =>
  wrong[field] === undefined ? undefined : html`<p class="wrong" id="${field}-wrong">${wrong[field]}</p>`;

const isWrong = (field: keyof Wrong, wrong: Wrong): Html | undefined =>
  wrong[field] === undefined ? undefined : html` aria-invalid="true" aria-describedby="${field}-wrong"`;

function searchOf({ hasMore, text }: Choice, { messages: { form }, code, isGiven }: PageLanguage): Html | undefined {
  if (!hasMore && !text) return undefined;
  const language = isGiven && html`<input type="hidden" name="lang" value="${code}">`;
  return html`<form method="get" role="search">${language}<label for="q">${form.find}</label><input type="search" id="q" name="q" maxlength="100" value="${text}"><button>${form.search}</button></form>`;
}

function selectOf({ assets, hasMore }: Choice, { asset }: Report, wrong: Wrong, { messages: { form } }: Language): Html {
  const areas = [...new Set(assets.map(({ area }) => area))];
  const groups = areas.map(
    (area) =>
      html`<optgroup label="${area}">${assets
        .filter((one) => one.area === area)
        .map(({ id, name }) => html`<option value="${id}"${id === asset && html` selected`}>${name}</option>`)}</optgroup>`,
  );
  return html`<label for="asset">${form.machine}</label><select id="asset" name="asset" required${isWrong("asset", wrong)}><option value="">${form.choose}</option>${groups}</select>${wrongOf("asset", wrong)}${
    hasMore && html`<p class="muted">${form.more}</p>`
  }`;
}

export function formPage(link: Link, choice: Choice | undefined, report: Report, wrong: Wrong, language: PageLanguage): string {
  const { form } = language.messages;
  const place = link.assetName ? html`<strong>${link.assetName}</strong>, ${link.site}` : html`${link.site}`;
  return pageOf(
    language.code,
    form.title,
    html`<p>${place}</p>${choice && searchOf(choice, language)}<form method="post" enctype="multipart/form-data">${choice && selectOf(choice, report, wrong, language)}
<label for="description">${form.description}</label><textarea id="description" name="description" required maxlength="${maxDescription}"${isWrong("description", wrong)}>${report.description}</textarea>${wrongOf("description", wrong)}
<label for="name">${form.name}</label><input type="text" id="name" name="name" autocomplete="name" maxlength="${maxName}" value="${report.name}"${isWrong("name", wrong)}>${wrongOf("name", wrong)}
<label class="check"><input type="checkbox" name="stopped" value="yes"${report.stopped && html` checked`}> ${form.stopped}</label>
<label for="photos">${form.photos(mostPhotos)}</label><input type="file" id="photos" name="photos" accept="${photoTypes.join()}" multiple${isWrong("photos", wrong)}>${wrongOf("photos", wrong)}
<button>${form.submit}</button></form>`,
  );
}

/** The state in words, and what follows from it. */
function stateOf(
  { status, decisionReason, progress }: TrackedReport,
  texts: Messages["status"],
  dayOf: (date: Date) => string,
): [string, string?] {
  if (status === "open") return [texts.received, texts.undecided];
  const reason = decisionReason ? texts.reason(decisionReason) : undefined;
  if (status === "declined") return [texts.declined, reason];
  if (status === "withdrawn") return [texts.withdrawn, reason];
  switch (progress?.status) {
    case "scheduled":
      return [texts.accepted, texts.planned(dayOf(progress.scheduledDate))];
    case "in_progress":
      return [texts.accepted, texts.begun];
    case "on_hold":
      return [texts.accepted, texts.interrupted];
    case "completed":
    case "closed":
      return [texts.done, progress.completedAt ? texts.completed(dayOf(progress.completedAt)) : undefined];
    case "cancelled":
      return [texts.cancelled, texts.notDone];
    default:
      return [texts.accepted];
  }
}

export function statusPage(report: TrackedReport, timeZone: string, { messages, code, locale }: Language): string {
  const format = new Intl.DateTimeFormat(locale, { day: "numeric", month: "long", year: "numeric", timeZone });
  const dayOf = (date: Date) => format.format(date);
  const [state, text] = stateOf(report, messages.status, dayOf);
  return pageOf(
    code,
    messages.status.title,
    html`<p class="state">${state}</p>${text && html`<p>${text}</p>`}<p class="muted">${messages.status.reported(dayOf(report.createdAt))}</p>`,
  );
}

const refusals: Record<number, Exclude<keyof Messages["refusal"], "tooLong" | "failed">> = {
  400: "unreadable",
  404: "notFound",
  415: "unreadable",
  429: "tooMany",
  503: "busy",
};

export function refusalPage(status: number, { messages: { refusal }, code }: Language): string {
  if (status === 413) return pageOf(code, refusal.tooLong.title, html`<p>${refusal.tooLong.text(maxDescription)}</p>`);
  const { title, text } = refusal[refusals[status] ?? "failed"];
  return pageOf(code, title, html`<p>${text}</p>`);
}
