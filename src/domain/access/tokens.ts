import type { Role } from "../../schema/access/enums.js";
import { type ServiceError, unauthenticated } from "../../schema/errors.js";

/** Claims of a verified token. */
export interface TokenClaims {
  issuer: string;
  subject: string;
  tenantId: string;
  role: Role;
  /** Empty for all. */
  sites: string[];
  /** `system` for a client that acts on its own behalf. */
  kind: "person" | "system";
  name: string;
  email?: string | undefined;
  locale?: string | undefined;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

/** A token with a valid signature that is refused. The reason, tenant and subject are recorded in the access log. */
export interface RefusedToken extends Pick<TokenClaims, "issuer" | "tenantId"> {
  subject: string | undefined;
  refusal: ServiceError;
}

export const tokenExpired = () => unauthenticated("The access token has expired; sign in again");
