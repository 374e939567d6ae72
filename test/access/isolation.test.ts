import { testIsolation } from "./isolation.js";

/** Those who may do most and least; isolation.slow.test.ts has the others. */
testIsolation(["admin", "viewer"]);
