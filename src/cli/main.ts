#!/usr/bin/env node
/** The command-line interface: `maintenance COMMAND`. */
import { runAsProcess } from "./process.js";
import { program } from "./program.js";

runAsProcess(program);
