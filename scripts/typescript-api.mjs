// The compiler API, under the name that scripts/openapi-types.mjs gives it.
export { ts as default } from "@ts-morph/common";
