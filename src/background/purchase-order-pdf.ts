/** Purchase orders as PDF (docs/supply.md, "Sending"), in A4. The font has Latin, Greek and Cyrillic letters. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { OrderDocument, OrderDocumentLine } from "../domain/inventory/supply/order-documents.js";
import type { Language } from "../messages/language.js";

// The build has its copy (scripts/build.mjs). Tests run from src/background and use the package.
const copied = new URL("../fonts/", import.meta.url);
const fonts = existsSync(copied) ? copied : new URL("../../node_modules/dejavu-fonts-ttf/ttf/", import.meta.url);
const font = (style: string) => fileURLToPath(new URL(`DejaVuSansCondensed${style}.ttf`, fonts));

const margin = 50;
const right = 545;
const bottom = 770;

/** Left edge and width of each column, in points. Quantities and amounts are aligned to the right. */
const columns = {
  position: { x: 50, width: 28 },
  part: { x: 78, width: 92 },
  name: { x: 175, width: 145 },
  quantity: { x: 322, width: 72, align: "right" },
  price: { x: 398, width: 68, align: "right" },
  amount: { x: 470, width: 75, align: "right" },
} as const;
type Column = keyof typeof columns;

/** Formats exact decimals. */
function formats({ locale }: Language, { currency, timeZone }: OrderDocument) {
  const money = new Intl.NumberFormat(locale, { style: "currency", currency });
  const price = new Intl.NumberFormat(locale, { style: "currency", currency, maximumFractionDigits: 4 });
  const quantity = new Intl.NumberFormat(locale, { maximumFractionDigits: 4 });
  const day = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone });
  const exact = (text: string) => text as Intl.StringNumericLiteral;
  return {
    money: (text: string) => money.format(exact(text)),
    price: (text: string) => price.format(exact(text)),
    quantity: (text: string, unit: string | null) => [quantity.format(exact(text)), unit].filter(Boolean).join(" "),
    day: (time: Date | string) => day.format(new Date(time)),
  };
}

/** Text without characters that have no place in a document. */
const plain = (text: string) => text.replace(/[^\P{Cc}\n]+/gu, " ").trim();

export async function purchaseOrderPdf(order: OrderDocument, language: Language): Promise<Buffer> {
  const { default: PDFDocument } = await import("pdfkit");
  const texts = language.messages.order;
  const format = formats(language, order);
  const info = { Title: `${texts.title} ${order.number}`, Author: order.author, CreationDate: order.date };
  const doc = new PDFDocument({ size: "A4", margin, bufferPages: true, lang: language.code, displayTitle: true, font: font(""), info });
  const chunks: Buffer[] = [];
  const done = new Promise<Buffer>((resolve, reject) => {
    doc.on("data", (chunk: Buffer) => chunks.push(chunk));
    doc.on("end", () => resolve(Buffer.concat(chunks)));
    doc.on("error", reject);
  });
  doc.registerFont("plain", font("")).registerFont("bold", font("-Bold"));

  const at = (name: string, size: number, text: string, x: number, y: number, options: PDFKit.Mixins.TextOptions = {}) =>
    doc.font(name).fontSize(size).text(plain(text), x, y, options);
  /** A label with lines of text below it. Returns the end. */
  const block = (label: string, lines: (string | null)[], x: number, y: number, width: number): number => {
    at("bold", 8, label, x, y, { width });
    at("plain", 9.5, lines.filter(Boolean).join("\n"), x, doc.y + 2, { width });
    return doc.y;
  };

  let y = margin;
  if (order.letterhead) {
    at("plain", 9, order.letterhead, 330, y, { width: right - 330, align: "right" });
    y = doc.y + 14;
  }
  at("bold", 18, `${texts.title} ${order.number}`, margin, y);
  y = doc.y + 2;
  if (order.status === "draft" || order.status === "awaiting_approval") {
    at("bold", 10, texts.draft, margin, y);
    y = doc.y;
  }
  y += 12;
  const { supplier } = order;
  const ends = [
    block(texts.supplier, [supplier.name, supplier.number, supplier.email, supplier.phone], margin, y, 230),
    block(texts.deliverTo, [order.site, order.address], 300, y, right - 300),
  ];
  y = Math.max(...ends) + 12;
  const facts: [string, string | null][] = [
    [texts.date, format.day(order.date)],
    [texts.contact, order.author],
    [texts.payment, order.paymentTerms],
    [texts.delivery, order.deliveryTerms],
  ];
  const shown = facts.filter(([, value]) => value);
  const width = (right - margin) / shown.length;
  y = Math.max(...shown.map(([label, value], i) => block(label, [value], margin + i * width, y, width - 8))) + 16;

  const rule = (weight: number) => doc.moveTo(margin, y).lineTo(right, y).lineWidth(weight).stroke();
  const heads: Record<Column, string> = {
    position: texts.position,
    part: texts.part,
    name: texts.name,
    quantity: texts.quantity,
    price: texts.price,
    amount: texts.amount,
  };
  const row = (name: string, size: number, cells: Record<Column, string>): void => {
    const all = Object.entries(columns) as [Column, { x: number; width: number; align?: "right" }][];
    doc.font(name).fontSize(size);
    const height = Math.max(...all.map(([key, { width }]) => doc.heightOfString(plain(cells[key]) || " ", { width })));
    if (y + height > bottom) {
      doc.addPage();
      y = margin;
      head();
      doc.font(name).fontSize(size);
    }
    for (const [key, { x, width, align }] of all) doc.text(plain(cells[key]), x, y, { width, align: align ?? "left" });
    y += height + 5;
  };
  const head = (): void => {
    row("bold", 8, heads);
    rule(0.8);
    y += 5;
  };
  const cellsOf = (line: OrderDocumentLine): Record<Column, string> => ({
    position: String(line.position),
    part: line.partNumber ?? "",
    name: [
      line.name,
      line.ownNumber && texts.own(line.ownNumber),
      line.promisedAt && `${texts.due}: ${format.day(line.promisedAt)}`,
      line.site && `${texts.deliverTo}: ${line.site}`,
    ]
      .filter(Boolean)
      .join("\n"),
    quantity: format.quantity(line.quantity, line.unit && (texts.units[line.unit] ?? line.unit)),
    price: format.price(line.price),
    amount: format.money(line.amount),
  });
  head();
  for (const line of order.lines) row("plain", 9, cellsOf(line));
  rule(0.8);
  y += 6;
  row("bold", 10, { position: "", part: "", name: "", quantity: "", price: texts.total, amount: format.money(order.total) });
  if (order.notes) {
    if (y + 60 > bottom) {
      doc.addPage();
      y = margin;
    }
    block(texts.notes, [order.notes], margin, y + 10, right - margin);
  }

  const { count } = doc.bufferedPageRange();
  for (let page = 0; page < count; page++) {
    doc.switchToPage(page);
    // Text below the margin would start a page of its own.
    doc.page.margins.bottom = 0;
    at("plain", 8, `${order.number} · ${texts.page(page + 1, count)}`, margin, 800, { width: right - margin, align: "center" });
  }
  doc.end();
  return done;
}
