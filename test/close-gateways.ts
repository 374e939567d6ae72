/** Runs with each test file: a hook that is added in a running test would never be called. */
import { afterAll } from "vitest";
import { closeGateways } from "./world.js";

afterAll(closeGateways);
