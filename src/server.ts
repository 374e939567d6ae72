#!/usr/bin/env node
/** The service without the other commands: `node dist/server.js` is equivalent to `serve` and takes its options. */
import { asProgram, runAsProcess } from "./cli/process.js";
import { serveCommand } from "./cli/serve.js";

runAsProcess(asProgram(serveCommand));
