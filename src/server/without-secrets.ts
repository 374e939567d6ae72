/**
 * Keys, tokens and signatures that a client put into an address or a name: signatures of links, the rest by mistake. A signature also where the link
 * came out of a page (`&amp;`) or is a parameter of another one (`%3D`).
 */
const secrets =
  /mg_[0-9a-f]{16}_\w+|[0-9a-f]{64}|eyJ[\w-]+\.[\w-]+\.[\w-]+|whsec_[\w%+/=-]+|(?<=\/calendar\/)[^/?#\s]+|(?<=signature(?:=|%3D))[^&;\s]+/gi;

/** The text as logs and traces may have it. */
export const withoutSecrets = (text: string): string => text.replace(secrets, "[secret]");
