/** A separate file, because the build replaces it with the bundled package (scripts/bundle-prisma.mjs). */
export { PrismaPGlite } from "pglite-prisma-adapter";
