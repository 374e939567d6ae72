/** Documents over HTTP: purchase orders as PDF at signed links. */
import type { FastifyInstance } from "fastify";
import { purchaseOrderPdf } from "../background/purchase-order-pdf.js";
import { type Actor, systemActor } from "../domain/access/keys.js";
import { isValidDocumentLink } from "../domain/files/file-links.js";
import { orderDocument } from "../domain/inventory/supply/order-documents.js";
import type { Admission } from "../execution/admission/admission.js";
import { chosenLanguage } from "../messages/language.js";
import { type Services, scopeOf } from "../resolvers/context.js";
import { forbidden, notFound } from "../schema/errors.js";
import { disposition, fileHeaders } from "./files.js";
import type { LifetimeOf } from "./requests.js";

export interface DocumentOptions {
  services: Services;
  admission: Admission;
  lifetimeOf: LifetimeOf;
}

/** Points of a PDF, in proportion to its processor time. */
const pdfPrice = 200;

export function registerDocuments(app: FastifyInstance, { services, admission, lifetimeOf }: DocumentOptions): void {
  app.get("/files/:tenantId/purchase-orders/:id", async (request, reply) => {
    const { tenantId, id } = request.params as { tenantId: string; id: string };
    const { language = "", expires = "", signature = "" } = request.query as Record<string, string>;
    const { db, secret } = scopeOf(services, tenantId);
    const signed = await secret().catch(() => undefined);
    if (!signed || !isValidDocumentLink({ tenantId, id, language: String(language) }, String(expires), String(signature), signed))
      throw forbidden("The link is not valid or has expired; ask for the order's pdfUrl again");
    const actor: Actor = { ...systemActor(tenantId, "document"), role: "viewer" };
    request.actor = actor;
    const lifetime = lifetimeOf(reply);
    const draw = async () => {
      const order = await orderDocument(db, id);
      if (!order) throw notFound("Purchase order", { purchaseOrderId: id });
      return { number: order.number, pdf: await purchaseOrderPdf(order, chosenLanguage([String(language)])) };
    };
    const { result } = await lifetime.within(admission.run({ actor, lifetime }, { cost: pdfPrice, lane: "short" }, draw, () => pdfPrice));
    const { number, pdf } = result;
    return reply
      .headers(fileHeaders)
      .header("content-disposition", disposition(`${number}.pdf`, true))
      .header("cache-control", "private, no-cache")
      .type("application/pdf")
      .send(pdf);
  });
}
