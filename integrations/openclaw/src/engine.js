// The context engine: OpenClaw hands over each accepted turn once it is durable, and asks before a compaction.

import { buildMemorySystemPromptAddition, delegateCompactionToRuntime } from "openclaw/plugin-sdk/core";

import { said, turnOf } from "./messages.js";

const CHATS_REMEMBERED = 500;

/**
 * @param {string} id
 * @param {import("./appliance.js").Appliance} appliance
 * @param {import("./outbox.js").Outbox} outbox
 */
export function contextEngine(id, appliance, outbox) {
  return {
    info: {
      id,
      name: "Memory Appliance",
      acceptedHostParams: ["sessionKey", "prompt", "runtimeContext", "sessionTarget"],
      transcriptSemantics: {
        currentTurnFence: /** @type {const} */ ("before-current-turn-entry-v1"),
        turnAdvancementIdempotency: /** @type {const} */ ("atomic-idempotent-v1"),
      },
    },

    // Turns come whole, with commitTurn.
    async ingest() {
      return { ingested: false };
    },

    /** @param {{ sessionId: string, sessionKey?: string, messages: any[], availableTools?: Set<string>, citationsMode?: any }} turn */
    async assemble({ sessionId, sessionKey, messages, availableTools, citationsMode }) {
      const memory = buildMemorySystemPromptAddition({
        availableTools: availableTools ?? new Set(),
        citationsMode,
        agentSessionKey: sessionKey,
      });
      const start = await startOf(appliance, sessionId, sessionKey);
      const size = said(messages).reduce((sum, { text }) => sum + text.length, 0);
      return { messages, estimatedTokens: Math.ceil(size / 4), systemPromptAddition: [memory, start].filter(Boolean).join("\n\n") };
    },

    /** What leaves the window is at the appliance and noted before OpenClaw summarizes it. @param {any} params */
    async compact(params) {
      if (await outbox.send()) {
        const body = { session_key: params.sessionKey };
        const agentId = params.agentId ?? agentOf(params.sessionKey);
        await appliance.agent(agentId, "flush", body, { timeoutMs: 60_000, signal: params.abortSignal }).catch((error) => {
          appliance.logger.warn(`memory-appliance: the conversation is compacted without a flush: ${error.message}`);
        });
      }
      return delegateCompactionToRuntime(params);
    },

    /** @param {{ messages: any[], sessionKey?: string, isHeartbeat?: boolean }} turn */
    async commitTurn({ messages, sessionKey, isHeartbeat }) {
      if (sessionKey && !isHeartbeat) {
        await outbox.keep(agentOf(sessionKey), sessionKey, turnOf(messages));
        void outbox.send();
      }
      return { status: /** @type {const} */ ("committed") };
    },
  };
}

/** @type {Map<string, string>} */
const starts = new Map();

/**
 * What a chat starts with; the same text in each of its turns, so that the prompt can be cached.
 * @param {import("./appliance.js").Appliance} appliance
 * @param {string} sessionId
 * @param {string} [key]
 */
async function startOf(appliance, sessionId, key) {
  if (appliance.config.startContext === false || !key) return "";
  const known = starts.get(sessionId);
  if (known !== undefined) return known;
  try {
    const { text } = await appliance.agent(agentOf(key), "context", { session: { key } }, { timeoutMs: 5000 });
    if (starts.size >= CHATS_REMEMBERED) starts.delete(/** @type {string} */ (starts.keys().next().value));
    starts.set(sessionId, text);
    return text;
  } catch (error) {
    appliance.logger.warn(`memory-appliance: a chat starts without its files: ${/** @type {Error} */ (error).message}`);
    return "";
  }
}

/** @param {string} key */
function agentOf(key) {
  return /^agent:([^:]+):/.exec(key)?.[1];
}
