/** Set-up file that runs with each test file: a hook added during a test would never be called. */
import { afterAll } from "vitest";
import { closeGateways } from "./world.js";

afterAll(closeGateways);
