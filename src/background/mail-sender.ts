/**
 * Sends the mails of the outbox over SMTP (docs/operations/background.md, "Mail"). Delivery is at least once; all attempts of a mail share one
 * Message-ID.
 */
import { createTransport, type Transporter } from "nodemailer";
import { inBackground } from "../database/background.js";
import type { Database } from "../database/database.js";
import { claimMails, type DueMail, type MailResult, settleMail } from "../domain/maintenance/work-orders/mails.js";
import { chosenLanguage, type Language } from "../messages/language.js";

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

/** Exactly one address, without characters that a header would interpret. */
const address = /^[^\s@<>()[\],;:"\\]+@[^\s@<>()[\],;:"\\]+$/;

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
    for (let due = await this.claim(); due.length; due = await this.claim()) await Promise.all(due.map((mail) => this.send(mail)));
  }

  private claim(): Promise<DueMail[]> {
    return this.isStopped ? Promise.resolve([]) : inBackground(() => claimMails(this.database));
  }

  private async send(mail: DueMail): Promise<void> {
    const result = await this.attempt(mail);
    await inBackground(() => settleMail(this.database, mail, result));
  }

  private async attempt(mail: DueMail): Promise<MailResult> {
    const { email, id, name, title, isCurrent } = mail;
    if (!email || !address.test(email)) return { isSent: false, isFinal: true, error: "the person has no valid e-mail address" };
    if (!isCurrent) return { isSent: false, isFinal: true, error: "the work order is not the person's to do any more" };
    const language = chosenLanguage(mail.locale === null ? [] : [mail.locale]);
    try {
      const sent = this.transport.sendMail({
        to: { name: line(name), address: email },
        subject: language.messages.mail.subject(line(title)),
        text: textOf(mail, language, this.options.publicUrl),
        messageId: `<${id}@maintenance-gateway>`,
        headers: { "Auto-Submitted": "auto-generated", "Content-Language": language.code },
      });
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
