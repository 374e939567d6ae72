#!/usr/bin/env node
/** The service without the other commands: `node dist/server.js` does what `serve` does, and takes its options. */
import { asProgram, runAsProcess } from "./cli/process.js";
import { serveCommand } from "./cli/serve.js";

runAsProcess(asProgram(serveCommand));
