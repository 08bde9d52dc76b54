// OpenClaw's memory from a Memory Appliance: the memory slot (tools, prompt, flush, command line) and the context engine.
// Checked with `tsc -p .` against the typings of the package `openclaw`; needs nothing at run time but OpenClaw.

import { join } from "node:path";

import { Appliance } from "./src/appliance.js";
import { registerCommands } from "./src/cli.js";
import { contextEngine } from "./src/engine.js";
import { memoryCapability } from "./src/memory.js";
import { Outbox } from "./src/outbox.js";
import { registerRecall } from "./src/recall.js";
import { registerTools } from "./src/tools.js";
import { registerTurns } from "./src/turns.js";

export const ID = "memory-appliance";

/** @type {import("openclaw/plugin-sdk/core").OpenClawPluginDefinition} */
export default {
  id: ID,
  name: "Memory Appliance",
  description: "Long-term memory from a Memory Appliance: search, recall before each reply, transcripts.",

  register(api) {
    const appliance = new Appliance(/** @type {import("./src/appliance.js").Config} */ (api.pluginConfig ?? {}), api.logger);
    const file = () => join(api.runtime.state.resolveStateDir(process.env), ID, "outbox.jsonl");
    const outbox = new Outbox(file, appliance, api.logger);

    registerCommands(api, appliance, outbox);
    if (api.registrationMode === "cli-metadata") return;
    registerTools(api, appliance);
    registerRecall(api, appliance);
    registerTurns(api, appliance, outbox);
    api.registerMemoryCapability(memoryCapability(appliance, outbox));
    api.registerContextEngine(ID, () => contextEngine(ID, appliance, outbox));
  },
};
