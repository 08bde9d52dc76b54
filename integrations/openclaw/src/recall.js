// Before each reply: the appliance's block goes in front of the user's message.

import { isPerson } from "./appliance.js";
import { history } from "./messages.js";

const TURNS = 8;

/** @param {import("openclaw/plugin-sdk/core").OpenClawPluginApi} api @param {import("./appliance.js").Appliance} appliance */
export function registerRecall(api, appliance) {
  api.on(
    "before_prompt_build",
    async (event, ctx) => {
      appliance.turnBegins(ctx);
      const message = event.currentUserMessage ?? event.prompt;
      // A heartbeat asks for nothing that was said; a chat that may not search is not recalled for either.
      if (!message.trim() || !isPerson(ctx) || !ctx.toolAuthority?.allows("memory_search")) return undefined;
      try {
        const answer = await appliance.recall(ctx.agentId, {
          message,
          session: appliance.session(ctx),
          history: history(event.messages, TURNS),
        });
        api.logger.info(`recall: ${answer.status} ${answer.reason} event=${answer.event_id} ${answer.elapsed_ms} ms`);
        return answer.context ? { prependContext: answer.context } : undefined;
      } catch (error) {
        // The reply goes on without memory; the log, `openclaw status` and `openclaw memory status` say why.
        api.logger.warn(`memory-appliance: recall failed: ${/** @type {Error} */ (error).message}`);
        return undefined;
      }
    },
    { requiresToolAuthority: true, timeoutMs: appliance.recallTimeoutMs + 3500 },
  );
}
