/** A file of its own: the build puts the package's code in its place (scripts/bundle-prisma.mjs). */
export { PrismaPGlite } from "pglite-prisma-adapter";
