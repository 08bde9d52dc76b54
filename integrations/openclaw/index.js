// OpenClaw plugin: asks the memory appliance before each prompt is built and prepends the block it gives.
// Config: url, apiKey (right `read`), agent (default: OpenClaw's own agent id), timeoutMs.

const TURNS = 8;

export default {
  id: "memory-appliance-recall",
  name: "Memory Appliance recall",
  description: "Recalls from the memory appliance before every reply.",

  register(api) {
    const { url = "http://127.0.0.1:8765", apiKey, agent, timeoutMs = 4000 } = api.pluginConfig ?? {};

    api.on("before_prompt_build", async (event, ctx = {}) => {
      const slug = agent ?? ctx.agentId ?? "main";
      try {
        const response = await fetch(`${url.replace(/\/$/, "")}/api/v1/agents/${encodeURIComponent(slug)}/recall`, {
          method: "POST",
          headers: { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" },
          body: JSON.stringify({
            message: event.prompt ?? "",
            session: { key: ctx.sessionKey ?? `agent:${slug}:main` },
            history: history(event.messages, event.prompt),
            timeout_ms: timeoutMs,
          }),
          signal: AbortSignal.timeout(timeoutMs + 3000),
        });
        const answer = await response.json();
        if (!response.ok) throw new Error(`${response.status} ${answer.error?.message} ${answer.error?.hint}`);
        api.logger.info(`recall: ${answer.status} ${answer.reason} event=${answer.event_id} ${answer.elapsed_ms} ms`);
        return answer.context ? { prependContext: answer.context } : undefined;
      } catch (error) {
        // The reply goes on without memory, and the log says why.
        api.logger.warn(`recall failed: ${error.message}`);
        return undefined;
      }
    });
  },
};

/** The last turns before the prompt, as text. */
function history(messages = [], prompt = "") {
  const turns = messages
    .filter((message) => message?.role === "user" || message?.role === "assistant")
    .map(({ role, content }) => ({
      role,
      text: Array.isArray(content) ? content.map((part) => part?.text ?? "").join("\n") : String(content ?? ""),
    }))
    .filter((turn) => turn.text.trim());
  if (turns.at(-1)?.role === "user" && turns.at(-1).text === prompt) turns.pop();
  return turns.slice(-TURNS);
}
