/** Keys, tokens and signatures that a client put into an address or a name: signatures of links, the rest by mistake. */
const secrets =
  /mg_[0-9a-f]{16}_\w+|[0-9a-f]{64}|eyJ[\w-]+\.[\w-]+\.[\w-]+|whsec_[\w%+/=-]+|(?<=[?&](?:signature|X-Amz-Signature)=)[^&]+/gi;

/** The text as logs and traces may have it. */
export const withoutSecrets = (text: string): string => text.replace(secrets, "[secret]");
