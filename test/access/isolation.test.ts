import { testIsolation } from "./isolation.js";

/** Tests the most and the least privileged roles. isolation.slow.test.ts tests the others. */
testIsolation(["admin", "viewer"]);
