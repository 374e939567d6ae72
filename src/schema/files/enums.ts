/** Enums of files. */
import { defineEnum } from "../enums.js";

export const DocumentKind = defineEnum("DocumentKind", "Kind of document of an asset.", {
  manual: "Instructions for operation and maintenance.",
  drawing: "A drawing or a diagram.",
  certificate: "A certificate, or a record of a test or an approval.",
  other: "Anything else.",
});
export type DocumentKind = (typeof DocumentKind)[keyof typeof DocumentKind];
