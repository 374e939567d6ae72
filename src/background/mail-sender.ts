/**
 * Sends the mails of the outbox over SMTP (docs/operations/background.md, "Mail"). Delivery is at least once; all attempts of a mail share one
 * Message-ID.
 */
import { createTransport, type SendMailOptions, type Transporter } from "nodemailer";
import { inBackground } from "../database/background.js";
import type { Database } from "../database/database.js";
import { type ClaimedMail, isAddress, type MailResult, type MailTable, settleMail } from "../domain/alerts/outbox.js";
import { claimOrderMails, type DueOrderMail } from "../domain/inventory/supply/order-documents.js";
import { claimMails, type DueMail } from "../domain/maintenance/work-orders/mails.js";
import { chosenLanguage, type Language } from "../messages/language.js";
import { purchaseOrderPdf } from "./purchase-order-pdf.js";

export interface MailOptions {
  /** URL of the SMTP server, e.g. smtps://user:password@mail.example.com. */
  url: string;
  from: string;
  /** Prefix of the link in a mail. */
  publicUrl: string | undefined;
  /** Milliseconds per attempt; by default 60,000. */
  attemptMs?: number;
}

const timeoutMs = 20_000;

/** Limit of a whole attempt, since a server that keeps sending never times out. Shorter than the lease of a claim. */
const mostMs = 60_000;

export const transportTo = ({ url, from }: Pick<MailOptions, "url" | "from">, waitMs = timeoutMs): Transporter =>
  createTransport(
    {
      url,
      connectionTimeout: waitMs,
      greetingTimeout: waitMs,
      socketTimeout: waitMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    },
    { from },
  );

/** Reduces user input to one line without control characters. */
const line = (text: string) => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();

/** Day and time at the site. */
const timeOf = ({ scheduledDate, timeZone }: DueMail, locale: string): string =>
  new Intl.DateTimeFormat(locale, {
    day: "numeric",
    month: "long",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    timeZoneName: "short",
    timeZone,
  }).format(scheduledDate);

/** Body as plain text. */
function textOf(mail: DueMail, { messages, locale }: Language, publicUrl: string | undefined): string {
  const { name, title, asset, site, priority, workOrderId } = mail;
  const texts = messages.mail;
  return [
    texts.greeting(line(name)),
    "",
    texts.assigned,
    "",
    `  ${line(title)}`,
    `  ${texts.asset(`${line(asset)}${site ? `, ${line(site)}` : ""}`)}`,
    `  ${texts.priority(texts.priorities[priority])}`,
    `  ${texts.planned(timeOf(mail, locale))}`,
    `  ${texts.number(workOrderId)}`,
    ...(publicUrl ? [`  ${publicUrl}`] : []),
    "",
  ].join("\n");
}

/** A mail as it is sent, or why it is not. */
type Message = (SendMailOptions & { language: string }) | { refusal: string };

function workOrderMessage(mail: DueMail, publicUrl: string | undefined): Message {
  const { email, name, title, isCurrent, locale } = mail;
  if (!email || !isAddress(email)) return { refusal: "the person has no valid e-mail address" };
  if (!isCurrent) return { refusal: "the work order is not the person's to do any more" };
  const language = chosenLanguage(locale === null ? [] : [locale]);
  return {
    to: { name: line(name), address: email },
    subject: language.messages.mail.subject(line(title)),
    text: textOf(mail, language, publicUrl),
    language: language.code,
  };
}

async function purchaseOrderMessage(mail: DueOrderMail): Promise<Message> {
  const { recipient, number, author, message, replyTo, status, supplier } = mail;
  if (status === "cancelled") return { refusal: "the order is cancelled" };
  const language = chosenLanguage([mail.language]);
  const texts = language.messages.order;
  const answer = replyTo && isAddress(replyTo) ? `${line(author)} (${replyTo})` : line(author);
  return {
    to: { name: line(supplier.name), address: recipient },
    ...(replyTo && isAddress(replyTo) && { replyTo }),
    subject: texts.subject(number),
    text: [texts.greeting, "", texts.body(number), ...(message ? ["", message] : []), "", texts.answer(answer), ""].join("\n"),
    attachments: [{ filename: `${number}.pdf`, content: await purchaseOrderPdf(mail, language), contentType: "application/pdf" }],
    language: language.code,
  };
}

/** Rejects with ETIMEDOUT when the time is over. */
function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(Object.assign(new Error("Timed out"), { code: "ETIMEDOUT" })), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Whether the server permanently refuses this mail, not the sender. */
const isRefused = ({ responseCode, command }: { responseCode?: number; command?: string }) =>
  (responseCode ?? 0) >= 500 && /^(RCPT|DATA)/.test(command ?? "");

export class MailSender {
  private readonly transport: Transporter;
  private sending: Promise<void> | undefined;
  private isStopped = false;

  constructor(
    private readonly database: Database,
    private readonly options: MailOptions,
  ) {
    this.transport = transportTo(options);
  }

  /** Sends all due mails. */
  run(): Promise<void> {
    this.sending ??= this.sendDue().finally(() => (this.sending = undefined));
    return this.sending;
  }

  /** Starts no further mails, and resolves when those in flight are done. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.sending?.catch(() => {});
    this.transport.close();
  }

  private async sendDue(): Promise<void> {
    const { publicUrl } = this.options;
    const work = () => this.sendAll("Mail", claimMails, (mail) => workOrderMessage(mail, publicUrl));
    const orders = () => this.sendAll("PurchaseOrderMail", claimOrderMails, purchaseOrderMessage);
    while ((await Promise.all([work(), orders()])).includes(true));
  }

  /** Sends a batch of due mails of a table. Returns whether there were any. */
  private async sendAll<T extends ClaimedMail>(
    table: MailTable,
    claim: (database: Database) => Promise<T[]>,
    messageOf: (mail: T) => Message | Promise<Message>,
  ): Promise<boolean> {
    const due = this.isStopped ? [] : await inBackground(() => claim(this.database));
    const send = async (mail: T) => {
      const result = await this.attempt(mail.id, async () => messageOf(mail));
      await inBackground(() => settleMail(this.database, table, mail, result));
    };
    await Promise.all(due.map(send));
    return due.length > 0;
  }

  private async attempt(id: string, messageOf: () => Promise<Message>): Promise<MailResult> {
    try {
      const message = await messageOf();
      if ("refusal" in message) return { isSent: false, isFinal: true, error: message.refusal };
      const { language, ...mail } = message;
      const headers = { "Auto-Submitted": "auto-generated", "Content-Language": language };
      const sent = this.transport.sendMail({ ...mail, messageId: `<${id}@maintenance-gateway>`, headers });
      await within(this.options.attemptMs ?? mostMs, sent);
      return { isSent: true };
    } catch (error) {
      // The server's text is not stored, because it may contain the address.
      const { code = "unknown", responseCode } = error as { code?: string; responseCode?: number };
      return {
        isSent: false,
        isFinal: isRefused(error as object),
        error: `the mail server refused it: ${[code, responseCode].filter(Boolean).join(" ")}`,
      };
    }
  }
}
