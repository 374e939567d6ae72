/**
 * Invitations over HTTP (docs/people.md, "Invitations"): `GET /console/invitation` shows an invitation, and `POST` accepts it. The secret is in
 * the header `Authorization: Invitation <secret>`, so that no log has it. Opening the link sends neither: the page does, the latter after a
 * click.
 */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { acceptInvitation, checkPending, type FoundInvitation, invitationAt, invitedActor } from "../domain/access/invitations.js";
import type { Admission } from "../execution/admission/admission.js";
import { notFound } from "../schema/errors.js";
import type { BaseUrlOf } from "./public-url.js";
import { requestCost } from "./requests.js";
import type { OpenedServices } from "./services.js";
import { nameOf, sessionCookie } from "./session-cookie.js";

const path = "/console/invitation";
const secretForm = /^Invitation ([0-9a-f]{64})$/;

interface InvitationOptions {
  services: OpenedServices;
  admission: Admission;
  baseUrlOf: BaseUrlOf;
}

export function registerInvitations(app: FastifyInstance, { services: { database }, admission, baseUrlOf }: InvitationOptions): void {
  /** The invitation of the request, which counts on the budget of its person. */
  const invitationOf = async (request: FastifyRequest): Promise<FoundInvitation> => {
    const secret = secretForm.exec(request.headers.authorization ?? "")?.[1];
    if (!secret) throw notFound("Invitation");
    const invitation = await invitationAt(database, secret);
    request.actor = invitedActor(invitation);
    await admission.charge(request.actor, requestCost(0));
    return invitation;
  };
  app.register(async (routes) => {
    routes.addHook("onRoute", (route) => {
      route.config = { ...route.config, cors: false } as typeof route.config;
    });
    routes.get(path, async (request) => {
      const invitation = await invitationOf(request);
      checkPending(invitation);
      const { tenantId, name, invitedBy, role, sites, readAll, expiresAt, keyExpiresAt } = invitation;
      return { tenantId, name, invitedBy, role, sites, readAll, expiresAt, keyExpiresAt };
    });
    routes.post(path, async (request, reply) => {
      const invitation = await invitationOf(request);
      const { secret, expiresAt } = await acceptInvitation(database, invitation, request.id);
      const seconds = Math.floor((expiresAt.getTime() - Date.now()) / 1000);
      return reply
        .header("set-cookie", sessionCookie(secret, seconds, baseUrlOf(request)))
        .code(201)
        .send({ token: nameOf(secret), expiresAt });
    });
  });
}
