/** Enums of files. */
import { defineEnum } from "../enums.js";

export const DocumentKind = defineEnum("DocumentKind", "What a document of an asset is.", {
  manual: "How the asset is operated and maintained.",
  drawing: "A drawing or a diagram.",
  certificate: "A certificate, or a record of a test or an approval.",
  other: "Anything else.",
});
export type DocumentKind = (typeof DocumentKind)[keyof typeof DocumentKind];
