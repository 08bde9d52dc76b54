// OpenClaw's messages as turns of a transcript.

/** @typedef {{ role?: string, content?: unknown, timestamp?: number }} Raw */

/** @param {unknown} content */
export function textOf(content) {
  if (typeof content === "string") return content;
  const parts = Array.isArray(content) ? content : [];
  return parts.map((part) => (part?.type === "text" ? (part.text ?? "") : "")).join("\n").trim();
}

/** What person and agent said to each other; calls of tools and their results are left out. @param {unknown[]} messages */
export function said(messages) {
  return /** @type {Raw[]} */ (messages)
    .map((message) => ({ raw: message, role: message?.role ?? "", text: textOf(message?.content) }))
    .filter(({ role, text }) => (role === "user" || role === "assistant") && text.trim());
}

/**
 * One turn as messages to keep. OpenClaw reports a turn twice, as a hook and to the context engine, with other ids and
 * another time of the user's message; what both have in common is when the model's messages were made. Ids are made of
 * that, so that a turn that is reported again is stored once.
 * @param {unknown[]} turn from the user's message on
 * @returns {import("./outbox.js").Message[]}
 */
export function turnOf(turn) {
  const end = /** @type {Raw | undefined} */ (turn.at(-1))?.timestamp ?? Date.now();
  let asked = 0;
  return said(turn).map(({ raw, role, text }) => ({
    id: role === "user" ? `openclaw:${end}:user:${asked++}` : `openclaw:${raw.timestamp ?? end}`,
    role,
    text,
    at: new Date(raw.timestamp ?? end).toISOString(),
  }));
}

/** The last turns of a conversation, for a recall. @param {unknown[]} messages @param {number} most */
export function history(messages, most) {
  return said(messages).map(({ role, text }) => ({ role, text })).slice(-most);
}
