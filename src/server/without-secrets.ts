/**
 * Keys, tokens and signatures in addresses and names. Signatures belong to links; clients send keys and tokens there by mistake. Also
 * matches links copied from a page (`&amp;`) or nested in another link (`%3D`).
 */
const secrets =
  /mg_[0-9a-f]{16}_\w+|[0-9a-f]{64}|eyJ[\w-]+\.[\w-]+\.[\w-]+|whsec_[\w%+/=-]+|(?<=\/(?:calendar|report)\/)[^?#\s]+|(?<=signature(?:=|%3D))[^&;\s]+/gi;

/** The text with its secrets replaced, for logs and traces. */
export const withoutSecrets = (text: string): string => text.replace(secrets, "[secret]");
