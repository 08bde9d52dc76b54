// `openclaw memory …`: the state, a search, and sending what waits.

/**
 * @param {import("openclaw/plugin-sdk/core").OpenClawPluginApi} api
 * @param {import("./appliance.js").Appliance} appliance
 * @param {import("./outbox.js").Outbox} outbox
 */
export function registerCommands(api, appliance, outbox) {
  const descriptors = [{ name: "memory", description: "Status and search of the Memory Appliance", hasSubcommands: true }];
  api.registerCli(
    ({ program }) => {
      const memory = program.command("memory").description(descriptors[0].description);
      memory
        .command("status")
        .description("Whether the appliance answers, what it holds, and what waits to be sent")
        .option("--agent <id>", "OpenClaw's agent")
        .option("--json", "as JSON")
        .action(guarded((options) => status(options, appliance, outbox)));
      memory
        .command("search <query>")
        .description("Search as the owner of the key may")
        .option("--agent <id>", "OpenClaw's agent")
        .option("--session <key>", "the chat that asks", "agent:main:main")
        .option("--max-results <n>", "at most so many")
        .option("--json", "as JSON")
        .action(guarded((query, options) => search(query, options, appliance)));
      memory
        .command("index")
        .description("Send waiting turns and check every file again")
        .option("--agent <id>", "OpenClaw's agent")
        .action(guarded((options) => index(options, appliance, outbox)));
    },
    { descriptors },
  );
}

/** @param {{ agent?: string, json?: boolean }} options @param {import("./appliance.js").Appliance} appliance @param {import("./outbox.js").Outbox} outbox */
async function status({ agent, json }, appliance, outbox) {
  const waiting = await outbox.waiting();
  const found = await appliance.agent(agent, "status").catch((error) => ({ failed: error.message }));
  if (json) return print(JSON.stringify({ url: appliance.url, agent: appliance.slug(agent), waiting, ...found }));
  print(`Memory Appliance at ${appliance.url}, agent ${appliance.slug(agent)}`);
  if (found.failed) {
    print(`Not available: ${found.failed}`);
  } else {
    print(`${found.files} files, ${found.chunks} passages, ${found.pending} without a vector yet`);
    for (const { detail } of found.degraded) print(`Note: ${detail}`);
  }
  print(`Messages that wait to be sent: ${waiting}`);
  if (found.failed) process.exitCode = 1;
}

/** @param {string} query @param {{ agent?: string, session: string, maxResults?: string, json?: boolean }} options @param {import("./appliance.js").Appliance} appliance */
async function search(query, { agent, session, maxResults, json }, appliance) {
  const body = { query, max_results: maxResults && Number(maxResults), session: { key: session } };
  const found = await appliance.agent(agent, "search", body);
  if (json) return print(JSON.stringify(found));
  if (!found.results.length) return print(`Nothing found. ${found.reason ?? ""}`.trim());
  for (const hit of found.results) print(`${hit.score.toFixed(2)} ${hit.path}#L${hit.start_line}-L${hit.end_line}\n${hit.snippet}\n`);
}

/** @param {{ agent?: string }} options @param {import("./appliance.js").Appliance} appliance @param {import("./outbox.js").Outbox} outbox */
async function index({ agent }, appliance, outbox) {
  if (!(await outbox.send())) throw new Error(appliance.failure?.message);
  await appliance.agent(agent, "update", {});
  print("All turns are sent; the files are checked again.");
}

/** A failure is one line and exit code 1. @param {(...given: any[]) => Promise<unknown>} work */
function guarded(work) {
  return async (/** @type {any[]} */ ...given) => {
    try {
      await work(...given);
    } catch (error) {
      console.error(/** @type {Error} */ (error).message);
      process.exitCode = 1;
    }
  };
}

/** @param {string} line */
function print(line) {
  console.log(line);
}
