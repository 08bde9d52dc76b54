// Transcripts: a turn is kept when it ends, and sent before a compaction or a reset takes it away.

import { isPerson } from "./appliance.js";
import { turnOf } from "./messages.js";

const SHUTDOWN_MS = 1500; // OpenClaw gives all sessions two seconds

/**
 * @param {import("openclaw/plugin-sdk/core").OpenClawPluginApi} api
 * @param {import("./appliance.js").Appliance} appliance
 * @param {import("./outbox.js").Outbox} outbox
 */
export function registerTurns(api, appliance, outbox) {
  api.on("agent_end", async (event, ctx) => {
    appliance.turnEnds(ctx);
    // A heartbeat comes with the key of the chat that it wakes up; its words are not that chat's.
    if (!ctx.sessionKey || !isPerson(ctx)) return;
    const turn = latestTurn(event.messages);
    await guarded(async () => {
      await outbox.keep(ctx.agentId, /** @type {string} */ (ctx.sessionKey), turnOf(turn));
      await outbox.send();
    });
  });

  api.on("before_compaction", async () => void (await outbox.send()));

  api.on("before_reset", async (event, ctx) => {
    const key = ctx.sessionKey;
    if (!key) return;
    await guarded(async () => {
      if (await outbox.send()) {
        const reason = event.reason === "new" ? "new" : "reset";
        await appliance.agent(ctx.agentId, `transcripts/${encodeURIComponent(key)}/reset`, { reason });
      }
    });
  });

  api.on("gateway_start", () => void outbox.send());
  api.on("gateway_stop", async () => {
    outbox.stop();
    const late = new Promise((resolve) => setTimeout(resolve, SHUTDOWN_MS).unref());
    await Promise.race([outbox.send(), late]);
    outbox.stop();
  });

  /** @param {() => Promise<void>} work */
  async function guarded(work) {
    try {
      await work();
    } catch (error) {
      api.logger.warn(`memory-appliance: ${/** @type {Error} */ (error).message}`);
    }
  }
}

/** From the last message of the user on. @param {unknown[]} messages */
function latestTurn(messages) {
  const start = messages.findLastIndex((message) => /** @type {{ role?: string }} */ (message)?.role === "user");
  return start < 0 ? [] : messages.slice(start);
}
