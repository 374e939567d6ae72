/** Report links over HTTP: pages without scripts, on which anyone with the link reports a fault and follows the report. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import Negotiator from "negotiator";
import { reportLinkAt } from "../domain/access/report-links.js";
import { type AttachmentContext, discard, prepareFile, type SentFile } from "../domain/files/attachments.js";
import { photoTypes } from "../domain/files/image.js";
import {
  asLink,
  type Link,
  linkActor,
  listedAssets,
  mostPhotos,
  reportableAssets,
  reportByLink,
  trackedReport,
} from "../domain/maintenance/requests/link-reports.js";
import type { Admission } from "../execution/admission/admission.js";
import { ReportLimits } from "../execution/admission/report-limits.js";
import { type LogFailure, maskError, retryAfterOf } from "../execution/errors.js";
import type { Messages } from "../messages/en.js";
import { chosenLanguage, languageOf } from "../messages/language.js";
import { type Services, scopeOf } from "../resolvers/context.js";
import { errorResponse } from "../rest-compat/wire.js";
import { notFound, ServiceError } from "../schema/errors.js";
import { addVary } from "./caching.js";
import { pageHeaders } from "./pages/html.js";
import {
  emptyReport,
  formPage,
  maxDescription,
  maxName,
  type PageLanguage,
  type Report,
  refusalPage,
  statusPage,
  type Wrong,
} from "./pages/report-form.js";
import { type Fields, readReportForm } from "./report-intake.js";
import type { LifetimeOf } from "./requests.js";

/** Points of a page. */
const price = 20;
/** Each character of the form takes up to 12 bytes. */
const maxFormBytes = 12 * (maxDescription + maxName) + 1_000;
const maxSearch = 100;

interface ReportOptions {
  services: Services;
  admission: Admission;
  lifetimeOf: LifetimeOf;
  logFailure: LogFailure;
}

/** `?lang=` goes before Accept-Language. */
function pageLanguage({ query, headers }: FastifyRequest): PageLanguage {
  const { lang } = query as { lang?: unknown };
  const given = typeof lang === "string" ? languageOf(lang) : undefined;
  return { ...(given ?? chosenLanguage(new Negotiator({ headers }).languages())), isGiven: given !== undefined };
}

type Params = { token: string; tracking?: string };

interface Form {
  search: string;
  report: Report;
  wrong: Wrong;
  language: PageLanguage;
}

interface SentForm {
  report: Report;
  /** Undefined if the form is still to be checked. */
  wrong: Wrong | undefined;
  /** Ids of stored photos. */
  photos: string[];
  /** Removes the photos. */
  discard?: () => Promise<void>;
}

export function registerReports(app: FastifyInstance, { services, admission, lifetimeOf, logFailure }: ReportOptions): void {
  const { database } = services;
  const limits = new ReportLimits(database);

  /** Runs `work` for the link of the address. Throws NOT_FOUND for an unknown or revoked link. */
  const atLink = async <T>(request: FastifyRequest, reply: FastifyReply, work: (link: Link) => Promise<T>): Promise<T> => {
    const { token } = request.params as Params;
    const link = /^[0-9a-f]{64}$/.test(token) ? await reportLinkAt(database, token) : undefined;
    if (!link) throw notFound("Report link");
    const actor = linkActor(link);
    request.actor = actor;
    const lifetime = lifetimeOf(reply);
    const admitted = admission.run(
      { actor, lifetime },
      { cost: price, lane: "short" },
      () => work(link),
      () => price,
    );
    return (await lifetime.within(admitted)).result;
  };

  const formOf = async (link: Link, { search, report, wrong, language }: Form): Promise<string> => {
    if (link.assetId) return formPage(link, undefined, report, wrong, language);
    const text = search.trim().slice(0, maxSearch);
    const assets = await reportableAssets(scopeOf(services, link.tenantId).db, link, text);
    const choice = { assets: assets.slice(0, listedAssets), hasMore: assets.length > listedAssets, text };
    return formPage(link, choice, report, wrong, language);
  };

  /** Reads a form with photos and stores these, outside of admission, so that a slow client holds no slot. */
  const sentForm = async (request: FastifyRequest, reply: FastifyReply, texts: Messages["form"]): Promise<SentForm> => {
    const link = await atLink(request, reply, async (known) => known);
    const { storage, photos: reader, maxPhotoSize: maxSize } = services;
    const { db } = scopeOf(services, link.tenantId);
    const context: AttachmentContext = { db, actor: linkActor(link), storage, photos: reader, maxSize };
    const photos: string[] = [];
    const remove = () => (photos.length ? discard(context, photos).catch(() => {}) : Promise.resolve());
    let report = emptyReport;
    let wrong: Wrong = {};
    const badPhoto = texts.badPhoto(Math.floor(maxSize / 1_048_576));
    const store = async (file: SentFile): Promise<boolean> => {
      if (photos.length === mostPhotos) {
        wrong = { photos: texts.tooManyPhotos(mostPhotos) };
        return false;
      }
      if (!photos.length) await limits.count(link, request.ip);
      try {
        photos.push(await asLink(link, request.id, () => prepareFile(context, file, photoTypes)));
        return true;
      } catch (error) {
        const code = error instanceof ServiceError && String(error.extensions.code);
        if (code !== "BAD_USER_INPUT" && code !== "PAYLOAD_TOO_LARGE") throw error;
        wrong = { photos: badPhoto };
        return false;
      }
    };
    const begin = async (fields: Fields, hasPhotos: boolean) => {
      report = reportIn(fields);
      wrong = problemsOf(report, link, texts);
      if (!Object.keys(wrong).length) return true;
      if (hasPhotos) wrong.photos = texts.photosAgain;
      return false;
    };
    const reading = readReportForm(request, { fieldSize: maxFormBytes, begin, store });
    try {
      await lifetimeOf(reply).within(reading);
    } catch (error) {
      await remove();
      throw error;
    }
    return { report, wrong, photos, discard: remove };
  };

  app.register(async (pages) => {
    pages.addHook("onRoute", (route) => {
      route.config = { ...route.config, cors: false } as typeof route.config;
    });
    pages.addHook("onRequest", async (request, reply) => {
      addVary(reply.headers(pageHeaders).header("content-language", pageLanguage(request).code), "accept-language");
    });
    pages.removeAllContentTypeParsers();
    pages.addContentTypeParser(
      "application/x-www-form-urlencoded",
      { parseAs: "string", bodyLimit: maxFormBytes },
      (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(body as string))),
    );
    // Read by the handler, for known links only.
    pages.addContentTypeParser("multipart/form-data", (_request, _payload, done) => done(null));
    pages.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
      const isParsing = !(error instanceof ServiceError) && error.statusCode && error.statusCode >= 400 && error.statusCode < 500;
      const known = isParsing ? undefined : maskError(error, request.id, logFailure);
      const status = known ? errorResponse(known, request.id).status : error.statusCode!;
      request.errorCode = String(known?.extensions.code ?? "BAD_USER_INPUT");
      const retryAfter = known && retryAfterOf(known);
      if (retryAfter !== undefined) reply.header("retry-after", String(retryAfter));
      return reply
        .code(status)
        .headers(pageHeaders)
        .send(refusalPage(status, pageLanguage(request)));
    });

    pages.get("/report/:token", async (request, reply) => {
      const form = { search: searchIn(request), report: emptyReport, wrong: {}, language: pageLanguage(request) };
      return reply.send(await atLink(request, reply, (link) => formOf(link, form)));
    });

    pages.post("/report/:token", async (request, reply) => {
      const language = pageLanguage(request);
      const texts = language.messages.form;
      const search = searchIn(request);
      const isMultipart = request.headers["content-type"]?.startsWith("multipart/") ?? false;
      const sent = isMultipart
        ? await sentForm(request, reply, texts)
        : { report: reportIn(request.body), wrong: undefined, photos: [] as string[], discard: undefined };
      const { report, photos } = sent;
      let isStored = false;
      const answer = await atLink(request, reply, async (link): Promise<{ page: string } | { tracking: string }> => {
        const again = photos.length > 0 && { photos: texts.photosAgain };
        const refused = async (wrong: Wrong) => ({ page: await formOf(link, { search, report, wrong: { ...again, ...wrong }, language }) });
        const wrong = sent.wrong ?? problemsOf(report, link, texts);
        if (Object.keys(wrong).length) return refused(wrong);
        // A form with photos was counted before they were stored.
        if (!photos.length) await limits.count(link, request.ip);
        const { description, asset, stopped, name } = report;
        const input = { assetId: asset || null, description, productionStopped: stopped, reporterName: name || null };
        try {
          const tracking = await reportByLink(scopeOf(services, link.tenantId), link, input, photos, request.id);
          isStored = true;
          return { tracking };
        } catch (error) {
          // An asset that was deleted or moved since the form was shown, or that the form never offered.
          if (error instanceof ServiceError && ["BAD_USER_INPUT", "FORBIDDEN"].includes(String(error.extensions.code)) && !link.assetId)
            return refused({ asset: texts.otherMachine });
          throw error;
        }
      }).finally(() => isStored || sent.discard?.());
      if ("page" in answer) return reply.code(400).send(answer.page);
      const { token } = request.params as Params;
      return reply
        .code(303)
        .header("location", `/report/${token}/${answer.tracking}${language.isGiven ? `?lang=${language.code}` : ""}`)
        .send("");
    });

    pages.get("/report/:token/:tracking", async (request, reply) => {
      const { tracking = "" } = request.params as Params;
      const page = await atLink(request, reply, async (link) => {
        const report = await trackedReport(scopeOf(services, link.tenantId), link, tracking);
        return report && statusPage(report, link.timeZone, pageLanguage(request));
      });
      if (page === undefined) throw notFound("Report");
      return reply.send(page);
    });
  });
}

function searchIn({ query }: FastifyRequest): string {
  const { q } = query as { q?: unknown };
  return typeof q === "string" ? q : "";
}

function reportIn(body: unknown): Report {
  const fields = (body ?? {}) as Partial<Fields>;
  // Browsers send CRLF.
  const text = (field: string) => (fields[field] ?? "").replaceAll("\r\n", "\n").trim();
  return { asset: text("asset"), description: text("description"), name: text("name"), stopped: fields.stopped === "yes" };
}

function problemsOf({ asset, description, name }: Report, link: Link, texts: Messages["form"]): Wrong {
  const wrong: Wrong = {};
  if (!link.assetId && !asset) wrong.asset = texts.noMachine;
  if (!description) wrong.description = texts.noDescription;
  else if (description.length > maxDescription) wrong.description = texts.tooLong(maxDescription);
  if (name.length > maxName) wrong.name = texts.tooLong(maxName);
  return wrong;
}
